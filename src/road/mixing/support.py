"""Which ratio fresh transitions support, and what that says about the logs.

Judged by the last half of a run's intervals, since probes begin as the same agent. With B and R the
mixer's weights of the two judges, and 1 and K the lowest and the highest ratio,

    y_k = (B · log bellman_k + R · log return_k) / (B + R)     of every interval
    d_k = mean of y_k - y_1, with a t-interval of 98 % over the means of eight equal stretches

    offline data helps until the end   d_k < 0 with its whole interval, for the k of least error
    the logs are misleading here       else: d_K > preference · (r_K - r_1) with its whole interval,
                                       and k is in the lowest quarter of the ratios' range
    no clear preference                else

Stretches, since neighbouring intervals are alike. With five probes a rule of five comparisons, each
wrong on its side once in a hundred times, is wrong in at most 5 % of runs whose stretches are
independent. The allowance is the mixer's: errors on the policy's own transitions lean towards
online data, so a small disadvantage of offline data is no evidence against the logs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from road.mixing.probe_errors import relative_logs

STRETCHES = 8
QUANTILE = 2.998
"""Of Student's t with seven degrees of freedom, at 99 %."""
FEWEST = 2 * STRETCHES
LEVEL = "98 %"

Logs: TypeAlias = Literal[
    "offline data helps until the end", "the logs are misleading here", "no clear preference"
]


@dataclass(frozen=True)
class Difference:
    """Of a probe's mean log error from that of the lowest ratio's probe."""

    ratio: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Support:
    """What the errors of the probes say after a run."""

    ratio: float | None
    """The probe of least mean error; None where intervals are too few."""
    logs: Logs | None
    differences: tuple[Difference, ...]
    """Of every probe from the lowest ratio's, which comes first."""
    sentence: str


def support(
    ratios: Sequence[float],
    errors: Mapping[str, ArrayLike],
    weights: Mapping[str, float],
    preference: float = 0.0,
) -> Support:
    """Judge the recorded errors.

    Args:
        ratios: Of the probes.
        errors: By judge, a row per interval and a column per probe; NaN where it did not judge.
        weights: Of the judges, as the mixer weighs them.
        preference: Log error by which a ratio of 1 may exceed a ratio of 0, the mixer's own.
    """
    order = np.argsort(ratios)
    judged = combined(errors, weights)[:, order]
    if len(judged) < FEWEST:
        words = (
            f"{len(judged)} intervals with errors of the probes are too few to say which ratio "
            f"fresh transitions support, it takes {FEWEST}"
        )
        return Support(None, None, (), words)
    late = judged[len(judged) // 2 :]
    differences = compare(np.asarray(ratios, np.float64)[order], late)
    best = differences[int(late.mean(axis=0).argmin())]
    return conclude(best, differences, preference)


def combined(errors: Mapping[str, ArrayLike], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Weighted relative log errors of the intervals that every judge with a weight judged."""
    heeded = {judge: weight for judge, weight in weights.items() if weight > 0.0}
    parts = [
        weight * relative_logs(np.asarray(errors[judge], np.float64)) / sum(heeded.values())
        for judge, weight in heeded.items()
    ]
    total = np.sum(parts, axis=0)
    return total[np.isfinite(total).all(axis=1)]


def compare(ratios: NDArray[np.float64], late: NDArray[np.float64]) -> tuple[Difference, ...]:
    against = late - late[:, :1]
    means = np.array([part.mean(axis=0) for part in np.array_split(against, STRETCHES)])
    centre = means.mean(axis=0)
    half = QUANTILE * means.std(axis=0, ddof=1) / math.sqrt(STRETCHES)
    cells = zip(ratios, centre, centre - half, centre + half, strict=True)
    return tuple(Difference(*map(float, cell)) for cell in cells)


def conclude(best: Difference, differences: tuple[Difference, ...], preference: float) -> Support:
    lowest, highest = differences[0], differences[-1]
    allowed = preference * (highest.ratio - lowest.ratio)
    shown = best if best.ratio > lowest.ratio else highest
    logs: Logs = "no clear preference"
    if best.high < 0.0:
        logs = "offline data helps until the end"
    elif highest.low > allowed and best.ratio - lowest.ratio <= (highest.ratio - lowest.ratio) / 4:
        logs, shown = "the logs are misleading here", highest
    reason = (
        f"errors at m = {shown.ratio:g} are {factor(shown.mean)} times those at "
        f"m = {lowest.ratio:g}, {LEVEL} interval {interval(shown)}"
    )
    if logs != "no clear preference":
        sentence = f"fresh transitions support m = {best.ratio:g}: {logs} ({reason})"
    else:
        allowance = f"; {factor(allowed)} times is allowed" if best is lowest and allowed else ""
        sentence = f"fresh transitions show {logs} ({reason}{allowance})"
    return Support(best.ratio, logs, differences, sentence)


def interval(difference: Difference) -> str:
    return f"{factor(difference.low)} to {factor(difference.high)}"


def factor(log: float) -> str:
    """A difference of logarithms as a multiple."""
    times = math.exp(log)
    return f"{times:.2f}" if times < 10.0 else f"{times:.0f}"
