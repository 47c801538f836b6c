"""Probability of improvement: how likely a run of X beats a run of Y on the same task.

    P(X > Y) = 1/T sum_t  1/n² sum_s sum_r ( [x[t, s] > y[t, r]] + ½ [x[t, s] = y[t, r]] )

the Mann-Whitney statistic, averaged over tasks (Agarwal et al. 2021, Section 4.2). It says how
often, not by how much: 1 may be a win by a hair on every task. 0.5 says that neither is better.
"""

import numpy as np

from road.statistics.checks import Floats
from road.statistics.resampling import CONFIDENCE, SAMPLES, Estimate, bootstrap_estimate


def probability_of_improvement(scores: Floats) -> Floats:
    """Row by column: how likely the row's method beats the column's, ``[..., method, method]``."""
    return np.stack(
        [against(scores, scores[..., method, :]) for method in range(scores.shape[-2])], axis=-1
    )


def against(scores: Floats, other: Floats) -> Floats:
    """How likely each method beats the scores ``other[..., task, seed]``."""
    # A win counts two and a tie one: two comparisons of bytes, where a mean of floats is slow.
    points = np.zeros(scores.shape, np.int16)
    for seed in range(other.shape[-1]):
        theirs = other[..., None, seed, None]
        points += scores > theirs
        points += scores >= theirs
    most = 2 * scores.shape[-3] * scores.shape[-1] * other.shape[-1]
    return points.sum(axis=-1).sum(axis=-2) / most


def estimate_improvement(
    scores: Floats,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The matrix with intervals; seeds are drawn for each method by itself."""
    return bootstrap_estimate(probability_of_improvement, scores, rng, samples, confidence)
