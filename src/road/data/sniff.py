"""What a file is, by its first bytes; its name may say anything."""

from pathlib import Path
from typing import Literal, TypeAlias

from road.errors import DataError

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
"""Beginnings of files that people bring by mistake."""


def kind_of(path: Path) -> Kind:
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
