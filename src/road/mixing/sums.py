"""Sums that can be taken back, and a ring that can be changed without copying all of it.

Both keep a bandit's memory pure and cheap: recording one more pull leaves the memory before it as
it was, and costs the same however many pulls there were.
"""

from typing import TypeVar

Item = TypeVar("Item")

ExactSum = list[float]
"""[high, low]: a sum held in two floats, so that what is added can be taken away again exactly."""
Ring = list[list[Item]]
"""The newest items, in chunks, so that replacing one copies a chunk and not the ring."""


def accumulate(total: ExactSum, value: float) -> ExactSum:
    """Knuth's two-sum: the rounding error of the addition is kept, not lost."""
    high, low = total
    added = high + value
    back = added - high
    error = (high - (added - back)) + (value - back)
    return [added, low + error]


def item_at(ring: Ring[Item], place: int, chunk: int) -> Item:
    return ring[place // chunk][place % chunk]


def put_at(ring: Ring[Item], place: int, item: Item, chunk: int) -> Ring[Item]:
    """The ring with an item in a place that it has, or in the first that it does not have yet."""
    row, column = divmod(place, chunk)
    if row == len(ring):
        return [*ring, [item]]
    after, changed = ring.copy(), ring[row].copy()
    changed[column : column + 1] = [item]
    after[row] = changed
    return after
