"""Rivals of the sliding-window bandit, with its interface: ``init``, ``choose``, ``record``.

The discounted one is the library's own, of ``road.mixing``. Thompson sampling is not: here rewards
are coins, so the noise is known and a mean is about 1/2 before the first pull, where the library
must learn the noise from the credits and takes no mean for granted. It forgets nothing.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from road.mixing import Evidence, Mixture, Moment, UniformMixer
from road.mixing.bandit import Bandit as MixingBandit
from road.mixing.choice import UpperBounds
from road.mixing.memory import Discounted, Window, Windowed


@runtime_checkable
class Bandit(Protocol):
    """What the drift study asks of a bandit; ``SlidingWindowUCB`` of the library has it too."""

    def init(self) -> Any: ...

    def choose(self, pulls: Any) -> int: ...

    def record(self, pulls: Any, arm: int, reward: float) -> Any: ...


def discounted_ucb(num_arms: int, exploration: float, discount: float) -> MixingBandit:
    """Upper confidence bounds over fading memories (Garivier & Moulines 2008)."""
    return MixingBandit(Discounted(num_arms, discount), UpperBounds(exploration))


@dataclass(frozen=True)
class ThompsonSampling:
    """A normal posterior for every arm, of which one draw decides."""

    num_arms: int
    noise: float = 0.5
    """Standard deviation of a reward around its mean, taken as known."""
    seed: int = 0

    @cached_property
    def memory(self) -> Windowed:
        return Windowed(self.num_arms, window=None)

    def init(self) -> Window:
        return self.memory.init()

    def record(self, pulls: Window, arm: int, reward: float) -> Window:
        return self.memory.record(pulls, arm, reward)

    def choose(self, pulls: Window) -> int:
        """The prior is as wide as the noise: it counts as one pull at the middle, 1/2."""
        sums = self.memory.sums(pulls)
        counts = np.asarray(sums.counts) + 1.0
        means = (np.asarray(sums.totals) + 0.5) / counts
        rng = np.random.default_rng([self.seed, pulls["finished"]])
        return int(np.argmax(means + self.noise / np.sqrt(counts) * rng.normal(size=len(counts))))


@dataclass(frozen=True)
class UniformChoice:
    """The library's uniform mixer, seen as a bandit."""

    num_arms: int
    seed: int = 0

    @cached_property
    def mixer(self) -> UniformMixer:
        return UniformMixer(tuple(np.linspace(0.0, 1.0, self.num_arms).tolist()))

    def init(self) -> Any:
        return self.mixer.init(self.seed)

    def choose(self, pulls: Any) -> int:
        return self.mixer.arms.index(self.mixer.propose(pulls, Moment()).offline_ratio)

    def record(self, pulls: Any, arm: int, reward: float) -> Any:
        return self.mixer.observe(pulls, Mixture(self.mixer.arms[arm]), Evidence(credit=reward))
