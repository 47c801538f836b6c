"""Two methods compared seed by seed, and whether the result holds.

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

Several tests at once are adjusted for their number (Holm 1979). For m tests, with p sorted from the
least to the greatest,

    adjusted p[i] = the greatest over k <= i of  min(1, (m - k + 1) p[k])

Calling those below 0.05 real is wrong about any of them in at most 5 % of such families of tests,
whatever the dependence between them. The least p is multiplied by m, the greatest by 1.

Whether the mean over T tasks depends on one of them: the least and the greatest of the T means

    mean without u = 1/(T - 1) sum over t != u of d[t]

Where zero lies between these two, one task decides the sign: whatever the interval over seeds, the
result is a statement about that task.
"""

from dataclasses import dataclass

import numpy as np

from road.statistics.resampling import CONFIDENCE, SAMPLES, Estimate, estimate_by_task
from road.statistics.table import Floats, require_methods

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
    require_methods(scores, (first, second), "a pair")
    difference = scores[:, [first], :] - scores[:, [second], :]
    by_task, overall = estimate_by_task(difference, rng, samples, confidence)
    return PairedComparison(by_task[:, 0], overall, sign_flip_p(difference, rng))


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


def holm_adjusted(p: Floats) -> Floats:
    """Each p adjusted for all of them, in the order in which they were given."""
    order = np.argsort(p)
    stepped = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def means_without_one(by_task: Floats) -> tuple[float, float]:
    """The least and the greatest mean of ``by_task`` when one task is left out."""
    if by_task.ndim != 1 or len(by_task) < 2:
        raise ValueError(f"two tasks or more are needed to leave one out, got {by_task.shape}")
    means = (by_task.sum() - by_task) / (len(by_task) - 1)
    return float(np.min(means)), float(np.max(means))
