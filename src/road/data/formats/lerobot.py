"""LeRobot's folders (layouts v2 and v3): Parquet files of frames, read without LeRobot.

meta/info.json says that it is one; data/chunk-000/*.parquet holds the frames of one or several
episodes, with ``episode_index``, ``observation.state``, ``action``, ``next.reward``, ``next.done``.
Videos and images are not read.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.formats.columns import Columns, choose_columns
from road.data.formats.metadata import read_metadata
from road.data.formats.parquet import open_parquet, read_columns
from road.data.formats.tables import table_log
from road.data.log import Log
from road.errors import DataError

INFO = Path("meta") / "info.json"
USUAL: Mapping[str, Sequence[str]] = {
    "observation": ("observation.state", "observation.environment_state"),
    "action": ("action",),
    "reward": ("next.reward",),
    "terminated": ("next.done",),
    "episode": ("episode_index",),
}


def is_lerobot(folder: Path) -> bool:
    return (folder / INFO).is_file()


def read_lerobot(folder: Path, columns: Columns | None) -> Log:
    """All frames, file after file; ``columns`` names others than the usual ones.

    Raises:
        DataError: it is of a layout that is not known, or has no rewards.
    """
    info = read_metadata(folder / INFO)
    version = str(info.get("codebase_version", ""))[:20]
    if not version.startswith(("v2", "v3")):
        raise DataError(f"{folder / INFO}: layout {version!r} is not read here, v2 and v3 are")
    files = sorted((folder / "data").glob("*/*.parquet"))
    if not files:
        raise DataError(f"{folder}: there are no frames in data/*/*.parquet; download it again")
    parts = [read_part(file, columns) for file in files]
    for file, part in zip(files, parts, strict=True):
        if widths(part) != widths(parts[0]):
            raise DataError(f"{file}: other columns than {files[0].name} has; download it again")
    return table_log(
        str(folder), {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    )


def read_part(file: Path, given: Columns | None) -> dict[str, NDArray[Any]]:
    """The arrays of one file."""
    with open_parquet(file) as opened:
        header = opened.schema_arrow.names
        usual = {
            name: [column for column in columns if column in header]
            for name, columns in USUAL.items()
        }
        known = {name: columns for name, columns in usual.items() if columns}
        chosen = choose_columns(str(file), header, {**known, **(given or {})})
        return read_columns(file, opened, chosen)


def widths(arrays: Mapping[str, NDArray[Any]]) -> dict[str, tuple[int, ...]]:
    return {name: array.shape[1:] for name, array in arrays.items()}
