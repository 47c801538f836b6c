"""Sliding-window UCB (Garivier & Moulines 2008, arXiv:0805.3415), the bandit of ROAD's Eq. UCB.

After k finished pulls, with N_i and mean_i taken over the last tau of them,

    choose   argmax_i  mean_i + sqrt(c · log(min(k, tau)) / N_i)

Differs from the ROAD paper's text: N_i counts the pulls in the window, as in the cited algorithm,
not "up to period k"; with total counts a forgotten arm would have no mean and a shrinking bonus.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from road.mixing.surrogate import check_finite

Scale = Literal["raw", "standardised"]

LARGEST_CREDIT = 1e100
"""Far beyond any return, and its square is still a number."""

ExactSum = list[float]
"""[high, low]: a sum held in two floats, so that what is added can be taken away again exactly."""


class Pulls(TypedDict):
    """What the bandit remembers. Plain data: JSON as it stands, and of constant size."""

    finished: int
    """k: pulls so far, forgotten ones included."""
    recent_arms: list[int]
    """A ring of the last tau arms; empty when every pull is kept."""
    recent_rewards: list[float]
    counts: list[int]
    totals: list[ExactSum]
    origin: float
    """The first reward; squares are taken around it so that a large mean does not drown them."""
    squares: ExactSum


@dataclass(frozen=True)
class SlidingWindowUCB:
    """Upper-confidence-bound arm selection over the most recent pulls.

    An arm with no pull inside the window is chosen before any other; ties go to the lowest index.
    """

    num_arms: int
    exploration: float = 2.0
    """c: how much an arm is favoured for having been tried little."""
    window: int | None = 1000
    """tau: pulls that count; None keeps every pull (the paper's tau = k)."""
    scale: Scale = "raw"
    """Unit of the rewards: as they are, or their standard deviation in the window."""

    def __post_init__(self) -> None:
        if self.num_arms < 1:
            raise ValueError(f"a bandit needs at least one arm, got num_arms={self.num_arms}")
        if not 0.0 <= self.exploration < math.inf:
            raise ValueError(f"exploration (c) must be 0 or more, got {self.exploration}")
        if self.window is not None and self.window < 1:
            raise ValueError(f"window (tau) must be 1 or more, or None, got {self.window}")
        if self.scale not in ("raw", "standardised"):
            raise ValueError(f"scale must be 'raw' or 'standardised', got {self.scale!r}")

    def init(self) -> Pulls:
        return Pulls(
            finished=0,
            recent_arms=[],
            recent_rewards=[],
            counts=[0] * self.num_arms,
            totals=[[0.0, 0.0] for _ in range(self.num_arms)],
            origin=0.0,
            squares=[0.0, 0.0],
        )

    def record(self, pulls: Pulls, arm: int, reward: float) -> Pulls:
        """The memory after one more pull; constant work, whatever k is."""
        if not 0 <= arm < self.num_arms:
            raise ValueError(f"arm must lie in 0..{self.num_arms - 1}, got {arm}")
        check_finite("credit", reward)
        if abs(reward) > LARGEST_CREDIT:
            raise ValueError(f"credit must be within ±{LARGEST_CREDIT:g}, got {reward}")
        after = copied(pulls)
        if after["finished"] == 0:
            after["origin"] = reward
        self.slide(after, arm, reward)
        include(after, arm, reward, sign=1)
        after["finished"] += 1
        return after

    def slide(self, pulls: Pulls, arm: int, reward: float) -> None:
        """Put the pull into the ring, and take out of the sums the one it displaces."""
        if self.window is None:
            return
        if pulls["finished"] < self.window:
            pulls["recent_arms"].append(arm)
            pulls["recent_rewards"].append(reward)
            return
        oldest = pulls["finished"] % self.window
        include(pulls, pulls["recent_arms"][oldest], pulls["recent_rewards"][oldest], sign=-1)
        pulls["recent_arms"][oldest] = arm
        pulls["recent_rewards"][oldest] = reward

    def choose(self, pulls: Pulls) -> int:
        """The arm of greatest mean reward plus exploration bonus."""
        return int(np.argmax(self.upper_bounds(pulls)))

    def upper_bounds(self, pulls: Pulls) -> NDArray[np.float64]:
        """Mean plus bonus per arm; infinite for an arm that the window does not hold."""
        bounds = self.means(pulls) / self.unit(pulls) + self.bonuses(pulls)
        return np.where(np.isnan(bounds), np.inf, bounds)

    def means(self, pulls: Pulls) -> NDArray[np.float64]:
        """Mean reward per arm, in the reward's own unit; NaN without a pull."""
        totals = np.array([high + low for high, low in pulls["totals"]])
        return per_pull(totals, pulls["counts"])

    def bonuses(self, pulls: Pulls) -> NDArray[np.float64]:
        """Exploration bonus per arm; NaN without a pull."""
        known = max(sum(pulls["counts"]), 1)  # min(k, tau)
        return np.sqrt(per_pull(self.exploration * math.log(known), pulls["counts"]))

    def unit(self, pulls: Pulls) -> float:
        """What a reward is divided by before it meets the bonus."""
        spread = standard_deviation(pulls) if self.scale == "standardised" else 1.0
        return spread if spread > 0.0 else 1.0


def standard_deviation(pulls: Pulls) -> float:
    """Spread of all rewards in the window, whatever their arm."""
    known = sum(pulls["counts"])
    if known < 2:
        return 0.0
    total = math.fsum(part for pair in pulls["totals"] for part in pair)
    shift = total / known - pulls["origin"]
    variance = sum(pulls["squares"]) / known - shift * shift
    return math.sqrt(max(variance, 0.0))


def per_pull(value: NDArray[np.float64] | float, counts: list[int]) -> NDArray[np.float64]:
    number = np.asarray(counts, np.float64)
    return value / np.where(number > 0, number, np.nan)


def include(pulls: Pulls, arm: int, reward: float, sign: Literal[1, -1]) -> None:
    """Add a pull to the sums, or take it away."""
    pulls["counts"][arm] += sign
    pulls["totals"][arm] = accumulate(pulls["totals"][arm], sign * reward)
    pulls["squares"] = accumulate(pulls["squares"], sign * (reward - pulls["origin"]) ** 2)


def accumulate(total: ExactSum, value: float) -> ExactSum:
    """Knuth's two-sum: the rounding error of the addition is kept, not lost."""
    high, low = total
    added = high + value
    back = added - high
    error = (high - (added - back)) + (value - back)
    return [added, low + error]


def copied(pulls: Pulls) -> Pulls:
    return Pulls(
        finished=pulls["finished"],
        recent_arms=pulls["recent_arms"].copy(),
        recent_rewards=pulls["recent_rewards"].copy(),
        counts=pulls["counts"].copy(),
        totals=pulls["totals"].copy(),
        origin=pulls["origin"],
        squares=pulls["squares"],
    )
