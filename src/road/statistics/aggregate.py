"""Aggregates over all tasks and runs of a method (Agarwal et al. 2021, arXiv:2108.13264).

With x[t, s] the score of a method on task t with seed s, T tasks and n seeds:

    mean             1/T sum_t  1/n sum_s x[t, s]
    median           the median over t of  1/n sum_s x[t, s]
    IQM              the mean of what is left of all T n scores without the lowest and the highest
                     quarter; floor(T n / 4) are cut at either end
    optimality gap   the mean over t and s of max(0, target - x[t, s])

The mean is moved by one task of large scores, the median by none but the middle ones. The IQM
lies between them, and needs fewer seeds than the median for the same certainty.

Two functions keep more than one number. With x and y the scores of two methods,

    profile(y)       1/T sum_t  1/n sum_s [x[t, s] > y]                                  (Eq. 4)
    P(X > Y)         1/T sum_t  1/n² sum_s sum_r ( [x[t, s] > y[t, r]] + ½ [x[t, s] = y[t, r]] )

A method whose profile lies above another's at every threshold is better in every quantile; where
two profiles cross, one is better at the top and the other at the bottom. The probability of
improvement (Section 4.2, the Mann-Whitney statistic) says how often, not by how much: 1 may be a
small margin on every task. At 0.5 neither is better.

Axes before ``[task, method, seed]`` are kept: a thousand samples are aggregated in one call.
"""

import numpy as np

from road.statistics.resampling import (
    BAND_SAMPLES,
    CONFIDENCE,
    SAMPLES,
    Estimate,
    bootstrap_estimate,
)
from road.statistics.table import Floats

TARGET = 100.0
"""The score of an expert, on the scale that D4RL and the paper use."""


def mean(scores: Floats) -> Floats:
    """The mean over tasks of the mean over seeds, for each method."""
    return scores.mean(axis=(-3, -1))


def median(scores: Floats) -> Floats:
    """The median over tasks of the mean over seeds, for each method."""
    return np.median(scores.mean(axis=-1), axis=-2)


def interquartile_mean(scores: Floats) -> Floats:
    """The mean of the middle half of all scores of a method, tasks and seeds in one pool."""
    pooled = np.moveaxis(scores, -2, -3)
    pooled = pooled.reshape(*pooled.shape[:-2], -1)
    runs = pooled.shape[-1]
    cut = runs // 4
    if cut:
        pooled = np.partition(pooled, (cut, runs - cut - 1), axis=-1)
    return pooled[..., cut : runs - cut].mean(axis=-1)


def optimality_gap(scores: Floats, target: float = TARGET) -> Floats:
    """How far a method falls short of the target, on average; scores above it earn nothing."""
    return np.maximum(target - scores, 0.0).mean(axis=(-3, -1))


def performance_profile(scores: Floats, thresholds: Floats) -> Floats:
    """The share of runs above each threshold, ``[..., threshold, method]``; thresholds ascend."""
    if not np.all(np.diff(thresholds) > 0):
        raise ValueError("the thresholds of a profile must be given in ascending order")
    *leading, tasks, methods, seeds = scores.shape
    bins = len(thresholds) + 1
    passed = np.searchsorted(thresholds, np.moveaxis(scores, -2, -3)).reshape(-1, tasks * seeds)
    place = passed + bins * np.arange(len(passed))[:, None]
    counts = np.bincount(place.ravel(), minlength=bins * len(passed)).reshape(-1, bins)
    above = np.cumsum(counts[:, ::-1], axis=1)[:, -2::-1] / (tasks * seeds)
    return np.swapaxes(above.reshape(*leading, methods, len(thresholds)), -1, -2)


def estimate_profile(
    scores: Floats,
    thresholds: Floats,
    rng: np.random.Generator,
    samples: int = BAND_SAMPLES,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The profile with a band that holds at each threshold by itself."""
    return bootstrap_estimate(
        lambda drawn: performance_profile(drawn, thresholds), scores, rng, samples, confidence
    )


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
