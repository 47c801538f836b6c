"""Draws places in proportion to their priorities, in time that grows like log N. NumPy only.

Every node holds the sum of the eight below it. A draw is a number between 0 and the total: it walks
down, past the children that it exceeds. All draws of a batch walk together, one level at a time.

A level costs a handful of NumPy calls whatever its width, so few wide levels beat many narrow ones:
seven of eight children each hold two million places, where pairs would need twenty-one.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

CHILDREN = 8


class SumTree:
    """Priorities of ``size`` places, all zero at first; a place of zero is never drawn.

    The sums are a function of the priorities alone: whatever was set before, and in whatever order,
    equal priorities give equal bits. Nothing drifts, and a checkpoint needs the priorities only.
    """

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"a sum tree needs at least one place, got {size}")
        self.size = size
        self._levels = [np.zeros((-(-size // CHILDREN), CHILDREN))]
        """From the places up: each row is the children of one entry of the level above."""
        while len(self._levels[-1]) > 1:
            self._levels.append(np.zeros((-(-len(self._levels[-1]) // CHILDREN), CHILDREN)))

    @property
    def priorities(self) -> NDArray[np.float64]:
        """Of all places, to read; ``set`` and ``fill`` change them."""
        view = self._levels[0].reshape(-1)[: self.size]
        view.flags.writeable = False
        return view

    @property
    def total(self) -> float:
        return float(sums(self._levels[-1])[0])

    def fill(self, priorities: NDArray[np.float64]) -> None:
        """Set the priorities of all places."""
        check(priorities)
        self._levels[0].reshape(-1)[: self.size] = priorities
        for below, above in pairwise(self._levels):
            above.reshape(-1)[: len(below)] = sums(below)

    def set(self, places: NDArray[np.int64], priorities: NDArray[np.float64]) -> None:
        """Set the priorities of some places; where one is named twice, its last one stays."""
        check(priorities)
        if len(places) and not 0 <= places.min() <= places.max() < self.size:
            raise IndexError(f"places must lie in 0..{self.size - 1}, got {places}")
        self._levels[0].reshape(-1)[places] = priorities
        for below, above in pairwise(self._levels):
            places = places // CHILDREN
            # From the children, not by a difference: rounding errors do not add up.
            above.reshape(-1)[places] = sums(below.take(places, axis=0))

    def find(self, mass: NDArray[np.float64]) -> NDArray[np.int64]:
        """The places at which the running sum of the priorities first exceeds each mass."""
        if not self.total > 0.0:
            raise ValueError("nothing can be drawn: every priority is zero")
        place, rest = np.zeros(len(mass), np.int64), mass
        draw = np.arange(len(mass))
        for level in reversed(self._levels):
            begins = running_sums(level.take(place, axis=0))
            # Rounding may have left a little more than there is; the last of it is meant then.
            rest = np.minimum(rest, np.nextafter(begins[-1], 0.0))
            child = (begins[1:] <= rest).sum(axis=0)
            rest = rest - begins[child, draw]
            place = place * CHILDREN + child
        return place

    def draw(self, groups: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Groups of places, each by strata: the total in ``count`` equal parts, a draw in each."""
        share = (np.arange(count) + rng.random((groups, count))) / count
        return self.find((share * self.total).ravel()).reshape(groups, count)


def sums(children: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each row: the end of the walk that ``find`` makes along it, to the last bit."""
    # Not np.add.reduce: how that groups its terms depends on the shape.
    return running_sums(children)[-1]


def running_sums(children: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where each child begins, and where the last one ends: one column per node."""
    begins = np.empty((CHILDREN + 1, len(children)))
    begins[0], begins[1:] = 0.0, children.T
    for before, row in pairwise(begins):
        row += before  # all nodes at once; np.add.accumulate takes almost twice as long
    return begins


def check(priorities: NDArray[np.float64]) -> None:
    if not (np.isfinite(priorities).all() and (priorities >= 0.0).all()):
        raise ValueError(f"priorities must be finite and 0 or more, got {priorities}")
