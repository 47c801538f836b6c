"""Intervals by the stratified bootstrap: as if other seeds had been run.

    for each of B samples
        for each task, and each method of it, draw n of its n seeds with replacement
        compute the statistic of the drawn scores
    the interval of level 1 - a lies between the a/2 and the 1 - a/2 quantile of the B values

The tasks are strata: every sample has all of them, so an interval is about other seeds on these
tasks, never about other tasks. With ``paired`` the same seeds are drawn for all methods of a task,
which is right for differences between methods whose runs share their seeds.

Few seeds make such intervals too narrow: with n seeds the variance of a sample's mean is (n - 1)/n
of what it should be, and four scores have few different means.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from road.statistics.table import Floats, require_complete

Statistic = Callable[[Floats], Floats]
"""From ``scores[..., task, method, seed]`` to one value, or one array, for each leading index."""

SAMPLES = 10_000
BAND_SAMPLES = 2_000
"""A band is drawn, not quoted: fewer samples are enough for it."""
CONFIDENCE = 0.95
MOST_CELLS = 1_000_000
"""Scores that are held at a time; a block of samples has no more."""


@dataclass(frozen=True)
class Estimate:
    """A value, or an array of them, with the ends of its interval."""

    point: Floats
    low: Floats
    high: Floats

    def __getitem__(self, index: Any) -> "Estimate":
        """Some of the values, each with its interval."""
        point, low, high = (np.asarray(part[index]) for part in (self.point, self.low, self.high))
        return Estimate(point, low, high)


def bootstrap_estimate(
    statistic: Statistic,
    scores: Floats,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    *,
    paired: bool = False,
) -> Estimate:
    """The statistic of the scores themselves, with its percentile interval."""
    draws = bootstrap(statistic, scores, rng, samples, paired=paired)
    low, high = percentile_interval(draws, confidence)
    return Estimate(np.asarray(statistic(scores)), low, high)


def estimate_by_task(
    values: Floats,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    *,
    paired: bool = False,
) -> tuple[Estimate, Estimate]:
    """The means of ``values[task, method, seed]`` over seeds, and the means over tasks of those."""

    def means(drawn: Floats) -> Floats:
        by_task = drawn.mean(axis=-1)
        return np.concatenate([by_task, by_task.mean(axis=-2, keepdims=True)], axis=-2)

    found = bootstrap_estimate(means, values, rng, samples, confidence, paired=paired)
    return found[:-1], found[-1]


def bootstrap(
    statistic: Statistic,
    scores: Floats,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    *,
    paired: bool = False,
) -> Floats:
    """The statistic of each sample, samples along the first axis."""
    require_complete(scores)
    if samples < 1:
        raise ValueError(f"a bootstrap needs at least one sample, got {samples}")
    return np.concatenate(
        [statistic(block) for block in resampled(scores, rng, samples, paired=paired)]
    )


def resampled(
    scores: Floats, rng: np.random.Generator, samples: int, *, paired: bool
) -> Iterator[Floats]:
    """Samples of the scores in blocks ``[sample, task, method, seed]`` that fit into memory."""
    tasks, methods, seeds = scores.shape
    at_once = max(1, MOST_CELLS // scores.size)
    for done in range(0, samples, at_once):
        count = min(at_once, samples - done)
        drawn = rng.integers(seeds, size=(count, tasks, 1 if paired else methods, seeds))
        yield np.take_along_axis(scores[None], drawn, axis=-1)


def percentile_interval(draws: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
    """The quantiles that leave (1 - confidence) / 2 of the samples on either side."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie in (0, 1), got {confidence}")
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1.0 - tail], axis=0)
    return low, high


def curve_band(
    curves: Floats,
    rng: np.random.Generator,
    samples: int = BAND_SAMPLES,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The mean of ``curves[seed, step]`` over seeds, with a band that holds at each step by itself.

    Whole curves are drawn, n of n with replacement. The band says where the mean may lie at one
    step; that a mean stays inside it at all steps is less likely.
    """
    seeds = len(curves)
    if not seeds or not np.isfinite(curves).all():
        raise ValueError("a band needs at least one curve, and every curve at every step")
    shares = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=samples) / seeds
    low, high = percentile_interval(shares @ curves, confidence)
    return Estimate(curves.mean(axis=0), low, high)
