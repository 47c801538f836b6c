"""One number per method from all of its runs on all tasks (Agarwal et al. 2021, arXiv:2108.13264).

With x[t, s] the score of a method on task t with seed s, T tasks and n seeds:

    mean             1/T sum_t  1/n sum_s x[t, s]
    median           the median over t of  1/n sum_s x[t, s]
    IQM              the mean of what is left of all T n scores without the lowest and the highest
                     quarter; floor(T n / 4) are cut at either end
    optimality gap   the mean over t and s of max(0, target - x[t, s])

The mean is moved by one task of large scores, the median by none but the middle ones. The IQM
stands between them, and needs fewer seeds than the median for the same certainty.

Axes before ``[task, method, seed]`` are kept: a thousand samples are aggregated in one call.
"""

import numpy as np

from road.statistics.checks import Floats

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
