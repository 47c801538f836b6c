"""A folder that tells of a loop that is not ours, in the form that ``road report`` reads.

Every file is written aside and renamed, so each is whole or as it was.
"""

import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from road.errors import StorageError, UsageError
from road.files import write_text
from road.version import __version__

FORMAT = 1
"""Version of the folder: that of a run folder."""
STATE = "controller.json"
"""What a controller goes on from; its presence tells a foreign loop's folder from a run's."""


def write_folder(
    folder: Path,
    config: Mapping[str, Any],
    journals: Mapping[str, Iterable[Mapping[str, Any]]],
    state: Mapping[str, Any],
) -> None:
    """Journals first, the state last: what is there can always be gone on from."""
    if (folder / "config.json").exists() and not (folder / STATE).exists():
        raise UsageError(f"{folder} holds a run of road train; save to another folder")
    for name, rows in journals.items():
        lines = "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)
        write_text(folder / f"{name}.jsonl", lines)
    versions = {"road": __version__, "python": platform.python_version(), "numpy": np.__version__}
    meta = {"format": FORMAT, "name": folder.resolve().name, "versions": versions}
    written = {"meta.json": meta, "config.json": {"format": FORMAT, **config}, STATE: state}
    for name, content in written.items():
        write_text(folder / name, json.dumps(content, allow_nan=False) + "\n")


def read_state(folder: Path) -> dict[str, Any]:
    path = folder / STATE
    try:
        content = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{folder} holds no saved controller: {STATE} is missing") from None
    except OSError as failure:
        raise StorageError(f"cannot read {path}: {failure.strerror}") from failure
    except ValueError:
        raise StorageError(f"{path} is damaged; save the controller again") from None
    if not isinstance(content, dict):
        raise StorageError(f"{path} is damaged; save the controller again")
    return content


def mixer_settings(mixer: object, names: Mapping[str, type[Any]]) -> dict[str, Any]:
    """A mixer's settings under the name by which it is known; its class's name for a stranger."""
    known = (name for name, kind in names.items() if type(mixer) is kind)
    settings = asdict(mixer) if is_dataclass(mixer) and not isinstance(mixer, type) else {}
    # An infinity becomes a word, as in a run's own config.json.
    plain = json.loads(
        json.dumps(settings, default=str), parse_constant=lambda name: str(float(name))
    )
    return {"name": next(known, type(mixer).__name__), **plain}
