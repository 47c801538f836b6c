"""Long arrays, a block of rows at a time: what is done to them needs no second copy of them."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

BLOCK = 65_536
"""Rows that are held at once."""

Room: TypeAlias = Callable[[str, tuple[int, ...]], NDArray[np.float32]]
"""Where an array of that name and shape is made: in memory or on disk."""


def in_memory(name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    del name  # memory has no names
    return np.empty(shape, np.float32)


def blocks(rows: int, size: int = BLOCK) -> Iterator[slice]:
    return (slice(start, min(start + size, rows)) for start in range(0, rows, size))


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
