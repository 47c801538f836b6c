"""The sum tree against running sums taken the slow way."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from road.replay.sum_tree import SumTree

SIZES = [1, 2, 7, 8, 9, 64, 65, 1000]


def whole_numbers(size: int, seed: int) -> NDArray[np.float64]:
    """Sums of whole numbers are exact, so both ways must agree on every mass."""
    drawn = np.random.default_rng(seed).integers(0, 4, size)
    drawn[size // 2] = 1  # not all of them zero
    return drawn.astype(np.float64)


def filled(priorities: NDArray[np.float64]) -> SumTree:
    tree = SumTree(len(priorities))
    tree.fill(priorities)
    return tree


def by_hand(priorities: NDArray[np.float64], mass: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.searchsorted(np.cumsum(priorities), mass, side="right")


@pytest.mark.parametrize("size", SIZES)
def test_it_finds_what_a_running_sum_finds(size: int):
    """At every half: on each border between two places and in the middle of each."""
    for seed in range(5):
        priorities = whole_numbers(size, seed)
        tree = filled(priorities)
        assert tree.total == priorities.sum()
        mass = np.arange(0.0, tree.total, 0.5)
        np.testing.assert_array_equal(tree.find(mass), by_hand(priorities, mass))


@pytest.mark.parametrize("size", SIZES)
def test_setting_some_places_is_the_same_as_filling_all(size: int):
    rng = np.random.default_rng(0)
    priorities = whole_numbers(size, 1)
    tree = filled(priorities)
    for _ in range(20):
        places = rng.integers(0, size, 5)
        new = rng.integers(1, 9, 5).astype(np.float64)
        tree.set(places, new)
        for place, value in zip(places, new, strict=True):
            priorities[place] = value  # in turn: the last of two stays
        np.testing.assert_array_equal(tree.priorities, priorities)
        mass = np.arange(0.0, tree.total, 0.5)
        np.testing.assert_array_equal(tree.find(mass), by_hand(priorities, mass))


def test_after_a_hundred_thousand_updates_the_sums_have_the_bits_of_a_new_tree():
    """Sizes from 0.001 to 3000, set one, three or many at a time: no error adds up."""
    rng, size = np.random.default_rng(0), 5000
    tree, updates = SumTree(size), 0
    tree.fill(np.ones(size))
    while updates < 100_000:
        count = int(rng.choice([1, 3, 256]))
        tree.set(rng.integers(0, size, count), 10.0 ** rng.uniform(-3, 3.5, count))
        updates += count
    new = filled(np.array(tree.priorities))
    assert tree.total == new.total
    for level, other in zip(tree._levels, new._levels, strict=True):
        np.testing.assert_array_equal(level, other)
    assert tree.total == pytest.approx(float(np.sum(tree.priorities)), rel=1e-12)


def test_a_place_of_priority_zero_is_never_drawn():
    """Priorities over fourteen orders of magnitude, so that rounding has every chance."""
    rng = np.random.default_rng(0)
    priorities = 10.0 ** rng.uniform(-7, 7, 3000) * (rng.random(3000) < 0.3)
    tree = filled(priorities)
    places = tree.draw(200, 256, rng)
    assert (priorities[places] > 0.0).all()
    ends = np.cumsum(priorities)
    borders = np.concatenate([ends, np.nextafter(ends, 0), np.nextafter(ends, 1e9), [tree.total]])
    assert (priorities[tree.find(borders)] > 0.0).all()


def test_draws_are_in_proportion_to_the_priorities():
    rng = np.random.default_rng(0)
    priorities = rng.uniform(0.5, 3.0, 50)
    places = filled(priorities).draw(100, 500, rng).ravel()
    counts = np.bincount(places, minlength=50)
    expected = priorities / priorities.sum() * len(places)
    # Strata only make the counts steadier than chance would.
    assert stats.chisquare(counts, expected).pvalue > 0.01


def test_every_stratum_gives_one_draw():
    """Eight equal places and eight draws: each place once, in every group."""
    places = filled(np.ones(8)).draw(30, 8, np.random.default_rng(0))
    np.testing.assert_array_equal(places, np.tile(np.arange(8), (30, 1)))


def test_the_same_generator_gives_the_same_draws():
    tree = filled(np.arange(1.0, 100.0))
    one, other = (tree.draw(2, 16, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="at least one place, got 0"):
        SumTree(0)
    tree = SumTree(3)
    with pytest.raises(ValueError, match="every priority is zero"):
        tree.draw(1, 4, np.random.default_rng(0))
    for bad in (np.nan, np.inf, -1.0):
        with pytest.raises(ValueError, match="finite and 0 or more"):
            tree.set(np.array([0]), np.array([bad]))
    for place in (-1, 3):
        with pytest.raises(IndexError, match=r"places must lie in 0\.\.2"):
            tree.set(np.array([place]), np.array([1.0]))
    with pytest.raises(ValueError, match="read-only"):
        tree.priorities[0] = 1.0
