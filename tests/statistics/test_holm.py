"""Several tests at once: adjusted by hand, and on tables without a difference."""

import numpy as np
import pytest

from road.statistics import compare_fixed_ratios, holm_adjusted


def test_adjusted_by_hand():
    """Sorted 0.01, 0.02, 0.03, 0.9, times 4, 3, 2, 1: 0.04, 0.06, 0.06 and not less, 0.9."""
    found = holm_adjusted(np.array([0.03, 0.01, 0.9, 0.02]))
    np.testing.assert_allclose(found, [0.06, 0.04, 0.9, 0.06])


def test_no_probability_is_above_one_and_one_test_stays_as_it_is():
    np.testing.assert_allclose(holm_adjusted(np.array([0.4, 0.6])), [0.8, 0.8])
    np.testing.assert_allclose(holm_adjusted(np.array([0.6, 0.7])), [1.0, 1.0])
    assert holm_adjusted(np.array([0.03])).tolist() == [0.03]
    assert holm_adjusted(np.zeros(0)).tolist() == []


def test_of_many_tasks_without_a_difference_few_families_have_a_small_p():
    """Seven tasks at a time: one p in three families is below 0.05, one adjusted p in twenty."""
    scores = np.random.default_rng(0).normal(size=(200 * 7, 4, 5))
    p = compare_fixed_ratios(
        scores, range(4), np.random.default_rng(1), permutations=400
    ).p.reshape(200, 7)
    assert np.mean(p.min(axis=1) < 0.05) == pytest.approx(1 - 0.95**7, abs=0.1)
    assert np.mean([holm_adjusted(family).min() < 0.05 for family in p]) < 0.09
