"""How an arm is chosen, given how the arms stand: by upper confidence bounds, or by a draw.

    ucb        mean_i + sqrt(c · log(known) / N_i),   known = min(k, tau), or the faded k
    thompson   a draw from the posterior of every arm's mean

The posterior is normal, with the noise that is seen within arms. Its prior is flat: it says nothing
of a mean before the first pull, so an arm without one is chosen first, as with bounds. Of the noise
it says one observation's worth: as large as the whole spread. Where the trend is taken out, the
slope is drawn too, once for all arms.
"""

import math
import random
from dataclasses import dataclass
from typing import Literal

from road.mixing.standing import Standing

ChoiceName = Literal["ucb", "thompson"]


@dataclass(frozen=True)
class UpperBounds:
    """The more an arm was tried, the less is added to its mean."""

    exploration: float = 2.0
    """c."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.exploration < math.inf:
            raise ValueError(f"exploration (c) must be 0 or more, got {self.exploration}")

    def bonuses(self, standing: Standing, unit: float, draw: tuple[int, int]) -> list[float]:
        """What is added to each mean, in units of ``unit``; NaN without a pull."""
        del unit, draw  # the bonus is what the unit is compared with, and nothing is drawn
        known = self.exploration * math.log(max(sum(standing.counts), 1.0))
        return [math.sqrt(known / n) if n > 0 else math.nan for n in standing.counts]


@dataclass(frozen=True)
class Thompson:
    """An arm is as likely to be chosen as it is to be the best."""

    def bonuses(self, standing: Standing, unit: float, draw: tuple[int, int]) -> list[float]:
        """How far each draw lies above its mean, in units of ``unit``; NaN without a pull."""
        chance = standard_normals(len(standing.counts) + 1, draw)
        tilt = chance.pop() * standing.slope_error
        # Credits that are all alike prefer no arm: then the draw alone decides.
        size = (standing.noise or 1.0) / unit
        arms = zip(standing.counts, standing.lead, chance, strict=True)
        return [
            size * (normal / math.sqrt(n) - tilt * lead) if n > 0 else math.nan
            for n, lead, normal in arms
        ]


def standard_normals(number: int, draw: tuple[int, int]) -> list[float]:
    """The same for the same draw."""
    seed, period = draw
    chance = random.Random((seed << 64) + period)  # costs less than a generator of NumPy's
    return [chance.gauss(0.0, 1.0) for _ in range(number)]
