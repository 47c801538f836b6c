"""A level as a file: D4RL's layout, with a description of where it came from."""

import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from road.data.dataset import Dataset
from road.data.hdf5 import opened
from road.data.writing import write_d4rl
from road.errors import DataError, StorageError, UsageError

DESCRIPTION = "collection"
"""Attribute of the file: JSON with what was asked for and what came out."""


def write_level(dataset: Dataset, path: Path, asked: Mapping[str, Any], came: Any) -> None:
    """The file with its description; it appears whole or not at all."""
    import h5py

    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        write_d4rl(dataset, aside)
        with h5py.File(aside, "r+") as archive:
            archive.attrs[DESCRIPTION] = json.dumps({"asked": asked, "came": came}, sort_keys=True)
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        aside.unlink(missing_ok=True)


def description(path: Path) -> dict[str, Any] | None:
    """What a file says of itself; None if nobody described it."""
    try:
        with opened(path) as file:
            told = json.loads(str(file.attrs.get(DESCRIPTION, "null")))
    except (DataError, ValueError):
        return None
    return told if isinstance(told, dict) else None


def is_there(path: Path, asked: Mapping[str, Any]) -> bool:
    """Whether the file is there as it is asked for.

    Raises:
        UsageError: another file has its name.
    """
    if not path.exists():
        return False
    told = description(path)
    if told is None or told.get("asked") != json.loads(json.dumps(asked)):
        raise UsageError(
            f"{path} exists already and was made otherwise; choose another --out or remove it"
        )
    return True


def prepare(folder: Path) -> None:
    """A folder that can be written to, before hours are spent on what goes there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".{uuid.uuid4().hex}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise StorageError(f"cannot write to {folder}: {error.strerror or error}") from error
