"""Long arrays a block of rows at a time, and how much of a file may be put into memory."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.errors import DataError

BLOCK = 65_536
"""Rows that are held at once."""

Allocate: TypeAlias = Callable[[str, tuple[int, ...]], NDArray[np.float32]]
"""Makes an array of that name and shape: in memory or on disk."""


def in_memory(name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    del name  # memory has no names
    return np.empty(shape, np.float32)


def blocks(rows: int, size: int = BLOCK) -> Iterator[slice]:
    return (slice(start, min(start + size, rows)) for start in range(0, rows, size))


MOST_DRAWN = 200_000
"""Rows that a sample is drawn from at once."""


def random_rows(rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Row numbers in random order: all of them, or of very many a sample without repetition."""
    if rows <= MOST_DRAWN:
        return rng.permutation(rows)
    return rng.permutation(np.unique(rng.integers(rows, size=MOST_DRAWN)))


def compact(array: NDArray[Any], keep: NDArray[np.bool_]) -> NDArray[Any]:
    """The rows to keep, moved to the front of the same memory."""
    if keep.all():
        return array
    filled = 0
    for block in blocks(len(array)):
        kept = array[block][keep[block]]
        array[filled : filled + len(kept)] = kept
        filled += len(kept)
    return array[:filled]


def rows_where(
    array: NDArray[Any], test: Callable[[NDArray[Any]], NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """Which rows hold a value for which the test is true."""
    found = np.zeros(len(array), np.bool_)
    for block in blocks(len(array)):
        wrong = test(array[block])
        found[block] = wrong.any(axis=tuple(range(1, wrong.ndim)))
    return found


def not_finite(array: NDArray[Any]) -> NDArray[np.bool_]:
    return ~np.isfinite(array)


MOST_EXPANSION = 32
"""Bytes of float32 out of one byte of the file. Real logs reach 2; deflate can reach 1,032, and a
run-length code a million. A file of 10 MB thus takes less than 1 GB, whatever is in it."""
ALWAYS_ALLOWED = 64 * 2**20
"""A few megabytes of zeros are no attack, however small the file."""
SHARE_OF_MEMORY = 0.9


def check_declared(where: str, declared: int, stored: int, expansion: int = MOST_EXPANSION) -> None:
    """Whether a file of that many bytes may unpack to that many.

    Raises:
        DataError: it may not: a small file would take all memory.
    """
    if declared > max(stored * expansion, ALWAYS_ALLOWED if expansion > 1 else 0):
        raise DataError(
            f"{where} claims {declared:,} bytes in a file of {stored:,}, more than {expansion} "
            "times as many; if you trust it, save it without compression"
        )


def check_memory(where: str, needed: int) -> None:
    """Whether that many bytes fit into memory.

    Raises:
        DataError: they do not.
    """
    free = available_memory()
    if free is not None and needed > SHARE_OF_MEMORY * free:
        raise DataError(
            f"{where} needs {needed:,} bytes where {free:,} are free; keep it on disk with "
            "`road data convert SOURCE stored:FOLDER`"
        )


def available_memory() -> int | None:
    """Bytes that can still be used, by what machine and container say; None if unknown."""
    known = [size for size in (machine_memory(), container_memory()) if size is not None]
    return min(known, default=None)


def machine_memory() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(free.split()[1]) * 1024
    except (OSError, StopIteration, ValueError):
        return physical_memory()


def physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def container_memory() -> int | None:
    """What the control group leaves, where there is one with a limit."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text())
        return max(limit - int((group / "memory.current").read_text()), 0)
    except (OSError, ValueError):  # no group, or the limit is "max"
        return None
