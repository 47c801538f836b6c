"""Runs into an array: nothing lost, nothing doubled, nothing left out without a word."""

import numpy as np
import pytest

from road.statistics import ScoreTable, cells_of

RUNS = [
    ("maze", "road", 0, 50.0),
    ("maze", "road", 1, 70.0),
    ("maze", "fixed", 0, 40.0),
    ("maze", "fixed", 1, 40.0),
    ("pole", "road", 0, 10.0),
    ("pole", "road", 1, 20.0),
    ("pole", "fixed", 1, 30.0),
]


def test_runs_find_their_place():
    table = ScoreTable.of(RUNS)
    assert (table.tasks, table.methods, table.seeds) == (
        ("maze", "pole"),
        ("road", "fixed"),
        (0, 1),
    )
    np.testing.assert_array_equal(table.scores[0], [[50.0, 70.0], [40.0, 40.0]])
    np.testing.assert_array_equal(table.scores[1], [[10.0, 20.0], [np.nan, 30.0]])
    assert table.method("fixed") == 1


def test_mean_and_deviation_are_of_the_runs_that_are_there():
    """50 and 70: mean 60, deviation sqrt((100 + 100) / 1); one run has no deviation."""
    cells = ScoreTable.of(RUNS).cells
    np.testing.assert_allclose(cells.mean, [[60.0, 40.0], [15.0, 30.0]])
    np.testing.assert_allclose(
        cells.deviation, [[np.sqrt(200), 0.0], [np.sqrt(50), np.nan]], equal_nan=True
    )
    np.testing.assert_array_equal(cells.count, [[2, 2], [2, 1]])


def test_a_cell_without_runs_is_not_a_number():
    cells = cells_of(np.full((1, 1, 3), np.nan))
    assert np.isnan(cells.mean[0, 0]) and np.isnan(cells.deviation[0, 0])
    assert cells.count[0, 0] == 0


@pytest.mark.parametrize(("mean", "deviation"), [(80.0, 4.55), (80.5, 5.0), (82.5, 3.11)], ids=str)
def test_the_papers_deviations_divide_by_one_less_than_the_seeds(mean: float, deviation: float):
    """No four whole scores of that mean have that deviation if the divisor is 4; with 3 some have.

    Four whole numbers of sum S have a sum of squares Q of the parity of S, and any deviation is
    sqrt((Q - S²/4) / divisor). Scores are whole where a hundred episodes end in success or failure.
    """
    total = round(4 * mean)
    squares = np.arange(total % 2, 60_000, 2)
    spread = squares - total**2 / 4
    spread = spread[spread >= 0]
    assert deviation not in np.round(np.sqrt(spread / 4), 2)
    assert deviation in np.round(np.sqrt(spread / 3), 2)


def test_a_missing_run_is_named_and_not_passed_over():
    table = ScoreTable.of(RUNS)
    assert table.missing() == ["pole, fixed, seed 0"]
    with pytest.raises(ValueError, match="1 of 8 runs are missing: pole, fixed, seed 0; run them"):
        table.complete()


def test_what_lacks_a_run_is_left_out_if_asked():
    table = ScoreTable.of(RUNS)
    assert table.complete(without="tasks").tasks == ("maze",)
    assert table.complete(without="methods").methods == ("road",)
    fewer = table.complete(without="seeds")
    assert fewer.seeds == (1,)
    np.testing.assert_array_equal(fewer.scores, [[[70.0], [40.0]], [[20.0], [30.0]]])
    assert fewer.complete() is fewer


def test_nothing_left_is_an_error():
    rows = [("maze", "road", 0, 1.0), ("maze", "fixed", 1, 1.0)]
    with pytest.raises(ValueError, match="none would be left"):
        ScoreTable.of(rows).complete(without="seeds")


def test_many_missing_runs_are_counted():
    rows = [("maze", "road", seed, 1.0) for seed in range(9)] + [("maze", "fixed", 0, 1.0)]
    with pytest.raises(ValueError, match=r"8 of 18 runs .* seed 5 and 3 more"):
        ScoreTable.of(rows).complete()


def test_doubled_and_broken_runs_are_refused():
    with pytest.raises(ValueError, match="maze, road, seed 0 is there twice"):
        ScoreTable.of([*RUNS, ("maze", "road", 0, 50.0)])
    with pytest.raises(ValueError, match="maze, road, seed 5 has the score nan"):
        ScoreTable.of([*RUNS, ("maze", "road", 5, float("nan"))])


def test_names_and_scores_must_fit():
    with pytest.raises(ValueError, match=r"shape \(1, 1, 2\), got \(1, 1, 1\)"):
        ScoreTable(("maze",), ("road",), (0, 1), np.zeros((1, 1, 1)))


def test_an_unknown_method_is_answered_with_those_there_are():
    with pytest.raises(ValueError, match="no method 'uniform'; there are road, fixed"):
        ScoreTable.of(RUNS).method("uniform")
