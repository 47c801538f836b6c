"""Two methods compared seed by seed.

Runs of one task and one seed begin from the same pretrained agent and the same first states. What
they share drops out of the difference

    d[t, s] = x[t, s] - y[t, s]

so a comparison by pairs is sharper than one of two means, if the seeds matter at all. Reported are
the mean over seeds for each task, and the mean over tasks of those; intervals resample seeds within
tasks.

The p-value is that of a sign-flip test. If neither method is better, d[t, s] is as likely as its
negative: all 2^(T n) choices of signs give values that might as well have been seen. p is the share
of choices whose mean is at least as far from zero as the one seen, the seen one included. All
choices are counted if they are few; otherwise B of them are drawn and p = (1 + hits) / (1 + B).
Four seeds on one task cannot give less than 2 / 2^4 = 0.125, whatever the difference.
"""

from dataclasses import dataclass

import numpy as np

from road.statistics.checks import Floats, require_complete, require_methods
from road.statistics.resampling import CONFIDENCE, SAMPLES, Estimate, bootstrap_estimate

MOST_EXACT = 16
"""Up to 2^16 choices of signs are counted one by one."""
FLIPS = 100_000
"""p of 0.003 is then known to 0.0002, so that one close to a threshold stays on its side."""
AT_ONCE = 10_000
ROUNDING = 1e-12
"""Two means that differ by less than this share of the larger are the same number, rounded."""


@dataclass(frozen=True)
class PairedComparison:
    """How much better one method is than another; above zero, the first is better."""

    by_task: Estimate
    """A difference for each task."""
    overall: Estimate
    """The mean over tasks."""
    p: float
    """Of the overall difference, two-sided."""


def compare_paired(
    scores: Floats,
    first: int,
    second: int,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
) -> PairedComparison:
    """Compare two methods, given by their indices, whose seeds are pairs."""
    require_complete(scores)
    require_methods(scores, first, second)
    difference = scores[:, [first], :] - scores[:, [second], :]

    def each_task_and_all(drawn: Floats) -> Floats:
        by_task = drawn.mean(axis=(-2, -1))
        return np.concatenate([by_task, by_task.mean(axis=-1, keepdims=True)], axis=-1)

    found = bootstrap_estimate(each_task_and_all, difference, rng, samples, confidence)
    return PairedComparison(
        by_task=Estimate(found.point[:-1], found.low[:-1], found.high[:-1]),
        overall=Estimate(found.point[-1:], found.low[-1:], found.high[-1:]),
        p=sign_flip_p(difference, rng),
    )


def sign_flip_p(differences: Floats, rng: np.random.Generator, flips: int = FLIPS) -> float:
    """The share of sign choices that put the mean at least as far from zero as it is."""
    values = differences.ravel()
    seen = abs(values.sum())
    least = seen - ROUNDING * np.abs(values).sum()
    if len(values) <= MOST_EXACT:
        return float(np.mean(np.abs(all_signs(len(values)) @ values) >= least))
    hits = 0
    for done in range(0, flips, AT_ONCE):
        size = min(AT_ONCE, flips - done), len(values)
        drawn = rng.integers(2, size=size, dtype=np.int8) * 2.0 - 1.0
        hits += int(np.count_nonzero(np.abs(drawn @ values) >= least))
    return (1 + hits) / (1 + flips)


def all_signs(count: int) -> Floats:
    """Every choice of signs, a row each."""
    bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
    return bits * 2.0 - 1.0
