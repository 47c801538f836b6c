"""``file:`` paths: which format a file has, by its first bytes, and the reader of that format."""

from pathlib import Path
from typing import Literal, TypeAlias

from road.data.formats.arrays import make_array_log, make_episode_log
from road.data.formats.hdf5 import read_hdf5
from road.data.formats.npz import read_npz
from road.data.formats.tables import Columns, read_csv, read_parquet
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


def read_file(name: str, columns: Columns | None = None, allocate: Allocate = in_memory) -> Log:
    """A D4RL-layout HDF5 file, an NPZ, a folder of NPZ episodes, a CSV or a Parquet table."""
    path = Path(name).expanduser()
    if path.is_dir():
        return read_folder(path)
    if not path.exists():
        raise DataError(f"{path}: there is no such file")
    kind = detect_format(path)
    if columns is not None and kind in ("hdf5", "npz"):
        raise UsageError(f"{path}: columns are of tables; the arrays of this file have names")
    if kind == "hdf5":
        return read_hdf5(path, allocate)
    if kind == "npz":
        return make_array_log(str(path), read_npz(path))
    return read_parquet(path, columns) if kind == "parquet" else read_csv(path, columns)


def read_folder(path: Path) -> Log:
    """Episodes in the order of their file names."""
    files = sorted(path.glob("*.npz"))
    if not files:
        raise DataError(f"{path}: the folder holds no .npz episodes")
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
        with path.open("rb") as file:
            head = file.read(512)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    if not head:
        raise DataError(f"{path}: the file is empty; get it again")
    return head
