"""An agent's arrays as few as possible: the small ones of a kind travel in one vector.

A compiled function pays for every array that goes in and comes out, some five microseconds, and an
agent of small networks has dozens of them. Large arrays go as they are: to move them costs more
than it saves.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import jax
import jax.numpy as jnp
from jaxtyping import Array

MOST_JOINED = 16_384
"""Numbers of an array that still counts as small: a layer of 128-128."""


@dataclass(frozen=True)
class Packing:
    """Where each array of a list is to be found; a group is one vector or one large array."""

    shapes: tuple[tuple[int, ...], ...]
    groups: tuple[tuple[int, ...], ...]
    """Indices of the arrays in each group, in order."""

    def pack(self, arrays: Sequence[Array]) -> list[Array]:
        return [
            arrays[group[0]]
            if len(group) == 1
            else jnp.concatenate([arrays[index].reshape(-1) for index in group])
            for group in self.groups
        ]

    def unpack(self, packed: Sequence[Array]) -> list[Array]:
        found: dict[int, Array] = {}
        for group, joined in zip(self.groups, packed, strict=True):
            sizes = [math.prod(self.shapes[index]) for index in group]
            for index, size, end in zip(group, sizes, accumulate(sizes), strict=True):
                whole = len(group) == 1
                part = joined if whole else jax.lax.slice(joined, (end - size,), (end,))
                found[index] = part.reshape(self.shapes[index])
        return [found[index] for index in range(len(self.shapes))]


def packing_of(arrays: Sequence[Array]) -> Packing:
    """Small arrays of one kind of number together, each large one by itself."""
    groups: dict[object, tuple[int, ...]] = {}
    for index, array in enumerate(arrays):
        small = math.prod(array.shape) <= MOST_JOINED
        name = array.dtype if small else index
        groups[name] = (*groups.get(name, ()), index)
    return Packing(tuple(array.shape for array in arrays), tuple(groups.values()))
