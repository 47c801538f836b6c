"""Choosing on other tasks and other seeds, by hand and against a plain loop."""

import numpy as np
import pytest

from road.statistics import estimate_selection, select_options


def by_loop(scores: np.ndarray, family: tuple[int, ...]) -> np.ndarray:
    tasks, _, seeds = scores.shape
    chosen = np.zeros((tasks, seeds), int)
    for task in range(tasks):
        for seed in range(seeds):
            rest = np.delete(np.delete(scores, task, axis=0), seed, axis=2)
            chosen[task, seed] = max(family, key=lambda method: rest[:, method].sum())
    return chosen


def test_it_is_what_a_plain_loop_finds():
    scores = np.random.default_rng(0).normal(size=(4, 5, 3))
    found = select_options(scores, (1, 2, 4))
    assert (found.selected == by_loop(scores, (1, 2, 4))).all()
    for task, seed in np.ndindex(4, 3):
        assert found.scores[task, seed] == scores[task, found.selected[task, seed], seed]


def test_an_option_that_shines_on_one_task_is_not_chosen_there():
    """Method 1 is far ahead on task 0 alone; elsewhere method 0 is a little better."""
    scores = np.zeros((3, 2, 2))
    scores[0, 1], scores[1:, 0] = 100.0, 1.0
    found = select_options(scores, (0, 1))
    assert found.selected.tolist() == [[0, 0], [1, 1], [1, 1]]
    assert found.scores.tolist() == [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]


def test_a_seed_has_no_say_about_itself():
    """Seed 0 selects method 1 on both tasks, seed 1 for method 0."""
    scores = np.zeros((2, 2, 2))
    scores[:, 1, 0], scores[:, 0, 1] = 1.0, 1.0
    assert select_options(scores, (0, 1)).selected.tolist() == [[0, 1], [0, 1]]


def test_many_options_that_differ_by_luck_bring_nothing():
    """Thirty times the same method: the best in hindsight gains, one selected elsewhere not."""
    scores = np.random.default_rng(1).normal(size=(6, 30, 10))
    found = select_options(scores, range(30))
    assert scores.mean(axis=2).max(axis=1).mean() > 0.4
    assert abs(found.scores.mean()) < 3.0 / np.sqrt(60)


def test_a_family_of_one_needs_nothing_to_choose_by():
    scores = np.array([[[3.0], [5.0]]])
    assert select_options(scores, (1,)).scores.tolist() == [[5.0]]


@pytest.mark.parametrize(
    ("shape", "family", "reported"),
    [
        ((1, 2, 3), (0, 1), "needs two tasks and two seeds, got 1 and 3"),
        ((3, 2, 1), (0, 1), "needs two tasks and two seeds, got 3 and 1"),
        ((3, 2, 3), (), "got none"),
        ((3, 2, 3), (0, 2), "there is no method 2"),
    ],
)
def test_what_cannot_be_chosen(shape: tuple[int, ...], family: tuple[int, ...], reported: str):
    with pytest.raises(ValueError, match=reported):
        select_options(np.zeros(shape), family)


def test_the_estimates_are_the_means_of_what_was_chosen():
    scores = np.random.default_rng(2).normal(size=(4, 5, 3))
    families = [(0, 1), (2,), (3, 4)]
    found = estimate_selection(scores, families, 1, np.random.default_rng(0), 50)
    means = [select_options(scores, family).scores.mean() for family in families]
    assert found.score.point == pytest.approx(means)
    assert found.difference.point == pytest.approx(np.array(means) - means[1])
    assert found.difference.low[1] == found.difference.high[1] == 0.0


def test_a_choice_that_other_seeds_would_not_make_widens_the_interval():
    """On task 0 option 1 brings 100 and option 0 nothing; elsewhere they differ by luck alone.

    So the score of the family depends on one choice, and the interval has to reach both ends.
    """
    scores = np.random.default_rng(3).normal(size=(2, 3, 6))
    scores[0, 0], scores[0, 1], scores[:, 2] = 0.0, 100.0, 0.0
    found = estimate_selection(scores, [(0, 1), (2,)], 1, np.random.default_rng(0), 500)
    assert found.difference.low[0] < 20.0
    assert found.difference.high[0] > 40.0
