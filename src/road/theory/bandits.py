"""Rivals of the sliding-window bandit, with its interface: ``init``, ``choose``, ``record``.

Discounted UCB forgets smoothly (Garivier & Moulines 2008, arXiv:0805.3415): with counts N_i and
sums in which each pull fades by a factor per pull,

    choose   argmax_i  mean_i + sqrt(c · log(sum N) / N_i)

Thompson sampling draws a mean for every arm from its normal posterior and takes the best; it
forgets nothing. Every state is plain data.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypedDict, runtime_checkable

import numpy as np

from road.mixing import Evidence, Mixture, Moment, UniformMixer


@runtime_checkable
class Bandit(Protocol):
    """What the drift study asks of a bandit; ``SlidingWindowUCB`` of the library has it too."""

    def init(self) -> Any: ...

    def choose(self, pulls: Any) -> int: ...

    def record(self, pulls: Any, arm: int, reward: float) -> Any: ...


class Faded(TypedDict):
    """Counts and sums of rewards, in which old pulls weigh less."""

    finished: int
    counts: list[float]
    totals: list[float]


def faded(pulls: Faded, arm: int, reward: float, keep: float) -> Faded:
    """The memory after one more pull, all earlier ones multiplied by ``keep``."""
    counts = [keep * count for count in pulls["counts"]]
    totals = [keep * total for total in pulls["totals"]]
    counts[arm] += 1.0
    totals[arm] += reward
    return Faded(finished=pulls["finished"] + 1, counts=counts, totals=totals)


def nothing_yet(num_arms: int) -> Faded:
    return Faded(finished=0, counts=[0.0] * num_arms, totals=[0.0] * num_arms)


@dataclass(frozen=True)
class DiscountedUCB:
    """Upper confidence bounds over fading memories."""

    num_arms: int
    exploration: float = 2.0
    """c."""
    keep: float = 0.99
    """What is left of a pull's weight one pull later."""

    def init(self) -> Faded:
        return nothing_yet(self.num_arms)

    def record(self, pulls: Faded, arm: int, reward: float) -> Faded:
        return faded(pulls, arm, reward, self.keep)

    def choose(self, pulls: Faded) -> int:
        counts = pulls["counts"]
        if min(counts) == 0.0:
            return counts.index(0.0)
        known = math.log(max(sum(counts), 1.0))
        bounds = [
            total / count + math.sqrt(self.exploration * known / count)
            for total, count in zip(pulls["totals"], counts, strict=True)
        ]
        return bounds.index(max(bounds))


@dataclass(frozen=True)
class ThompsonSampling:
    """A normal posterior for every arm, of which one draw decides."""

    num_arms: int
    noise: float = 0.5
    """Standard deviation of a reward around its mean, taken as known."""
    seed: int = 0

    def init(self) -> Faded:
        return nothing_yet(self.num_arms)

    def record(self, pulls: Faded, arm: int, reward: float) -> Faded:
        return faded(pulls, arm, reward, keep=1.0)

    def choose(self, pulls: Faded) -> int:
        """The prior is as wide as the noise: it counts as one pull at the middle, 1/2."""
        counts = np.asarray(pulls["counts"]) + 1.0
        means = (np.asarray(pulls["totals"]) + 0.5) / counts
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
