"""What the remembered pulls say of the arms: means, spread, noise, with or without their trend.

While an agent learns its credits drift, and whatever was pulled later looks better. A line through
all credits would take the arms' own differences for drift, since better arms are pulled later. So
the slope is taken from inside the arms (analysis of covariance):

    credit = arm + b · time + noise
    b      = sum over arms of S_tr / sum over arms of S_tt        deviations from the arm's means
    mean_i = credit_i - b · (time_i - time)                       compared at one common time

which is what least squares gives with a column per arm and one for time. A drift that all share
then changes nothing at all. Until an arm has been pulled twice nothing tells the arms from the
drift, and all stand alike.
"""

import math
from typing import Literal, NamedTuple

from road.mixing.memory import Numbers, Sums, Times

Scale = Literal["raw", "standardised"]
Trend = Literal["kept", "removed"]

ROUNDING = 1e-12
"""A spread of this share of another is what rounding leaves of none."""


class Standing(NamedTuple):
    """How the arms stand; an entry per arm, NaN where no pull is remembered.

    Plain numbers, not arrays: for a handful of arms they are several times faster.
    """

    counts: Numbers
    means: list[float]
    """Mean reward, at the common time if the trend is taken out."""
    spread: float
    """Standard deviation of all rewards, whatever their arm."""
    noise: float
    """Standard deviation of a reward around its arm's mean, as far as it is known."""
    lead: list[float]
    """How much later than all pulls in the mean each arm was pulled; 0 where the trend is kept."""
    slope_error: float
    """Standard deviation of the slope, in units of the noise."""


def standing_of(sums: Sums, times: Times | None) -> Standing:
    """How the arms stand; given the times, with their common trend taken out."""
    means = per_pull(sums.totals, sums.counts)
    total, within = squared_deviations(sums)
    if times is None:
        spread, noise = spread_and_noise(sums.counts, total, within, fitted=0)
        return Standing(sums.counts, means, spread, noise, [0.0] * len(means), 0.0)
    line = line_within(sums, times)
    left = left_around(line, sums, total)
    if line.span == 0.0 or left <= ROUNDING * total:
        # Nothing is left but the trend, or what may be one; rounding must not tell arms apart.
        middle = sum(sums.totals) / max(sum(sums.counts), 1e-300)
        return Standing(
            sums.counts, [middle + 0.0 * mean for mean in means], 0.0, 0.0, line.lead, 0.0
        )
    within = max(within - line.slope * line.joint, 0.0)
    level = [mean - line.slope * at for mean, at in zip(means, line.lead, strict=True)]
    spread, noise = spread_and_noise(sums.counts, left, within, fitted=1)
    return Standing(sums.counts, level, spread, noise, line.lead, 1.0 / math.sqrt(line.span))


def squared_deviations(sums: Sums) -> tuple[float, float]:
    """Of all rewards from their mean, and of each from its arm's mean.

    Far from the origin the squares of equal rewards cancel but for rounding, which is no deviation.
    """
    shift = between = 0.0
    for count, total in zip(sums.counts, sums.totals, strict=True):
        if count > 0:
            above = total - count * sums.origin
            shift += above
            between += above * above / count
    whole = sums.squares - shift * shift / max(sum(sums.counts), 1e-300)
    within, nothing = sums.squares - between, ROUNDING * sums.squares
    return (whole if whole > nothing else 0.0), (within if within > nothing else 0.0)


class Line(NamedTuple):
    """The trend that all arms share, from deviations inside them."""

    lead: list[float]
    joint: float
    """S_tr, summed over the arms."""
    span: float
    """S_tt, summed over the arms; 0 where no arm was pulled twice, which leaves no slope."""
    slope: float
    """b."""


def line_within(sums: Sums, times: Times) -> Line:
    """From running sums: S_tr = sum t·r - mean t · sum r, and S_tt likewise."""
    middles, joint, span, size = per_pull(times.totals, sums.counts), 0.0, 0.0, 0.0
    for arm, count in enumerate(sums.counts):
        if count > 0:
            square, middle = times.squares[arm], middles[arm]
            size += square
            span += square - middle * times.totals[arm]
            joint += times.products[arm] - middle * (sums.totals[arm] - count * sums.origin)
    if span <= ROUNDING * size:
        joint = span = 0.0
    common = sum(times.totals) / max(sum(sums.counts), 1e-300)
    lead = [middle - common for middle in middles]
    return Line(lead, joint, span, joint / span if span > 0.0 else 0.0)


def left_around(line: Line, sums: Sums, total: float) -> float:
    """The squared deviations of all rewards once b · time is taken out of them."""
    joint, span = line.joint, line.span
    for count, lead, rewards in zip(sums.counts, line.lead, sums.totals, strict=True):
        if count > 0:
            joint += lead * (rewards - count * sums.origin)
            span += count * lead * lead
    return total - 2.0 * line.slope * joint + line.slope * line.slope * span


def spread_and_noise(
    counts: Numbers, total: float, within: float, fitted: int
) -> tuple[float, float]:
    """Standard deviations of all rewards, and within arms.

    The noise begins with one observation of the whole spread: without it nothing would be known
    before an arm is pulled twice. ``fitted`` counts what was fitted beside the arms' means.
    """
    known = sum(counts)
    freedom = known - len(counts) + counts.count(0) - fitted
    prior = total / max(known - 1.0, 1.0)
    noise = math.sqrt((prior + within) / (1.0 + max(freedom, 0.0)))
    return math.sqrt(total / known) if known >= 2 else 0.0, noise


def per_pull(values: Numbers, counts: Numbers) -> list[float]:
    pairs = zip(values, counts, strict=True)
    return [value / count if count > 0 else math.nan for value, count in pairs]
