"""The paper's bandit: sliding-window UCB (Eq. UCB; Garivier & Moulines 2008, arXiv:0805.3415).

After k finished pulls, with N_i and mean_i taken over the last tau of them,

    choose   argmax_i  mean_i / unit + sqrt(c · log(min(k, tau)) / N_i)

An arm without a pull in the window comes first; ties go to the lowest index. The unit is 1 in the
paper, or the standard deviation of all credits in the window, so that c is on the scale of Q.

Differs from the ROAD paper's text: N_i counts the pulls in the window, as in the cited algorithm,
not "up to period k"; with total counts a forgotten arm would have no mean and a shrinking bonus.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

Scale = Literal["raw", "standardised"]
Sum = list[float]
"""[high, low]: a sum in two floats, so that what was added can be subtracted again exactly."""

LARGEST_CREDIT = 1e100  # far beyond any return, and its square is still a finite number
ROUNDING = 1e-12  # squared deviations below this share of the squares are rounding errors


class Pulls(TypedDict):
    """What the bandit remembers. Plain data: JSON as it is; at most tau pulls."""

    finished: int
    """k: pulls so far, forgotten ones included."""
    recent_arms: list[int]
    """A ring of the last tau pulls; empty where every pull is kept."""
    recent_rewards: list[float]
    counts: list[int]
    totals: list[Sum]
    """Sums of the credits in the window, per arm."""
    origin: float
    """The first credit; squares are taken around it so that a large mean does not drown them."""
    squares: Sum
    """Sum of (credit - origin)^2 over the window."""


class ArmStats(NamedTuple):
    """How the arms compare; one entry per arm, NaN without a pull in the window."""

    counts: list[int]
    means: list[float]
    bonuses: list[float]
    unit: float

    @property
    def bounds(self) -> list[float]:
        """Upper confidence bounds; infinite without a pull."""
        arms = zip(self.counts, self.means, self.bonuses, strict=True)
        return [mean / self.unit + bonus if n else math.inf for n, mean, bonus in arms]

    @property
    def best(self) -> int:
        """The arm of the greatest bound."""
        return max(range(len(self.counts)), key=self.bounds.__getitem__)


@dataclass(frozen=True)
class SlidingWindowUCB:
    """Upper confidence bounds over the most recent pulls; pure functions of ``Pulls``."""

    num_arms: int
    exploration: float = 2.0
    """c: UCB exploration coefficient."""
    window: int | None = 1000
    """tau: pulls that count; None keeps every pull (the paper's tau = k)."""
    scale: Scale = "raw"
    """Unit of a credit: 1, or the standard deviation of the credits in the window."""

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
        return {
            "finished": 0, "recent_arms": [], "recent_rewards": [], "counts": [0] * self.num_arms,
            "totals": [[0.0, 0.0]] * self.num_arms, "origin": 0.0, "squares": [0.0, 0.0],
        }  # fmt: skip

    def record(self, pulls: Pulls, arm: int, reward: float) -> Pulls:
        """The pulls after one more; constant work, whatever k is."""
        if not 0 <= arm < self.num_arms:
            raise ValueError(f"arm must lie in 0..{self.num_arms - 1}, got {arm}")
        if not abs(reward) <= LARGEST_CREDIT:
            raise ValueError(f"reward must be within ±{LARGEST_CREDIT:g}, got {reward}")
        now, arms, rewards = pulls["finished"], pulls["recent_arms"], pulls["recent_rewards"]
        after: Pulls = {
            **pulls, "finished": now + 1, "origin": pulls["origin"] if now else reward,
            "counts": list(pulls["counts"]), "totals": list(pulls["totals"]),
        }  # fmt: skip
        include(after, arm, reward, 1)
        if self.window is not None:
            slot = now % self.window
            if now >= self.window:
                include(after, arms[slot], rewards[slot], -1)
            after["recent_arms"] = [*arms[:slot], arm, *arms[slot + 1 :]]
            after["recent_rewards"] = [*rewards[:slot], reward, *rewards[slot + 1 :]]
        return after

    def choose(self, pulls: Pulls) -> int:
        """The arm to pull next."""
        return self.stats(pulls).best

    def stats(self, pulls: Pulls) -> ArmStats:
        """Means, bonuses and counts of the arms, as the choice compares them."""
        counts, totals = pulls["counts"], [high + low for high, low in pulls["totals"]]
        known = self.exploration * math.log(max(sum(counts), 1))
        spread = standard_deviation(pulls, totals) if self.scale == "standardised" else 0.0
        return ArmStats(
            counts=list(counts),
            means=[total / n if n else math.nan for total, n in zip(totals, counts, strict=True)],
            bonuses=[math.sqrt(known / n) if n else math.nan for n in counts],
            unit=spread if spread > 0.0 else 1.0,
        )


def include(pulls: Pulls, arm: int, credit: float, sign: Literal[1, -1]) -> None:
    """Add a pull to the sums, or take it away."""
    above = credit - pulls["origin"]
    pulls["counts"][arm] += sign
    pulls["totals"][arm] = accumulate(pulls["totals"][arm], sign * credit)
    pulls["squares"] = accumulate(pulls["squares"], sign * above * above)


def accumulate(total: Sum, value: float) -> Sum:
    """Knuth's two-sum: the rounding error of the addition is kept, not lost."""
    high, low = total
    added = high + value
    back = added - high
    return [added, low + ((high - (added - back)) + (value - back))]


def standard_deviation(pulls: Pulls, totals: list[float]) -> float:
    """Of all credits in the window, whatever their arm."""
    known, squares, shift = sum(pulls["counts"]), sum(pulls["squares"]), 0.0
    for total, n in zip(totals, pulls["counts"], strict=True):
        shift += total - n * pulls["origin"] if n else 0.0
    deviations = squares - shift * shift / max(known, 1)
    return math.sqrt(deviations / known) if deviations > ROUNDING * squares else 0.0
