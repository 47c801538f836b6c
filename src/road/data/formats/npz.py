"""NPZ archives from untrusted sources: plain numbers only, no larger than the file can hold."""

import math
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.log import find_names
from road.data.memory import check_declared, check_memory
from road.errors import DataError, RoadError

MOST_MEMBERS = 10_000


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a log: those of the archive that have a known name, under that name."""
    return read_chosen(path, lambda held: find_names(str(path), held).values())


def read_arrays(path: Path, needed: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Every array of the archive, or those that are needed, which must be there."""

    def choose(held: Collection[str]) -> Collection[str]:
        absent = [name for name in needed if name not in held]
        if absent:
            listed = ", ".join(sorted(held))[:120] or "nothing"
            raise DataError(f"{path}: there is no array {absent[0]!r}; it holds {listed}")
        return needed or held

    return read_chosen(path, choose)


def read_checkpoint(path: Path) -> dict[str, NDArray[Any]]:
    """Every array of an archive that was not packed, so that it cannot grow on being read."""
    return read_chosen(path, lambda held: held, limited=False)


def read_chosen(
    path: Path,
    choose: Callable[[Collection[str]], Collection[str]],
    *,
    limited: bool = True,
) -> dict[str, NDArray[Any]]:
    """The arrays that are chosen out of the names in the archive, if there is memory for them."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = dict(array_members(path, archive))
            chosen = choose(sizes)
            check_sizes(path, {name: sizes[name] for name in chosen}, limited=limited)
            return {name: read_member(path, archive, name) for name in chosen}
    except RoadError:
        raise
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except Exception as error:  # what zipfile raises for damaged bytes is not documented
        text = " ".join(str(error).split())[:80]
        raise DataError(
            f"{path}: damaged, cut short or not an NPZ archive ({text}); get it again"
        ) from error


def check_sizes(path: Path, sizes: Mapping[str, int], *, limited: bool) -> None:
    """Whether every array, and all of them together, may come out of a file of this size."""
    stored = path.stat().st_size
    for name, size in sizes.items():
        check_declared(f"{path}: {name}", size, stored)
    check_declared(str(path), sum(sizes.values()), stored)
    if limited:
        check_memory(str(path), sum(sizes.values()))


def array_members(path: Path, archive: zipfile.ZipFile) -> Iterator[tuple[str, int]]:
    """Name and unpacked size of every array."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise DataError(f"{path}: holds {len(members):,} members; an NPZ of a log has a handful")
    for member in members:
        if member.filename.endswith(".npy"):
            yield member.filename.removesuffix(".npy"), member.file_size


def read_member(path: Path, archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """One array, once its own header is known not to claim more than the archive says."""
    where = f"{path}: {name}"
    member = archive.getinfo(f"{name}.npy")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(
            f"{where} is packed by method {member.compress_type}; "
            "save it with numpy.savez_compressed"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about headers that Python 2 wrote
            return read_plain_array(where, archive, member)
    except RoadError:
        raise
    except Exception as error:  # a header is parsed as Python: damage raises anything
        raise DataError(f"{where} is damaged ({' '.join(str(error).split())[:100]})") from error


def read_plain_array(where: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as file:
        shape, dtype = header(file)
    if dtype.hasobject:
        raise DataError(
            f"{where} holds Python objects (a pickle), which can run code: never loaded here; "
            "save it as float32"
        )
    check_declared(where, math.prod(shape) * dtype.itemsize, member.file_size, expansion=1)
    with archive.open(member) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type; a length must be a whole number and not below 0."""
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"NPY version {version}")
    shape, _, dtype = read(file)
    if min(shape, default=0) < 0 or any(isinstance(length, bool) for length in shape):
        raise ValueError(f"shape {shape}")
    return shape, dtype
