"""The only code that knows of two sources of data."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.mixing.mixture import Mixture
from road.replay.storage import OnlineBuffer

Places: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Of offline and of online rows, as shares of what each source holds, in [0, 1)."""


@dataclass(frozen=True)
class Stack:
    """Packed rows (update, batch, width) and how many of them are offline."""

    rows: NDArray[np.float32]
    offline_rows: int


@dataclass(frozen=True)
class MixedSampler:
    """Draws stacks of mini-batches from the offline rows and the online ring, with replacement."""

    offline: NDArray[np.float32]
    online: OnlineBuffer
    enough_online: int
    """While the ring holds fewer rows than this, every row comes from the offline data."""

    @property
    def waiting(self) -> bool:
        """Whether the online data is still too little to be drawn from."""
        return len(self.online) < max(self.enough_online, 1)

    def sample(
        self, mixture: Mixture, updates: int, batch_size: int, rng: np.random.Generator
    ) -> Stack:
        """A stack of that shape, whatever the ratio; every mini-batch has its own offline count."""
        uniform = rng.random((updates, batch_size + 1))
        # A fresh array each time: JAX may still be reading the last one.
        rows = np.empty((updates, batch_size, self.offline.shape[1]), np.float32)
        offline_rows = 0
        for update in range(updates):
            offline, online = self.places(mixture, uniform[update])
            gather(self.offline, len(self.offline), offline, rows[update, : len(offline)])
            gather(self.online.rows, len(self.online), online, rows[update, len(offline) :])
            offline_rows += len(offline)
        return Stack(rows, offline_rows)

    def places(self, mixture: Mixture, uniform: NDArray[np.float64]) -> Places:
        """Where the rows of one mini-batch are taken from, made of its own random numbers."""
        if mixture.pooled and not self.waiting:
            share = len(self.offline) / (len(self.offline) + len(self.online))
            return split_pool(uniform[:-1], share)
        count = offline_count(
            1.0 if self.waiting else mixture.offline_ratio, len(uniform) - 1, uniform[-1]
        )
        return uniform[:count], uniform[count:-1]

    def probe(
        self, size: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Rows of each source alone, offline first, to measure an agent on."""
        rows = np.empty((2, size, self.offline.shape[1]), np.float32)
        place = rng.random((2, size))
        gather(self.offline, len(self.offline), place[0], rows[0])
        gather(self.online.rows, len(self.online), place[1], rows[1])
        return rows[0], rows[1]


def offline_count(ratio: float, size: int, uniform: float) -> int:
    """Ratio times size, rounded up or down at random so that its mean is exact."""
    return int(ratio * size + uniform)


def split_pool(place: NDArray[np.float64], share: float) -> Places:
    """Places in one pool, of which that share is offline, as places in each of the two sources."""
    offline = place < share
    return place[offline] / share, (place[~offline] - share) / (1.0 - share)


def gather(
    source: NDArray[np.float32],
    filled: int,
    place: NDArray[np.float64],
    out: NDArray[np.float32],
) -> None:
    """Copy the rows at those places, given as shares of the filled part in [0, 1)."""
    if len(place):
        # Scaled floats are several times faster to draw than bounded integers, and as uniform to
        # within 2^-53. mode="clip" lets NumPy write into out directly; nothing is out of range.
        source.take((place * filled).astype(np.int64), axis=0, out=out, mode="clip")
