"""How an arm is chosen, given how the arms stand: by upper confidence bounds, or by a draw.

    ucb        mean_i + sqrt(c · log(known) / N_i),   known = min(k, tau), or the faded k
    thompson   a draw from the posterior of every arm's mean

The posterior is normal, with the noise that is seen within arms. Its prior is flat: it says nothing
of a mean before the first pull, so an arm without one is chosen first, as with bounds. Of the noise
it says one observation's worth: as large as the whole spread. Where the trend is taken out, the
slope is drawn too, once for all arms.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from road.mixing.standing import Floats, Standing, per_pull

ChoiceName = Literal["ucb", "thompson"]


@dataclass(frozen=True)
class UpperBounds:
    """The more an arm was tried, the less is added to its mean."""

    exploration: float = 2.0
    """c."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.exploration < math.inf:
            raise ValueError(f"exploration (c) must be 0 or more, got {self.exploration}")

    def bonuses(self, standing: Standing, unit: float, draw: tuple[int, int]) -> Floats:
        """What is added to each mean, in units of ``unit``; NaN without a pull."""
        del unit, draw  # the bonus is what the unit is compared with, and nothing is drawn
        known = max(standing.known, 1.0)
        return np.sqrt(per_pull(self.exploration * math.log(known), standing.counts))


@dataclass(frozen=True)
class Thompson:
    """An arm is as likely to be chosen as it is to be the best."""

    def bonuses(self, standing: Standing, unit: float, draw: tuple[int, int]) -> Floats:
        """How far each draw lies above its mean, in units of ``unit``; NaN without a pull."""
        normal = np.random.default_rng(draw).normal(size=len(standing.counts) + 1)
        error = normal[:-1] / np.sqrt(per_pull(1.0, standing.counts) ** -1)
        tilt = normal[-1] * standing.slope_error * standing.lead
        # Credits that are all alike prefer no arm: then the draw alone decides.
        return (standing.noise or 1.0) * (error - tilt) / unit
