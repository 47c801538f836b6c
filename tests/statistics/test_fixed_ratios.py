"""Whether constants differ, by hand and on made-up tables."""

import numpy as np
import pytest

from road.statistics import compare_fixed_ratios, not_worse_than_best


def test_constants_that_differ_on_every_seed_are_distinguished():
    """Two constants, four seeds, always 10 apart: so are 2 of 2^4 permutations, p = 1/8."""
    scores = np.array([[[0.0, 1.0, 2.0, 3.0], [10.0, 11.0, 12.0, 13.0], [99.0] * 4]])
    found = compare_fixed_ratios(scores, (0, 1), np.random.default_rng(0))
    assert found.best.tolist() == [1]
    assert found.range.tolist() == [10.0]
    assert found.p[0] == pytest.approx(1 / 8, abs=0.02)


def test_what_a_seed_gives_to_all_constants_is_no_difference():
    """Seeds are worth 0, 50 and 100; the constants differ by a twentieth of that, on every seed."""
    seeds = np.repeat([0.0, 50.0, 100.0], 4)
    scores = np.stack([seeds, seeds + 2.5, seeds + 5.0])[None]
    assert compare_fixed_ratios(scores, (0, 1, 2), np.random.default_rng(0)).p[0] < 0.001


def test_constants_without_a_difference_pass_one_time_in_twenty():
    scores = np.random.default_rng(1).normal(size=(400, 5, 4))
    p = compare_fixed_ratios(scores, range(5), np.random.default_rng(2), permutations=400).p
    assert 0.02 < np.mean(p < 0.05) < 0.09
    assert 0.4 < np.mean(p) < 0.6


def test_one_constant_differs_from_nothing():
    found = compare_fixed_ratios(np.ones((2, 2, 3)), (1,), np.random.default_rng(0), permutations=9)
    assert found.p.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="at least one method"):
        compare_fixed_ratios(np.ones((2, 2, 3)), (), np.random.default_rng(0))


def test_a_constant_is_worse_beyond_chance_if_it_is_so_on_all_of_five_seeds():
    """One-sided p of five differences of one sign is 1/32; of four and a tie-breaker 2/32."""
    best = np.array([10.0, 11.0, 12.0, 13.0, 14.0])
    always, once_better = best - 2.0, best - np.array([3.0, 3.0, 3.0, 3.0, -1.0])
    found = not_worse_than_best(np.array([always, best, once_better]), np.random.default_rng(0))
    assert found.tolist() == [False, True, True]


def test_four_seeds_exclude_no_constant():
    scores = np.array([[0.0] * 4, [100.0, 101.0, 102.0, 103.0]])
    assert not_worse_than_best(scores, np.random.default_rng(0)).all()


def test_the_constants_not_worse_end_at_the_first_that_is():
    """Beyond a worse one, another that happens to score like the best is not counted."""
    seeds = np.arange(5.0)
    scores = np.array([seeds + 8.9 + 0.2 * (seeds == 0), seeds + 1.0, seeds + 9.0, seeds + 1.0])
    scores[0, 1] += 0.15
    found = not_worse_than_best(scores, np.random.default_rng(0))
    assert found.tolist() == [False, False, True, False]
