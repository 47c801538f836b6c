"""Whether a credit points to good constants, worked out by hand."""

import numpy as np
import pytest

from road.statistics import estimate_credit_quality, preferences

NAN = float("nan")


def test_the_favourite_has_the_greatest_credit_of_those_that_were_used():
    credits = np.array([[0.1, 0.3, 0.2], [NAN, -2.0, -1.0], [5.0, NAN, NAN], [NAN, NAN, NAN]])
    assert preferences(credits).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 0]]


def test_ratios_that_tie_share_it():
    """As success rates do; the first of them would be the smallest ratio."""
    credits = np.array([[1.0, 1.0, 0.0], [0.5, 0.5, 0.5], [2.0, NAN, 2.0]])
    expected = [[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.0, 0.5]]
    np.testing.assert_allclose(preferences(credits), expected)


def test_a_gain_is_against_the_mean_of_the_ratios_that_were_credited():
    """Constants of 10, 20 and 60.

    One run favours the third among all, which is 60 - 30 = 30 more than their mean; the other the
    first of the first two, 10 - 15 = -5. Their mean is 12.5.
    """
    scores = np.array([[[9.0, 11.0], [20.0, 20.0], [50.0, 70.0]]])
    credits = np.array([[[[0.0, 1.0, 2.0], [1.0, 0.0, NAN]]]])
    found = estimate_credit_quality(credits, scores, np.random.default_rng(0), 100)
    np.testing.assert_allclose(found.by_task, [[12.5]])
    np.testing.assert_allclose(found.overall.point, [12.5])
    assert found.overall.low[0] < 12.5 < found.overall.high[0]


def test_a_run_without_a_choice_gains_nothing():
    """The second run has one ratio to prefer, the third none: 30 of three runs are 10."""
    scores = np.repeat(np.array([[10.0, 20.0, 60.0]])[..., None], 3, axis=2)
    credits = np.array([[[[0.0, 1.0, 2.0], [NAN, NAN, 1.0], [NAN, NAN, NAN]]]])
    found = estimate_credit_quality(credits, scores, np.random.default_rng(0), 100)
    np.testing.assert_allclose(found.by_task, [[10.0]])


def test_tasks_count_alike_and_methods_stand_by_themselves():
    scores = np.repeat(np.array([[0.0, 10.0], [100.0, 0.0]])[..., None], 3, axis=2)
    second = np.tile([0.0, 1.0], (2, 3, 1))
    found = estimate_credit_quality(
        np.stack([second, 1.0 - second], axis=1), scores, np.random.default_rng(0), 100
    )
    assert found.by_task.tolist() == [[5.0, -5.0], [-50.0, 50.0]]
    assert found.overall.point.tolist() == [-22.5, 22.5]
    assert found.overall.low.tolist() == found.overall.high.tolist() == [-22.5, 22.5]


@pytest.mark.parametrize(("knows", "claims"), [(0.0, range(6)), (3.0, range(45, 51))])
def test_what_is_claimed_of_uninformative_and_of_informative_credits(knows: float, claims: range):
    """Of 50 tables: constants 20 apart, credits that follow them as far as three times their noise.

    Where they are uninformative "worse" is claimed as rarely as "better".
    """
    rng = np.random.default_rng(0)
    better = worse = 0
    for _ in range(50):
        credits = rng.normal(size=(4, 1, 10, 5)) + knows * np.arange(5) / 4
        scores = rng.normal(50.0, 10.0, (4, 5, 10)) + 20.0 * np.arange(5)[None, :, None]
        found = estimate_credit_quality(credits, scores, rng, 300).overall
        better += bool(found.low[0] > 0.0)
        worse += bool(found.high[0] < 0.0)
    assert better in claims
    assert worse in (range(6) if knows == 0.0 else range(1))


def test_seeds_are_drawn_once_for_constants_and_credits():
    """In every seed the better of two constants is favoured: then no sample can gain less than 0.

    With y the share of runs that favour the second, less one half, the constants differ by 40 y,
    and the gain is 40 y². Drawn apart, the two would differ in sign in many samples.
    """
    which = np.array([0.0, 1.0] * 4)
    scores = np.stack([np.zeros(8), 20.0 * (2.0 * which - 1.0)])[None]
    credits = np.stack([1.0 - which, which], axis=-1)[None, None]
    found = estimate_credit_quality(credits, scores, np.random.default_rng(0), 500).overall
    assert found.low[0] >= 0.0 < found.high[0]


def test_constants_that_are_alike_make_no_difference():
    credits = np.random.default_rng(0).normal(size=(2, 1, 4, 3))
    found = estimate_credit_quality(credits, np.full((2, 3, 4), 6.0), np.random.default_rng(0), 100)
    assert found.overall.low[0] == found.overall.high[0] == 0.0


def test_scores_of_other_runs_are_refused():
    with pytest.raises(ValueError, match="3 seeds and 5 ratios need scores of the same"):
        estimate_credit_quality(
            np.zeros((2, 1, 3, 5)), np.zeros((2, 4, 3)), np.random.default_rng(0)
        )


@pytest.mark.parametrize(
    ("credits", "reported"),
    [
        (np.zeros((2, 3, 5)), r"the shape \(2, 3, 5\)"),
        (np.full((1, 1, 2, 2), np.inf), "4 infinite"),
    ],
)
def test_credits_of_another_form_are_refused(credits: np.ndarray, reported: str):
    """An infinite one would be greatest and the favourite of no run."""
    with pytest.raises(ValueError, match=reported):
        estimate_credit_quality(credits, np.zeros((1, 2, 2)), np.random.default_rng(0))
