"""Datasets that stay on disk: plain files of numbers, mapped into memory as they are read.

FOLDER/dataset.json        shapes, notes, and a checksum of all arrays; written last
FOLDER/observation.f32 …   float32, row after row
FOLDER/terminated.npy …    the flags
FOLDER/rows-KEY.f32        packed rows, made once for every way to pack them
FOLDER/rows-KEY.sha256     their checksum
"""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import ARRAYS, FLAGS, RANKS, Dataset, Finding
from road.data.memory import BLOCK, Allocate, blocks
from road.errors import DamagedError, DataError, UsageError
from road.files import (
    hash_bytes,
    hash_file,
    hash_stream,
    replacing,
    storage_errors,
    sync,
    temporary,
    write_text,
)
from road.plain_files import open_plain, read_json

FORMAT = 1
CONTENTS = "dataset.json"
NUMBERS = tuple(name for name in ARRAYS if name not in FLAGS)


def store(folder: Path, make: Callable[[Allocate], Dataset]) -> Dataset:
    """Make a dataset whose arrays lie in a new folder; it appears whole or not at all."""
    if folder.exists():
        raise UsageError(f"{folder} exists already; name a folder that does not")
    with storage_errors(f"write {folder}"), temporary(folder) as aside:
        aside.mkdir(parents=True)
        write_arrays(aside, make(allocate_in(aside)))
        aside.rename(folder)
    return open_stored(folder)


def allocate_in(folder: Path) -> Allocate:
    """Makes arrays as files of that folder."""

    def make(name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        if not all(shape):  # nothing cannot be mapped
            return np.empty(shape, np.float32)
        path = folder / f"{name}.f32"
        # Reported here: further up it would look like a fault of the file that is being read.
        with storage_errors(f"write {path}"), path.open("wb") as file:
            # All of it now: a mapped file that finds the disk full kills the process.
            os.posix_fallocate(file.fileno(), 0, 4 * int(np.prod(shape)))
        return np.memmap(path, np.float32, "r+", shape=shape)

    return make


def write_arrays(folder: Path, dataset: Dataset) -> None:
    """Write what does not lie in the folder yet, cut what was left out, and describe the whole."""
    for name, array in dataset.arrays().items():
        path = folder / f"{name}.f32"
        if name in FLAGS:
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
        elif path.exists():
            os.truncate(path, array.nbytes)
        else:
            array.tofile(path)
    contents = {
        "format": FORMAT,
        "shapes": {name: list(array.shape) for name, array in dataset.arrays().items()},
        "sha256": checksum(dataset),
        "notes": [asdict(note) for note in dataset.notes],
    }
    (folder / CONTENTS).write_text(json.dumps(contents, indent=2) + "\n")
    for path in folder.iterdir():
        with path.open("rb") as file:
            sync(file)


def checksum(dataset: Dataset) -> str:
    return hash_stream(
        np.ascontiguousarray(array[block]).data
        for array in dataset.arrays().values()
        for block in blocks(len(array))
    )


def open_verified(folder: Path) -> Dataset:
    """The dataset of a folder, every byte of it compared with the checksum.

    Raises:
        DataError: it is not what was written.
    """
    dataset = open_stored(folder)
    if checksum(dataset) != read_contents(folder)["sha256"]:
        raise DataError(
            f"{folder}: the numbers are not those that were written; make the folder again"
        )
    return dataset


def is_stored(folder: Path) -> bool:
    return (folder / CONTENTS).is_file()


def open_stored(folder: Path) -> Dataset:
    """The dataset of a folder, its numbers left on disk and only their lengths looked at.

    Raises:
        DataError: the folder holds none, or files of another length.
    """
    contents = read_contents(folder)
    shapes = contents["shapes"].items()
    numbers = {name: map_file(folder / f"{name}.f32", shape) for name, shape in shapes}
    flags = {name: read_flags(folder / f"{name}.npy") for name in FLAGS}
    arrays: dict[str, NDArray[Any]] = {**numbers, **flags}
    return Dataset(**arrays, notes=contents["notes"])


def read_contents(folder: Path) -> dict[str, Any]:
    path = folder / CONTENTS
    check_own(path)
    try:
        contents = read_json(path)
        if contents["format"] != FORMAT:
            raise DataError(f"{path}: format {contents['format']}, not {FORMAT}; make it again")
        return {
            "sha256": str(contents["sha256"]),
            "shapes": {name: read_shape(contents["shapes"][name]) for name in NUMBERS},
            "notes": tuple(Finding(**note) for note in contents["notes"]),
        }
    except FileNotFoundError:
        raise DataError(f"{folder}: there is no {CONTENTS}; make the folder again") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: damaged ({error}); make the folder again") from error


def check_own(path: Path) -> None:
    """Whether a file of such a folder is its own: what a link points to is no part of it."""
    try:
        os.close(open_plain(path, os.O_RDONLY))
    except DamagedError as error:
        raise DataError(str(error)) from error
    except OSError:
        return  # absent or out of reach: reported by what needs it


def read_shape(lengths: Any) -> tuple[int, ...]:
    shape = tuple(int(length) for length in lengths)
    if min(shape) < 1:
        raise ValueError(f"shape {shape}")
    return shape


def read_flags(path: Path) -> NDArray[np.bool_]:
    check_own(path)
    try:
        return np.asarray(np.load(path, allow_pickle=False), np.bool_)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path}: damaged ({error}); make the folder again") from error


def map_file(path: Path, shape: tuple[int, ...]) -> NDArray[np.float32]:
    check_own(path)
    try:
        size, needed = path.stat().st_size, 4 * int(np.prod(shape))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    if size != needed:
        raise DataError(f"{path}: {size:,} bytes where {needed:,} belong; make the folder again")
    return np.memmap(path, np.float32, "r", shape=shape)


def folder_of(dataset: Dataset) -> Path | None:
    """The folder that a dataset lies in; None if any of its wide arrays lies elsewhere."""
    array = dataset.observation
    if not isinstance(array, np.memmap) or array.filename is None:
        return None
    folder = Path(array.filename).parent
    as_stored = is_stored(folder) and all(
        is_whole_file(getattr(dataset, name), folder / f"{name}.f32") for name in RANKS
    )
    return folder if as_stored else None


def is_whole_file(array: NDArray[np.float32], path: Path) -> bool:
    if not isinstance(array, np.memmap) or array.filename is None:
        return False
    return Path(array.filename) == path and array.nbytes == path.stat().st_size


def changeable_checksum(dataset: Dataset) -> str:
    """A checksum of what a task may have changed in a dataset that stays on disk."""
    changeable = (dataset.reward, dataset.terminated, dataset.truncated)
    return hash_stream(np.ascontiguousarray(array).data for array in changeable)


def episode_blocks(dataset: Dataset, size: int = BLOCK) -> Iterable[slice]:
    """Runs of whole episodes, each of about that many rows."""
    stops = np.flatnonzero(dataset.episode_ends) + 1
    start = 0
    for stop in stops.tolist():
        if stop - start >= size or stop == len(dataset):
            yield slice(start, stop)
            start = stop


def cached_rows(
    folder: Path, way: str, rows: int, packed: Iterable[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Packed rows as a file beside their dataset; made where it was not packed in this way yet.

    A file that is not as it was written is made again: it is what training reads.
    """
    key = hash_bytes(f"{read_contents(folder)['sha256']} {way}".encode())[:16]
    path = folder / f"rows-{key}.f32"
    if not is_as_written(path):
        with storage_errors(f"write {path}"), replacing(path) as file:
            for block in packed:
                block.tofile(file)
        write_text(checksum_of(path), f"{hash_file(path)}\n")
    width = path.stat().st_size // (4 * rows)
    # A plain view: NumPy's own class for mapped files makes every gather slower.
    return np.asarray(map_file(path, (rows, width)))


def checksum_of(path: Path) -> Path:
    """Where the checksum of packed rows is."""
    return path.with_suffix(".sha256")


def is_as_written(path: Path) -> bool:
    if not checksum_of(path).is_file() or not path.is_file():
        return False
    check_own(path)
    check_own(checksum_of(path))
    return checksum_of(path).read_bytes() == f"{hash_file(path)}\n".encode()


def data_folder() -> Path:
    """ROAD_DATA_DIR if set, else ``road`` in the user's cache folder."""
    chosen = os.environ.get("ROAD_DATA_DIR")
    if chosen:
        return Path(chosen)
    # The XDG specification ignores a relative path.
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "road"
