"""Two methods by pairs: differences, intervals and a p-value that can be counted by hand."""

import numpy as np
import pytest

from road.statistics import compare_paired, sign_flip_p


def generator() -> np.random.Generator:
    return np.random.default_rng(3)


def test_four_pairs_of_one_sign_have_the_least_p_there_is():
    """16 choices of signs; only all plus and all minus reach the seen mean."""
    assert sign_flip_p(np.array([1.0, 2.0, 3.0, 4.0]), generator()) == 2 / 16


def test_a_p_value_counted_by_hand():
    """1, 2, -1: sums of the 8 choices are ±4, ±2, ±2, 0, 0; six reach the seen 2."""
    assert sign_flip_p(np.array([1.0, 2.0, -1.0]), generator()) == 6 / 8


def test_no_difference_at_all_is_no_evidence():
    assert sign_flip_p(np.zeros(5), generator()) == 1.0
    assert sign_flip_p(np.zeros(50), generator()) == 1.0


def test_rounding_does_not_lose_the_seen_choice():
    """Two choices of 32, all plus and all minus; without a tolerance none would be found."""
    assert sign_flip_p(np.array([0.9, 0.4, 0.3, 0.1, 0.1]), generator()) == 2 / 32


def test_drawn_signs_never_give_a_p_of_zero():
    """Of twenty equal differences one drawn choice in 500,000 is as far from zero."""
    assert sign_flip_p(np.ones(20), generator(), flips=99) == 1 / 100


def test_drawn_signs_agree_with_all_of_them(monkeypatch: pytest.MonkeyPatch):
    values = np.random.default_rng(0).normal(0.4, 1.0, 14)
    exact = sign_flip_p(values, generator())
    monkeypatch.setattr("road.statistics.paired.MOST_EXACT", 0)
    drawn = sign_flip_p(values, generator(), flips=40_000)
    assert 0.02 < exact < 0.9
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 40_000))


def test_p_is_uniform_where_nothing_differs():
    """So a p below 0.1 happens in one of ten comparisons of equals."""
    rng = generator()
    p = [sign_flip_p(rng.normal(size=10), rng) for _ in range(400)]
    assert np.mean(np.array(p) < 0.1) == pytest.approx(0.1, abs=0.05)


def test_differences_by_task_and_over_all():
    scores = np.array([[[5.0, 7.0], [4.0, 4.0]], [[1.0, 1.0], [3.0, 5.0]]])
    found = compare_paired(scores, 0, 1, generator(), 200)
    np.testing.assert_allclose(found.by_task.point, [2.0, -3.0])
    np.testing.assert_allclose(found.overall.point, [-0.5])
    np.testing.assert_allclose([found.by_task.low[0], found.by_task.high[0]], [1.0, 3.0])
    turned = compare_paired(scores, 1, 0, generator(), 200)
    np.testing.assert_allclose(turned.overall.point, [0.5])
    assert turned.p == found.p


def test_what_seeds_share_drops_out_of_the_difference():
    """Seeds differ by tens, methods by one: pairs see it with a narrow interval."""
    shared = np.random.default_rng(1).normal(0, 30, (5, 1, 8))
    own = np.random.default_rng(2).normal(0, 0.2, (5, 2, 8))
    found = compare_paired(shared + own + np.array([1.0, 0.0])[None, :, None], 0, 1, generator())
    assert 0.8 < found.overall.low[0] < 1.0 < found.overall.high[0] < 1.2
    assert found.p < 0.001


def test_a_method_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no method 2"):
        compare_paired(np.zeros((1, 2, 2)), 0, 2, generator())
