"""Performance profiles: the share of a method's runs that are better than a threshold.

    profile(y) = 1/T sum_t  1/n sum_s [x[t, s] > y]        (Agarwal et al. 2021, Eq. 4)

A method whose profile lies above another's at every threshold is better in every quantile. Where
two profiles cross, one is better at the top and the other at the bottom.
"""

import numpy as np

from road.statistics.checks import Floats
from road.statistics.resampling import CONFIDENCE, Estimate, bootstrap_estimate

SAMPLES = 2_000
"""A band is drawn, not quoted: fewer samples are enough for it."""


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
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The profile with a band that holds at each threshold by itself."""
    return bootstrap_estimate(
        lambda drawn: performance_profile(drawn, thresholds), scores, rng, samples, confidence
    )
