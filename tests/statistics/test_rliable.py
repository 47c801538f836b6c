"""Against the real rliable, fed the same scores: `make rliable` makes its environment."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rliable", reason="it has its own environment: make rliable")

from rliable import library, metrics

from road import statistics

TASKS, SEEDS, METHODS = 8, 5, ("road", "uniform", "fixed")
SAMPLES = 4_000
TOLERANCE = 5.0
"""Standard errors by which the ends of two bootstrapped intervals may differ."""
STEP = 1.0
"""The median of tied scores moves in such steps: half of 10 over 5 seeds."""


@pytest.fixture(autouse=True)
def seeded() -> None:
    np.random.seed(0)  # noqa: NPY002 -- rliable draws from the global generator


@pytest.fixture(params=["smooth", "tied"])
def scores(request: pytest.FixtureRequest) -> np.ndarray:
    """``scores[task, method, seed]``; whole numbers of successes make ties."""
    rng = np.random.default_rng(11)
    drawn = rng.normal([[[70.0], [62.0], [60.0]]], 20.0, (TASKS, len(METHODS), SEEDS))
    return drawn if request.param == "smooth" else np.clip(np.round(drawn / 10) * 10, 0, 100)


def as_rliable(scores: np.ndarray) -> dict[str, np.ndarray]:
    """Method to ``[seed, task]``."""
    return {name: scores[:, index].T for index, name in enumerate(METHODS)}


AGGREGATES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "mean": (statistics.mean, metrics.aggregate_mean),
    "median": (statistics.median, metrics.aggregate_median),
    "iqm": (statistics.interquartile_mean, metrics.aggregate_iqm),
    "gap": (
        lambda scores: statistics.optimality_gap(scores, 75.0),
        lambda scores: metrics.aggregate_optimality_gap(scores, 75.0),
    ),
}


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates_and_their_intervals_agree(name: str, scores: np.ndarray):
    ours, theirs = AGGREGATES[name]
    rng = np.random.default_rng(0)
    found = statistics.bootstrap_estimate(ours, scores, rng, SAMPLES)
    spread = statistics.bootstrap(ours, scores, rng, 1_000).std(axis=0)
    points, intervals = library.get_interval_estimates(
        as_rliable(scores), lambda drawn: np.array([theirs(drawn)]), reps=SAMPLES
    )
    for index, method in enumerate(METHODS):
        np.testing.assert_allclose(found.point[index], points[method][0], rtol=1e-12)
        ends = np.array([found.low[index], found.high[index]])
        np.testing.assert_allclose(
            ends, intervals[method][:, 0], atol=allowed(spread[index]) + STEP * (name == "median")
        )


def allowed(spread: float) -> float:
    """Five standard errors of the difference of two 2.5 % quantiles, by the normal distribution."""
    density = np.exp(-(1.96**2) / 2) / np.sqrt(2 * np.pi) / spread
    return TOLERANCE * np.sqrt(2 * 0.025 * 0.975 / SAMPLES) / density


def test_profiles_and_their_bands_agree(scores: np.ndarray):
    thresholds = np.linspace(0.0, 120.0, 13)
    found = statistics.estimate_profile(scores, thresholds, np.random.default_rng(0))
    points, bands = library.create_performance_profile(as_rliable(scores), thresholds)
    for index, method in enumerate(METHODS):
        np.testing.assert_allclose(found.point[:, index], points[method], atol=1e-12)
        # Shares move in steps of one run; two runs are far below what a band is wide.
        np.testing.assert_allclose(found.low[:, index], bands[method][0], atol=2.01 / 40)
        np.testing.assert_allclose(found.high[:, index], bands[method][1], atol=2.01 / 40)


def test_probabilities_of_improvement_and_their_intervals_agree(scores: np.ndarray):
    scores = scores[:4]  # rliable takes its time over this one
    found = statistics.estimate_improvement(scores, np.random.default_rng(0), SAMPLES)
    ours = as_rliable(scores)
    pairs = {"road,uniform": (0, 1), "fixed,road": (2, 0)}
    points, intervals = library.get_interval_estimates(
        {name: tuple(ours[METHODS[each]] for each in pair) for name, pair in pairs.items()},
        lambda first, second: np.array([metrics.probability_of_improvement(first, second)]),
        reps=400,
    )
    for name, pair in pairs.items():
        np.testing.assert_allclose(found.point[pair], points[name][0], rtol=1e-12)
        ends = np.array([found.low[pair], found.high[pair]])
        # The quantiles of 400 samples have a standard error of about 0.13 spreads.
        spread = (ends[1] - ends[0]) / 3.92
        np.testing.assert_allclose(ends, intervals[name][:, 0], atol=TOLERANCE * 0.13 * spread)
