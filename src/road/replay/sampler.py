"""Draws mini-batches from the offline data and the replay buffer, at a ratio or by weight."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from road.mixing.mixture import Mixture
from road.replay.appraisal import Appraise, Consulting
from road.replay.buffer import OnlineBuffer

Places: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Of offline and of online transitions, as fractions of each source's size, in [0, 1)."""


@dataclass(frozen=True)
class Stack:
    """Packed transitions (update, batch, width) and how many of them are offline."""

    rows: NDArray[np.float32]
    offline_rows: int
    places: NDArray[np.int64] | None = None
    """Index of each transition (update, batch), as ``Weighing.draw`` gave it; None where they were
    drawn by a ratio."""


@runtime_checkable
class Weighing(Protocol):
    """A row weighting: draws each transition by a weight, and keeps the weights up to date."""

    def offline_mass(self) -> float:
        """The current offline share of the draws."""
        ...

    def draw(self, updates: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Indices (update, batch): offline transitions first, the replay buffer's after them."""
        ...

    def reweight(self, stack: Stack, counter: int) -> dict[str, NDArray[np.float32]]:
        """New weights for a stack that was trained on; returns metrics, one number per update."""
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that changes, for a checkpoint."""
        ...

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None: ...


@dataclass(frozen=True)
class MixedSampler:
    """Draws stacks of mini-batches from offline data and replay buffer, with replacement."""

    offline: NDArray[np.float32]
    online: OnlineBuffer
    enough_online: int
    """While the replay buffer holds fewer transitions than this, all are drawn offline."""
    weighing: Weighing | None = None
    """Draws the transitions of a mixture with priorities."""

    def offline_mass(self) -> float | None:
        """The offline share of all weights; None without a row weighting."""
        return None if self.weighing is None else self.weighing.offline_mass()

    @property
    def consults(self) -> bool:
        """Whether the row weighting asks the agent."""
        return isinstance(self.weighing, Consulting) and self.weighing.consults

    def waiting(self, mixture: Mixture) -> bool:
        """Whether there is too little online data to draw from."""
        return len(self.online) - mixture.held_back < max(self.enough_online, 1)

    def sample(
        self, mixture: Mixture, updates: int, batch_size: int, rng: np.random.Generator
    ) -> Stack:
        """A stack of that shape, whatever the ratio; every mini-batch has its own offline count."""
        if mixture.priorities is not None and not self.waiting(mixture):
            return self.sample_by_weight(updates, batch_size, rng)
        uniform = rng.random((updates, batch_size + 1))
        # A fresh array each time: JAX may still be reading the last one.
        rows = np.empty((updates, batch_size, self.offline.shape[1]), np.float32)
        drawable = self.online.older(mixture.held_back)
        offline_rows = 0
        for update in range(updates):
            offline, online = self.places(mixture, uniform[update])
            gather(self.offline, (0, len(self.offline)), offline, rows[update, : len(offline)])
            gather(self.online.rows, drawable, online, rows[update, len(offline) :])
            offline_rows += len(offline)
        return Stack(rows, offline_rows)

    def sample_by_weight(self, updates: int, batch_size: int, rng: np.random.Generator) -> Stack:
        if self.weighing is None:
            raise ValueError("a mixture with priorities needs a sampler with a row weighting")
        places = self.weighing.draw(updates, batch_size, rng)
        rows = np.empty((updates, batch_size, self.offline.shape[1]), np.float32)
        offline = places < len(self.offline)
        rows[offline] = self.offline[places[offline]]
        rows[~offline] = self.online.rows[places[~offline] - len(self.offline)]
        return Stack(rows, int(offline.sum()), places)

    def reweight(
        self, stack: Stack, counter: int, appraise: Appraise | None = None
    ) -> dict[str, NDArray[np.float32]]:
        """After the agent was trained on a stack: the row weighting updates its weights."""
        if self.weighing is None or stack.places is None:
            return {}
        if appraise is not None and isinstance(self.weighing, Consulting):
            self.weighing.consult(appraise)
        return self.weighing.reweight(stack, counter)

    def places(self, mixture: Mixture, uniform: NDArray[np.float64]) -> Places:
        """Where the transitions of one mini-batch come from, by its own random numbers."""
        waiting = self.waiting(mixture)
        if mixture.pooled and not waiting:
            share = len(self.offline) / (len(self.offline) + len(self.online))
            return split_pool(uniform[:-1], share)
        count = offline_count(
            1.0 if waiting else mixture.offline_ratio, len(uniform) - 1, uniform[-1]
        )
        return uniform[:count], uniform[count:-1]

    def probe(
        self, size: int, rng: np.random.Generator, held_back: int = 0
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Transitions of each source alone, offline first, to measure an agent on."""
        return rows_apart(self.offline, self.online, size, rng, held_back)


def rows_apart(
    offline: NDArray[np.float32],
    online: OnlineBuffer,
    size: int,
    rng: np.random.Generator,
    held_back: int = 0,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """That many transitions of each source, drawn uniformly."""
    rows = np.empty((2, size, offline.shape[1]), np.float32)
    place = rng.random((2, size))
    gather(offline, (0, len(offline)), place[0], rows[0])
    gather(online.rows, online.older(held_back), place[1], rows[1])
    return rows[0], rows[1]


def offline_count(ratio: float, size: int, uniform: float) -> int:
    """Ratio times size, rounded up or down at random so that its mean is exact."""
    return min(int(ratio * size + uniform), size)  # the sum may be rounded up to one too many


def split_pool(place: NDArray[np.float64], share: float) -> Places:
    """Places in one pool, of which that share is offline, as places in each of the two sources."""
    offline = place < share
    return place[offline] / share, (place[~offline] - share) / (1.0 - share)


def gather(
    source: NDArray[np.float32],
    drawable: tuple[int, int],
    place: NDArray[np.float64],
    out: NDArray[np.float32],
) -> None:
    """Copy the rows at those places, given as shares in [0, 1) of so many rows from a first one.

    Past the end it goes on at the beginning.
    """
    first, count = drawable
    if len(place):
        # Scaled floats are several times faster to draw than bounded integers, and as uniform to
        # within 2^-53. A mode other than "raise" lets NumPy write into out directly.
        index = (place * count).astype(np.int64) + first
        source.take(index, axis=0, out=out, mode="wrap" if first else "clip")
