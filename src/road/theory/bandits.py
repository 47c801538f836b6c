"""Bandits whose arms move: the library's beside others, and regret against an oracle.

The sliding-window bandit is the library's own. Discounted UCB and Thompson sampling are only here,
for comparison. Rewards are coin flips, so Thompson sampling knows the noise and a prior mean, 1/2.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from road.mixing import Context, Evidence, SlidingWindowUCB, UniformMixer
from road.mixing.bandit import Pulls
from road.mixing.period import finish_period

Means = Float[np.ndarray, "time arm"]
"""The mean reward of every arm at every time."""

LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


@runtime_checkable
class Bandit(Protocol):
    """The interface of the studies; ``SlidingWindowUCB`` of the library has it."""

    def init(self) -> Any: ...

    def choose(self, pulls: Any) -> int: ...

    def record(self, pulls: Any, arm: int, reward: float) -> Any: ...


FORGOTTEN = 1e-100
"""An arm whose pulls have faded to less than this has none."""


@dataclass(frozen=True)
class DiscountedUCB:
    """Every pull counts, the less the older it is (Garivier & Moulines 2008)."""

    num_arms: int
    exploration: float
    discount: float
    """What is left of a pull's weight one pull later."""

    def init(self) -> dict[str, list[float]]:
        return {"counts": [0.0] * self.num_arms, "totals": [0.0] * self.num_arms}

    def record(
        self, pulls: dict[str, list[float]], arm: int, reward: float
    ) -> dict[str, list[float]]:
        counts = [self.discount * count for count in pulls["counts"]]
        totals = [self.discount * total for total in pulls["totals"]]
        counts[arm] += 1.0
        totals[arm] += reward
        return {"counts": counts, "totals": totals}

    def choose(self, pulls: dict[str, list[float]]) -> int:
        """The greatest mean plus bonus; an arm without a pull comes first."""
        counts = [0.0 if count < FORGOTTEN else count for count in pulls["counts"]]
        known = self.exploration * math.log(max(sum(counts), 1.0))
        bounds = [
            total / count + math.sqrt(known / count) if count else math.inf
            for count, total in zip(counts, pulls["totals"], strict=True)
        ]
        return bounds.index(max(bounds))


@dataclass(frozen=True)
class ThompsonSampling:
    """Normal posteriors: the arm with the greatest posterior sample is chosen."""

    num_arms: int
    noise: float = 0.5
    """Standard deviation of a reward around its mean, assumed known."""
    seed: int = 0

    @cached_property
    def every_pull(self) -> SlidingWindowUCB:
        """It counts the pulls and forgets none."""
        return SlidingWindowUCB(self.num_arms, window=None)

    def init(self) -> Pulls:
        return self.every_pull.init()

    def record(self, pulls: Pulls, arm: int, reward: float) -> Pulls:
        return self.every_pull.record(pulls, arm, reward)

    def choose(self, pulls: Pulls) -> int:
        """The prior has the variance of one reward: it counts as one pull with reward 1/2."""
        counts = np.asarray(pulls["counts"]) + 1.0
        means = (np.asarray([high + low for high, low in pulls["totals"]]) + 0.5) / counts
        rng = np.random.default_rng([self.seed, pulls["finished"]])
        return int(np.argmax(means + self.noise / np.sqrt(counts) * rng.normal(size=len(counts))))


@dataclass(frozen=True)
class UniformChoice:
    """The library's uniform mixer with the interface of a bandit."""

    num_arms: int
    seed: int = 0

    @cached_property
    def mixer(self) -> UniformMixer:
        return UniformMixer(tuple(np.linspace(0.0, 1.0, self.num_arms).tolist()))

    def init(self) -> Any:
        return self.mixer.init(self.seed)

    def choose(self, pulls: Any) -> int:
        return self.mixer.arms.index(self.mixer.propose(pulls, Context()).offline_ratio)

    def record(self, pulls: Any, arm: int, reward: float) -> Any:
        del arm  # it draws without looking
        decision = self.mixer.propose(pulls, Context())
        return self.mixer.observe(
            pulls, finish_period(0, decision, Evidence(credit=reward), ratio_before=None)
        )


def abrupt(horizon: int, breaks: int, rng: np.random.Generator) -> Means:
    """Five means that are permuted at each break; the best arm always changes."""
    means = np.empty((horizon, len(LEVELS)))
    best = -1
    for piece in np.array_split(np.arange(horizon), breaks + 1):
        order = rng.permutation(len(LEVELS))
        while order.argmax() == best:
            order = rng.permutation(len(LEVELS))
        best = int(order.argmax())
        means[piece] = np.array(LEVELS)[order]
    return means


def slow(horizon: int, turns: float, rng: np.random.Generator) -> Means:
    """Every arm's mean is a sine, with equally spaced phases."""
    angle = 2.0 * np.pi * (turns * np.arange(horizon)[:, None] / horizon + rng.random())
    arms = len(LEVELS)
    return 0.5 + 0.4 * np.sin(angle + 2.0 * np.pi * np.arange(arms) / arms)


def coin_rewards(means: Means, rng: np.random.Generator) -> Means:
    """A reward of 0 or 1 for every arm at every time."""
    return (rng.random(means.shape) < means).astype(np.float64)


def play(bandit: Bandit, rewards: Means) -> list[int]:
    """The arms that the bandit chooses."""
    pulls, chosen = bandit.init(), []
    for row in rewards.tolist():
        arm = bandit.choose(pulls)
        pulls = bandit.record(pulls, arm, row[arm])
        chosen.append(arm)
    return chosen


def dynamic_regret(means: Means, chosen: list[int]) -> Float[np.ndarray, " time"]:
    """Cumulative expected regret against the oracle that always knows the best arm."""
    got = means[np.arange(len(means)), chosen]
    return np.cumsum(means.max(1) - got)


def best_single_arm(means: Means) -> list[int]:
    """Always the arm that is best over the whole time."""
    return [int(means.sum(0).argmax())] * len(means)


def growth(horizons: Float[np.ndarray, " size"], regret: Float[np.ndarray, " size"]) -> float:
    """The exponent of regret ~ T^exponent: the slope of a line through the logarithms."""
    return float(np.polyfit(np.log(horizons), np.log(regret), 1)[0])
