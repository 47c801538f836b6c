"""Gradient ascent over the simplex of sources."""

import numpy as np
import pytest
from tests.theory.problems import small_inner

from road.theory.ascent import GRID, ascend, ascend_from, best_ratio, every_pair, ratio_curve, step
from road.theory.bilevel import blend, mix, true_return


def test_a_step_by_hand():
    """Slopes 1 and -1 around their mean, in units of the steepest: shares times e and 1/e."""
    after = step(np.array([0.5, 0.5]), np.array([3.0, 1.0]), np.array(1.0))
    np.testing.assert_allclose(after, np.array([np.e, 1 / np.e]) / (np.e + 1 / np.e))


def test_a_share_of_zero_stays_zero_and_shares_sum_to_one():
    after = step(np.array([0.0, 0.4, 0.6]), np.array([1e9, 2.0, 1.0]), np.array(2.0))
    assert after[0] == 0.0
    assert after.sum() == pytest.approx(1.0)
    assert after[1] > 0.4


def test_two_sources_find_the_best_ratio():
    """On a curve with one hill, climbing ends where the grid ends, or better."""
    for seed in range(2):
        inner, offline, online = small_inner(seed, ridge=1e-6)
        sources = np.stack([offline, online])
        starts = [np.array([m, 1.0 - m]) for m in (0.1, 0.5, 0.9)]
        found = ascend_from(inner, sources, starts, steps=40)
        reached = true_return(inner, blend(found, sources))
        assert reached > best_ratio(inner, offline, online)[1] - 1e-3


def test_climbing_never_descends_and_free_weights_reach_higher():
    inner, offline, online = small_inner(1, ridge=1e-6)
    start = mix(0.5, offline, online)
    before = true_return(inner, start)
    _, by_source = ascend(inner, np.stack([offline, online]), np.array([0.5, 0.5]), steps=30)
    _, by_pair = ascend(inner, every_pair(start), start.ravel(), steps=30)
    assert before <= by_source <= by_pair


def test_the_best_ratio_is_the_top_of_its_curve():
    inner, offline, online = small_inner(2, ridge=1e-6)
    ratio, reached = best_ratio(inner, offline, online)
    curve = ratio_curve(inner, offline, online)
    assert curve[GRID.tolist().index(float(ratio))] == reached == curve.max()
