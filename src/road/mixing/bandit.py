"""A bandit: a memory of pulls and a way to choose among the arms.

The paper's (Eq. UCB) is the sliding-window UCB of Garivier & Moulines (2008, arXiv:0805.3415).
After k finished pulls, with N_i and mean_i taken over the last tau of them,

    choose   argmax_i  mean_i + sqrt(c · log(min(k, tau)) / N_i)

Differs from the ROAD paper's text: N_i counts the pulls in the window, as in the cited algorithm,
not "up to period k"; with total counts a forgotten arm would have no mean and a shrinking bonus.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.mixing.choice import Thompson, UpperBounds
from road.mixing.memory import Discounted, Faded, Window, Windowed
from road.mixing.standing import Scale, Standing, Trend, standing_of

Pulls = Window | Faded
"""What a bandit remembers. Plain data: JSON as it stands, and of constant size."""

NO_DRAW = (0, 0)


@dataclass(frozen=True)
class Weighed:
    """The arms as they are compared: mean over unit, plus bonus."""

    standing: Standing
    unit: float
    """What a reward is divided by before it meets the bonus."""
    bonuses: list[float]

    @property
    def bounds(self) -> list[float]:
        """Infinite for an arm of which nothing is remembered."""
        arms = zip(self.standing.counts, self.standing.means, self.bonuses, strict=True)
        return [mean / self.unit + bonus if n > 0 else math.inf for n, mean, bonus in arms]

    @property
    def favourite(self) -> int:
        """The arm of the greatest bound."""
        bounds = self.bounds
        return bounds.index(max(bounds))


@dataclass(frozen=True)
class Bandit:
    """Any memory with any choice.

    An arm of which no pull is remembered is chosen before any other; ties go to the lowest index.
    """

    memory: Windowed | Discounted
    choice: UpperBounds | Thompson
    scale: Scale = "raw"
    """Unit of the rewards: as they are, or the standard deviation of those remembered."""
    trend: Trend = "kept"
    """Whether a drift that all arms share stays in their means."""

    def __post_init__(self) -> None:
        if self.scale not in ("raw", "standardised"):
            raise ValueError(f"scale must be 'raw' or 'standardised', got {self.scale!r}")
        if self.trend not in ("kept", "removed"):
            raise ValueError(f"trend must be 'kept' or 'removed', got {self.trend!r}")

    def init(self) -> Any:
        return self.memory.init()

    def record(self, pulls: Any, arm: int, reward: float) -> Any:
        """The memory after one more pull; the one before it stays as it was."""
        return self.memory.record(pulls, arm, reward)

    def choose(self, pulls: Any, seed: int = 0) -> int:
        """The arm to pull next; a choice that draws does so by the seed and the pulls so far."""
        return self.weigh(pulls, (seed, pulls["finished"])).favourite

    def weigh(self, pulls: Any, draw: tuple[int, int]) -> Weighed:
        """How the arms compare; ``draw`` is what chance, if there is any, goes by."""
        times = self.memory.times(pulls) if self.trend == "removed" else None
        standing = standing_of(self.memory.sums(pulls), times)
        spread = standing.spread if self.scale == "standardised" else 0.0
        unit = spread if spread > 0.0 else 1.0
        return Weighed(standing, unit, self.choice.bonuses(standing, unit, draw))


@dataclass(frozen=True)
class SlidingWindowUCB:
    """The paper's bandit: upper confidence bounds over the most recent pulls."""

    num_arms: int
    exploration: float = 2.0
    """c: how much an arm is favoured for having been tried little."""
    window: int | None = 1000
    """tau: pulls that count; None keeps every pull (the paper's tau = k)."""
    scale: Scale = "raw"
    """Unit of the rewards: as they are, or their standard deviation in the window."""

    def __post_init__(self) -> None:
        _ = self.bandit  # check the settings

    @cached_property
    def bandit(self) -> Bandit:
        memory = Windowed(self.num_arms, self.window)
        return Bandit(memory, UpperBounds(self.exploration), self.scale)

    def init(self) -> Window:
        return self.bandit.init()

    def record(self, pulls: Window, arm: int, reward: float) -> Window:
        """The memory after one more pull; constant work, whatever k is."""
        return self.bandit.record(pulls, arm, reward)

    def choose(self, pulls: Window) -> int:
        """The arm of greatest mean reward plus exploration bonus."""
        return self.weigh(pulls).favourite

    def upper_bounds(self, pulls: Window) -> NDArray[np.float64]:
        """Mean plus bonus per arm; infinite for an arm that the window does not hold."""
        return np.array(self.weigh(pulls).bounds)

    def means(self, pulls: Window) -> NDArray[np.float64]:
        """Mean reward per arm, in the reward's own unit; NaN without a pull."""
        return np.array(self.weigh(pulls).standing.means)

    def bonuses(self, pulls: Window) -> NDArray[np.float64]:
        """Exploration bonus per arm; NaN without a pull."""
        return np.array(self.weigh(pulls).bonuses)

    def unit(self, pulls: Window) -> float:
        """What a reward is divided by before it meets the bonus."""
        return self.weigh(pulls).unit

    def weigh(self, pulls: Window) -> Weighed:
        return self.bandit.weigh(pulls, NO_DRAW)
