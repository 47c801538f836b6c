"""Which arrays of a list travel as one vector: the small ones of each kind of number.

Every array costs time of its own: about five microseconds on its way into or out of a compiled
function, and an operation of its own in the optimiser. A large array costs more to copy into a
vector than that saves. So arrays are joined or left as they are by their size alone, in the
compiled functions of an agent and in its optimisers alike; networks of 64-64 become one vector,
the inner layers of 256-256 stay as they are. ``python -m benchmarks.layout`` measures it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

MOST_JOINED = 16_384
"""Numbers of an array that still counts as small: a layer of 128-128."""


@dataclass(frozen=True)
class Packing:
    """The place of each array of a list; a group is one vector or one large array."""

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


def packing_of(arrays: Sequence[Any]) -> Packing:
    """Small arrays of one kind of number together, each large one by itself."""
    groups: dict[object, tuple[int, ...]] = {}
    for index, array in enumerate(arrays):
        small = math.prod(array.shape) <= MOST_JOINED
        name = array.dtype if small else index
        groups[name] = (*groups.get(name, ()), index)
    return Packing(tuple(array.shape for array in arrays), tuple(groups.values()))
