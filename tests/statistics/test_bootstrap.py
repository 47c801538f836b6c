"""Intervals: seeded, stratified, paired where asked, and as wide as theory says."""

import time

import numpy as np
import pytest

from road.statistics import (
    bootstrap,
    bootstrap_estimate,
    compare_fixed_ratios,
    compare_paired,
    curve_band,
    estimate_improvement,
    estimate_profile,
    estimate_selection,
    held_out_regret,
    hindsight_regret,
    interquartile_mean,
    mean,
    median,
    optimality_gap,
)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def table(*shape: int) -> np.ndarray:
    return generator(7).normal(60.0, 15.0, shape)


def test_the_same_generator_gives_the_same_interval():
    scores = table(3, 2, 4)
    one, other = (bootstrap_estimate(mean, scores, generator(), 500) for _ in range(2))
    np.testing.assert_array_equal(one.low, other.low)
    np.testing.assert_array_equal(one.high, other.high)
    assert not np.array_equal(one.low, bootstrap_estimate(mean, scores, generator(1), 500).low)


def test_the_point_is_that_of_the_scores_and_lies_inside():
    scores = table(6, 3, 5)
    found = bootstrap_estimate(interquartile_mean, scores, generator(), 1000)
    np.testing.assert_array_equal(found.point, interquartile_mean(scores))
    assert np.all(found.low < found.point) and np.all(found.point < found.high)


def test_seeds_are_drawn_within_their_task_and_method():
    """Scores of one cell are all the same, so no sample may differ from the table."""
    scores = np.repeat(table(4, 3)[:, :, None], 5, axis=2)
    draws = bootstrap(lambda drawn: drawn.mean(-1), scores, generator(), 50)
    np.testing.assert_allclose(draws, np.broadcast_to(scores.mean(-1), draws.shape))


def test_pairs_stay_pairs():
    """Two methods that always differ by 3 differ by 3 in every sample, if seeds are pairs."""
    first = table(2, 1, 6)
    scores = np.concatenate([first, first + 3.0], axis=1)

    def difference(drawn: np.ndarray) -> np.ndarray:
        return drawn[..., 1, :].mean((-2, -1)) - drawn[..., 0, :].mean((-2, -1))

    np.testing.assert_allclose(bootstrap(difference, scores, generator(), 100, paired=True), 3.0)
    assert bootstrap(difference, scores, generator(), 100).std() > 1.0


def test_the_spread_of_a_bootstrapped_mean_is_that_of_the_formula():
    """Var of a sample's mean over T tasks is 1/T² sum_t (population variance of t) / n."""
    scores = table(8, 1, 5)
    draws = bootstrap(mean, scores, generator(), 20_000)
    expected = np.sqrt((scores.var(axis=-1) / 5).sum() / 8**2)
    assert draws.std() == pytest.approx(expected, rel=0.03)


def test_a_higher_confidence_is_a_wider_interval():
    scores = table(3, 1, 8)
    wide, narrow = (
        bootstrap_estimate(mean, scores, generator(), 2000, level) for level in (0.99, 0.5)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_blocks_do_not_change_what_is_drawn(monkeypatch: pytest.MonkeyPatch):
    scores = table(2, 2, 3)
    whole = bootstrap(mean, scores, generator(), 40)
    monkeypatch.setattr("road.statistics.resampling.MOST_CELLS", 60)
    np.testing.assert_array_equal(bootstrap(mean, scores, generator(), 40), whole)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"samples": 0}, "at least one sample"),
        ({"confidence": 1.0}, "confidence must lie"),
        ({"scores": np.zeros((2, 3))}, "2 axes"),
        ({"scores": np.zeros((2, 0, 3))}, "no run"),
        ({"scores": np.array([[[1.0, np.nan]]])}, "task 0, method 0, seed 1"),
    ],
)
def test_what_cannot_be_estimated_is_refused(arguments: dict, words: str):
    asked = {"scores": table(2, 2, 3), "rng": generator(), "samples": 10, **arguments}
    with pytest.raises(ValueError, match=words):
        bootstrap_estimate(mean, **asked)


def test_a_band_holds_the_mean_of_its_curves():
    curves = generator().normal(size=(6, 20)).cumsum(axis=1)
    band = curve_band(curves, generator())
    np.testing.assert_allclose(band.point, curves.mean(0))
    assert np.all(band.low <= band.point) and np.all(band.point <= band.high)
    lonely = curve_band(curves[:1], generator())
    np.testing.assert_allclose(lonely.low, lonely.high)


def test_a_band_is_not_drawn_around_holes():
    with pytest.raises(ValueError, match="every curve at every step"):
        curve_band(np.array([[1.0, np.nan]]), generator())


def test_ten_thousand_samples_of_the_papers_table_take_less_than_ten_seconds():
    """Of processor time, as other processes may be running; all that a report asks for."""
    scores, rng = table(24, 10, 4), generator()
    began = time.process_time()
    for aggregate in (mean, median, interquartile_mean, optimality_gap):
        bootstrap_estimate(aggregate, scores, rng, 10_000)
    estimate_profile(scores, np.linspace(0, 110, 111), rng)
    estimate_improvement(scores, rng, 10_000)
    hindsight_regret(scores, range(6), rng, 10_000)
    held_out_regret(scores, range(6), rng, 10_000)
    estimate_selection(scores, [range(6), [6], [7], [8], [9]], 0, rng, 10_000)
    compare_fixed_ratios(scores, range(6), rng)
    for other in range(9):
        compare_paired(scores, 9, other, rng, 10_000)
    assert time.process_time() - began < 10.0
