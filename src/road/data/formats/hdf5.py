"""HDF5 files from untrusted sources: only plain arrays are read, and only from this file.

An HDF5 file can point to other files, claim any size and ask for foreign code to unpack it. So
every step of a path must be a hard link, and an array must be numbers, stored here, packed by the
filters that HDF5 includes. Flat files in D4RL's layout are read into a log.
"""

import math
import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import FLAGS
from road.data.log import Log, find_names, make_log
from road.data.memory import BLOCK, Allocate, blocks, check_declared, check_memory, in_memory
from road.errors import DataError

FILTERS = {1: "gzip", 2: "shuffle", 3: "fletcher32", 32000: "lzf"}
"""Those that come with the library, by their registered numbers."""
NUMBERS = "biuf"
BOX = "action_box"
"""Attribute of the actions: their lowest and highest value. D4RL's own files have none."""


@contextmanager
def open_hdf5(path: Path) -> Generator[Any]:
    """The file, read-only; an error of HDF5 becomes one line."""
    import h5py

    try:
        # Locks fail on network folders, and nothing is written here.
        with h5py.File(path, "r", locking=False) as file:
            yield file
    except (OSError, RuntimeError, KeyError, ValueError, OverflowError) as error:
        raise DataError(f"{path}: {explain(str(error))}") from error


def explain(message: str) -> str:
    """What HDF5 means."""
    sizes = re.search(r"eof = (\d+).*stored_eof = (\d+)", message)
    if sizes:
        return f"the file is incomplete: {sizes[1]} of {sizes[2]} bytes; download it again"
    return f"damaged or not HDF5 ({' '.join(message.split())[:120]}); download it again"


def names(group: Any) -> list[str]:
    """What a group holds; soft and external links are left out, and refused when asked for."""
    import h5py

    links = {str(name): group.get(name, getlink=True) for name in group}
    return [name for name, link in links.items() if isinstance(link, h5py.HardLink)]


def step_into(path: Path, group: Any, name: str) -> Any:
    """A member of a group, by a hard link only."""
    import h5py

    link = group.get(name, getlink=True)
    if link is None:
        held = ", ".join(map(str, group))[:200]
        raise DataError(f"{path}: there is no array {name!r}; it holds {held}")
    if not isinstance(link, h5py.HardLink):
        kind = "a link to another file" if isinstance(link, h5py.ExternalLink) else "a soft link"
        raise DataError(f"{path}: {name} is {kind}; bring a file that holds its own arrays")
    return group[name]


def find_array(path: Path, group: Any, name: str) -> Any:
    """The array of that name below a group, once it is known to be harmless."""
    import h5py

    found = group
    for part in name.split("/"):
        if not isinstance(found, h5py.Group):
            raise DataError(f"{path}: {name} is not a group of arrays")
        found = step_into(path, found, part)
    if not isinstance(found, h5py.Dataset):
        raise DataError(f"{path}: {name} is not an array; flatten it to one array of numbers")
    check_plain(f"{path}: {name}", found)
    check_size(path, f"{path}: {name}", found)
    return found


def check_size(path: Path, where: str, array: Any) -> None:
    """Whether the array, and each chunk of it, can be what the file says."""
    stored = path.stat().st_size
    check_declared(where, 4 * math.prod(array.shape), stored)
    if array.chunks:
        # A chunk is unpacked as a whole, however little of it is asked for.
        unpacked = array.dtype.itemsize * math.prod(array.chunks)
        check_declared(where, unpacked, stored)
        check_memory(where, unpacked)


def check_total(path: Path, arrays: Iterable[Any]) -> None:
    """Whether all that is to be read may come out of a file of this size."""
    total = sum(4 * math.prod(array.shape) for array in arrays)
    check_declared(str(path), total, path.stat().st_size)


def check_plain(where: str, array: Any) -> None:
    """Whether it is an array of numbers that this file holds by itself."""
    kind = type_of(array)
    if array.shape is None or kind is None or kind.kind not in NUMBERS:
        raise DataError(f"{where} holds {kind}, not numbers; save it as float32")
    if array.is_virtual or array.external:
        raise DataError(f"{where} lies in other files; bring a file that holds its own arrays")
    settings = array.id.get_create_plist()
    asked = [settings.get_filter(index)[0] for index in range(settings.get_nfilters())]
    foreign = [number for number in asked if number not in FILTERS]
    if foreign:
        allowed = ", ".join(FILTERS.values())
        raise DataError(f"{where} is packed by filter {foreign[0]}; save it with one of {allowed}")


def type_of(array: Any) -> np.dtype[Any] | None:
    """None for the types of HDF5 that NumPy does not know."""
    try:
        return array.dtype
    except TypeError:
        return None


def read_array(
    path: Path, group: Any, name: str, field: str, allocate: Allocate = in_memory
) -> NDArray[np.float32]:
    """The numbers as float32, read block by block into the array allocated for that field."""
    array = find_array(path, group, name)
    if not array.shape or not array.shape[0]:
        raise DataError(f"{path}: {name} has no rows; at least one transition is needed")
    if allocate is in_memory:
        check_memory(f"{path}: {name}", 4 * math.prod(array.shape))
    out = allocate(field, array.shape)
    # Whole chunks: one that is cut by two blocks would be unpacked twice.
    chunk = array.chunks[0] if array.chunks else 1
    for block in blocks(len(array), max(BLOCK // chunk, 1) * chunk):
        try:
            array.read_direct(out, block, block)
        except OSError as error:
            raise DataError(
                f"{path}: {name} is damaged in rows {block.start} to {block.stop - 1}; "
                "download the file again"
            ) from error
    return out


def read_attribute(array: Any, name: str, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """A few numbers beside an array; None if they are not there or something else."""
    if name not in array.attrs:
        return None
    found = array.attrs.get_id(name)
    if found.dtype.kind != "f" or found.shape != shape:
        return None
    return np.asarray(array.attrs[name], np.float64)


def read_hdf5(path: Path, allocate: Allocate = in_memory) -> Log:
    """A file in D4RL's layout."""
    with open_hdf5(path) as file:
        return read_flat(path, file, allocate)


def read_flat(path: Path, file: Any, allocate: Allocate) -> Log:
    """D4RL's layout: flat arrays, rows in time order; arrays of unknown names are not read."""
    present = find_names(str(path), map(str, file))
    check_total(path, (find_array(path, file, name) for name in present.values()))
    arrays = {
        field: read_array(path, file, name, field, in_memory if field in FLAGS else allocate)
        for field, name in present.items()
    }
    box = read_attribute(file[present["action"]], BOX, (2,))
    log = make_log(str(path), arrays)
    log.action_box = None if box is None else (float(box[0]), float(box[1]))
    return log
