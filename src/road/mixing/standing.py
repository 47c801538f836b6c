"""What the remembered pulls say of the arms: means, spread, noise, with or without their trend.

While an agent learns its credits drift, and whatever was pulled later looks better. A line through
all credits would take the arms' own differences for drift, since better arms are pulled later. So
the slope is taken from inside the arms (analysis of covariance):

    credit = arm + b · time + noise
    b      = sum over arms of S_tr / sum over arms of S_tt        deviations from the arm's means
    mean_i = credit_i - b · (time_i - time)                       compared at one common time

which is what least squares gives with a column per arm and one for time.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from road.mixing.memory import Sums

Scale = Literal["raw", "standardised"]
Trend = Literal["kept", "removed"]
Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""A spread of this share of another is what rounding leaves of none."""


@dataclass(frozen=True)
class Standing:
    """How the arms stand; NaN for an arm of which no pull is remembered."""

    counts: Floats
    means: Floats
    """Mean reward, at the common time if the trend is taken out."""
    spread: float
    """Standard deviation of all rewards, whatever their arm."""
    noise: float
    """Standard deviation of a reward around its arm's mean, as far as it is known."""
    lead: Floats
    """How much later than the common time an arm was pulled; 0 where the trend is kept."""
    slope_error: float
    """Standard deviation of the slope, in units of the noise."""

    @property
    def known(self) -> float:
        """min(k, tau), or what is left of k where pulls fade."""
        return float(self.counts.sum())


def standing_of(sums: Sums, trend: Trend) -> Standing:
    counts = np.array(sums.counts, np.float64)
    if trend == "removed":
        return trendless(sums, counts)
    means = per_pull(sums.totals, counts)
    total, within = squared_deviations(sums, counts, means)
    return Standing(
        counts=counts,
        means=means,
        spread=deviation(total, counts.sum()),
        noise=noise_of(total, within, counts, lost=0),
        lead=np.zeros_like(means),
        slope_error=0.0,
    )


def trendless(sums: Sums, counts: Floats) -> Standing:
    """The same with the arms' common slope taken out of every credit."""
    means, times = per_pull(sums.totals, counts), per_pull(sums.times, counts)
    above = means - sums.origin
    known = counts.sum()
    span = np.array(sums.squared_times, np.float64) - counts * times**2
    joint = np.array(sums.products) - counts * times * above
    span_within, joint_within = (float(np.nansum(part)) for part in (span, joint))
    common = weighted_mean(times, counts)
    lead = times - common

    # An arm that was pulled once has no slope; without any that was pulled twice there is none.
    enough = span_within > ROUNDING * (abs(common) + 1.0) ** 2 * max(known, 1.0)
    slope = joint_within / span_within if enough else 0.0
    total, within = squared_deviations(sums, counts, means)
    late = above - weighted_mean(above, counts)
    joint_total = joint_within + weighted_sum(lead * late, counts)
    span_total = span_within + weighted_sum(lead**2, counts)
    left = total - 2.0 * slope * joint_total + slope**2 * span_total
    inside = within - slope * joint_within
    if left <= ROUNDING * total:  # the trend was all there was
        left = inside = 0.0
    return Standing(
        counts=counts,
        means=means - slope * lead if left else np.where(counts > 0, common_mean(sums), np.nan),
        spread=deviation(left, known),
        noise=noise_of(left, inside, counts, lost=int(enough)),
        lead=lead,
        slope_error=1.0 / math.sqrt(span_within) if enough else 0.0,
    )


def squared_deviations(sums: Sums, counts: Floats, means: Floats) -> tuple[float, float]:
    """Of all rewards from their mean, and of each from its arm's mean."""
    above = means - sums.origin
    shift = weighted_sum(above, counts)
    known = max(float(counts.sum()), 1e-300)
    total = sums.squares - shift * shift / known
    within = sums.squares - weighted_sum(above * above, counts)
    return max(total, 0.0), max(within, 0.0)


def noise_of(total: float, within: float, counts: Floats, lost: int) -> float:
    """The pooled deviation within arms, begun with one observation of the whole spread.

    Without that observation nothing would be known before an arm is pulled twice.
    """
    known = float(counts.sum())
    freedom = max(known - np.count_nonzero(counts) - lost, 0.0)
    prior = total / max(known - 1.0, 1.0)
    return math.sqrt((prior + within) / (1.0 + freedom))


def per_pull(values: list[float] | list[int] | float, counts: Floats) -> Floats:
    return np.asarray(values, np.float64) / np.where(counts > 0, counts, np.nan)


def weighted_sum(values: Floats, counts: Floats) -> float:
    return float(np.nansum(counts * values))


def weighted_mean(values: Floats, counts: Floats) -> float:
    return weighted_sum(values, counts) / max(float(counts.sum()), 1e-300)


def common_mean(sums: Sums) -> float:
    return math.fsum(sums.totals) / max(math.fsum(sums.counts), 1e-300)


def deviation(squared: float, known: float) -> float:
    return math.sqrt(max(squared, 0.0) / known) if known >= 2 else 0.0
