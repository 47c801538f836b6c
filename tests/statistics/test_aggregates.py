"""Numbers worked by hand: one per method, one per threshold, one per pair of methods."""

import numpy as np
import pytest

from road.statistics import (
    interquartile_mean,
    mean,
    median,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
)


def scores_of(*methods: list[list[float]]) -> np.ndarray:
    """``scores[task, method, seed]`` from ``[task][seed]`` of each method."""
    return np.stack([np.array(method, float) for method in methods], axis=1)


THREE_TASKS = scores_of([[10, 20], [30, 50], [100, 120]], [[0, 0], [0, 0], [90, 90]])


def test_mean_and_median_are_over_task_means():
    """Task means 15, 40, 110 and 0, 0, 90."""
    np.testing.assert_allclose(mean(THREE_TASKS), [55.0, 30.0])
    np.testing.assert_allclose(median(THREE_TASKS), [40.0, 0.0])


def test_the_interquartile_mean_cuts_a_quarter_at_either_end():
    """Of eight runs, two go at either end: 3, 4, 5 and 6 stay, whichever task they are of."""
    scores = scores_of([[1, 100, 3, 4], [5, 6, -50, 7]])
    np.testing.assert_allclose(interquartile_mean(scores), [(3 + 4 + 5 + 6) / 4])


def test_the_interquartile_mean_of_six_runs_cuts_one_at_either_end():
    """floor(6 / 4) = 1."""
    np.testing.assert_allclose(
        interquartile_mean(THREE_TASKS), [(20 + 30 + 50 + 100) / 4, (0 + 0 + 0 + 90) / 4]
    )


def test_the_interquartile_mean_of_three_runs_is_their_mean():
    np.testing.assert_allclose(interquartile_mean(scores_of([[1.0, 2.0, 9.0]])), [4.0])


def test_the_optimality_gap_gives_nothing_for_what_is_beyond_the_target():
    """Shortfalls 90, 80, 70, 50, 0, 0 of 100; of 50: 40, 30, 20, 0, 0, 0."""
    np.testing.assert_allclose(optimality_gap(THREE_TASKS)[0], 290 / 6)
    np.testing.assert_allclose(optimality_gap(THREE_TASKS, target=50.0)[0], 90 / 6)


def test_a_profile_counts_runs_strictly_above_each_threshold():
    profile = performance_profile(THREE_TASKS, np.array([-1.0, 0.0, 20.0, 90.0, 120.0]))
    np.testing.assert_allclose(profile[:, 0], [1, 1, 4 / 6, 2 / 6, 0])
    np.testing.assert_allclose(profile[:, 1], [1, 2 / 6, 2 / 6, 0, 0])


def test_a_profile_wants_its_thresholds_in_order():
    with pytest.raises(ValueError, match="ascending"):
        performance_profile(THREE_TASKS, np.array([1.0, 0.0]))


def test_improvement_counts_pairs_and_half_of_the_ties():
    """Task one: pairs (1,1) tie, (1,3) loss, (2,1) win, (2,3) loss: 1.5 of 4; task two: all won."""
    scores = scores_of([[1, 2], [5, 6]], [[1, 3], [0, 4]])
    matrix = probability_of_improvement(scores)
    np.testing.assert_allclose(matrix, [[0.5, (1.5 / 4 + 1) / 2], [1 - (1.5 / 4 + 1) / 2, 0.5]])


def test_improvement_of_one_over_the_other_and_back_add_up_to_one():
    scores = np.random.default_rng(0).integers(0, 5, (7, 4, 6)).astype(float)
    matrix = probability_of_improvement(scores)
    np.testing.assert_allclose(matrix + matrix.T, 1.0)


@pytest.mark.parametrize(
    "statistic",
    [
        mean,
        median,
        interquartile_mean,
        optimality_gap,
        probability_of_improvement,
        lambda scores: performance_profile(scores, np.linspace(-1, 1, 5)),
    ],
)
def test_many_tables_at_once_are_as_each_alone(statistic):
    tables = np.random.default_rng(1).normal(size=(3, 5, 2, 4))
    together = statistic(tables)
    np.testing.assert_allclose(together, [statistic(table) for table in tables])
