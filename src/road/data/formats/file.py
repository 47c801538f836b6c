"""``file:`` paths: which format a file has, by its first bytes, and the reader of that format."""

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from road.data.formats.arrays import make_array_log, make_episode_log
from road.data.formats.columns import Columns
from road.data.formats.csv_tables import read_csv
from road.data.formats.hdf5 import open_hdf5, read_flat
from road.data.formats.lerobot import is_lerobot, read_lerobot
from road.data.formats.npz import read_npz
from road.data.formats.parquet import read_parquet
from road.data.formats.rlds import is_rlds, read_rlds
from road.data.formats.robomimic import is_robomimic, read_robomimic
from road.data.log import Log
from road.data.memory import Allocate, in_memory
from road.errors import DataError, UsageError

Kind: TypeAlias = Literal["hdf5", "npz", "parquet", "text"]

HDF5 = b"\x89HDF\r\n\x1a\n"
STARTS: dict[bytes, Kind] = {HDF5: "hdf5", b"PK\x03\x04": "npz", b"PAR1": "parquet"}
FOREIGN = {
    b"version https://git-lfs": "a Git LFS pointer, not the data; run `git lfs pull`",
    b"<!doctype": "an HTML page, not data; the download failed, get the file again",
    b"<html": "an HTML page, not data; the download failed, get the file again",
    b"<?xml": "an XML page, not data; the download failed, get the file again",
    b"\x93numpy": "a single NPY array; save all arrays together with numpy.savez",
    b"\x80": "a pickle, which can run code and is never opened here; save its arrays as NPZ",
    b"\x1f\x8b": "a gzip archive; unpack it first",
}
"""Beginnings of files that are often given by mistake."""


def read_file(
    name: str,
    columns: Columns | None = None,
    keys: Sequence[str] | None = None,
    allocate: Allocate = in_memory,
) -> Log:
    """The log in a file or a folder of any format that is known."""
    path = Path(name).expanduser()
    if path.is_dir():
        return read_folder(path, columns, keys)
    if not path.exists():
        raise DataError(f"{path}: there is no such file")
    kind = detect_format(path)
    if kind in ("parquet", "text"):
        refuse_keys(path, keys)
        return read_parquet(path, columns) if kind == "parquet" else read_csv(path, columns)
    if columns is not None:
        raise UsageError(f"{path}: columns are of tables; the arrays of this file have names")
    if kind == "hdf5":
        return read_groups(path, keys, allocate)
    refuse_keys(path, keys)
    return read_archive(path)


def read_groups(path: Path, keys: Sequence[str] | None, allocate: Allocate) -> Log:
    """An HDF5 file, opened once whatever its layout."""
    with open_hdf5(path) as file:
        if is_robomimic(path, file):
            return read_robomimic(path, file, keys)
        refuse_keys(path, keys)
        return read_flat(path, file, allocate)


def read_archive(path: Path) -> Log:
    return make_array_log(str(path), read_npz(path))


def refuse_keys(path: Path, keys: Sequence[str] | None) -> None:
    if keys is not None:
        raise UsageError(
            f"keys belong to dict observations: minari: sources, robomimic files and RLDS folders; "
            f"{path} has none"
        )


def read_folder(path: Path, columns: Columns | None, keys: Sequence[str] | None) -> Log:
    """A dataset of LeRobot or RLDS, or episodes in the order of their file names."""
    if columns is not None and not is_lerobot(path):
        raise UsageError(f"{path}: columns are of tables and of LeRobot's folders")
    versions = [folder for folder in sorted(path.iterdir()) if is_rlds(folder)]
    if is_rlds(path) or len(versions) == 1:
        return read_rlds(path if is_rlds(path) else versions[0], keys)
    if versions:
        held = ", ".join(folder.name for folder in versions)[:160]
        raise DataError(f"{path}: several datasets; name one of them: {held}")
    refuse_keys(path, keys)
    return read_lerobot(path, columns) if is_lerobot(path) else read_npz_episodes(path)


def read_npz_episodes(path: Path) -> Log:
    files = sorted(path.glob("*.npz"))
    if not files:
        raise DataError(
            f"{path}: the folder holds no .npz episodes, and is none of LeRobot's or RLDS's"
        )
    for file in files:
        if detect_format(file) != "npz":
            raise DataError(f"{file}: this is not an NPZ archive")
    return make_episode_log(str(path), ((file.name, read_npz(file)) for file in files))


def detect_format(path: Path) -> Kind:
    """Raises DataError for a file that is missing, empty, or not data."""
    head = first_bytes(path)
    for start, what in FOREIGN.items():
        if head.lstrip().lower().startswith(start):
            raise DataError(f"{path}: this is {what}")
    for start, kind in STARTS.items():
        if head.startswith(start):
            return kind
    if b"\x00" in head:
        raise DataError(f"{path}: not a format that is read here; bring HDF5, NPZ, CSV or Parquet")
    return "text"


def first_bytes(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DataError(f"{path}: a pipe or a device; write its content to a file first")
        with path.open("rb") as file:
            head = file.read(512)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    if not head:
        raise DataError(f"{path}: the file is empty; get it again")
    return head
