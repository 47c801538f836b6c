"""From run folders to a comparison: what is finished counts, what is not is missing."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from road.report import load_run, summarise
from road.report.grid_page import write_grid_page
from road.report.grid_results import GridResults
from road.report.grid_runs import Axes, GridRun, common_curve, ratio_in_force, results_of

WriteRun = Callable[..., Path]
MIXERS = {"Fixed 0.5": "fixed", "Decreasing": "decreasing", "ROAD": "road"}
TASK = "pointmaze-umaze-random"
AXES = Axes((TASK,), tuple(MIXERS), (0, 1, 2))


@pytest.fixture
def runs(write_run: WriteRun) -> list[GridRun]:
    return [
        GridRun(TASK, label, seed, load_run(write_run(f"{mixer}-{seed}", mixer, seed)))
        for label, mixer in MIXERS.items()
        for seed in AXES.seeds
    ]


@pytest.fixture
def results(runs: list[GridRun]) -> GridResults:
    return results_of(runs, AXES, "a small grid", "road grid run mine.py")


def test_scores_are_those_of_the_runs(runs: list[GridRun], results: GridResults):
    assert results.table.missing() == []
    finals = [summarise(run.record).final for run in runs]
    np.testing.assert_allclose(results.table.scores.ravel(), finals)


def test_constants_are_told_by_their_mixer_and_not_by_their_label(results: GridResults):
    assert results.fixed == (0,)


def test_curves_hold_every_seed_at_every_step(results: GridResults):
    assert [one.name for one in results.curves[TASK]] == list(MIXERS)
    for one in results.curves[TASK]:
        np.testing.assert_array_equal(one.steps, np.arange(0, 10_001, 1000))
        assert one.seeds.shape == (3, 11)
        assert np.all(one.low <= one.mean) and np.all(one.mean <= one.high)
    np.testing.assert_allclose(results.curves[TASK][2].seeds[:, -1], results.table.scores[0, 2])
    assert results.pretraining[TASK].seeds.shape == (3, 10)


def test_ratios_are_those_in_force(results: GridResults):
    fixed, decreasing, road = results.ratios[TASK]
    assert np.all(fixed == 0.5)
    assert np.all(np.diff(decreasing[0]) <= 0) and decreasing[0, 0] > decreasing[0, -1]
    assert set(np.unique(road)) <= {0.1, 0.2, 0.3, 0.4, 0.5}
    assert results.steps[TASK] == 10_000


def test_a_period_is_in_force_from_its_start_to_its_end(runs: list[GridRun]):
    """Periods of 200 steps: step 200 is of the first, step 201 of the second."""
    record = runs[-1].record
    ratio = record.periods["offline_ratio"]
    found = ratio_in_force(record, np.array([1.0, 200.0, 201.0, 10_000.0, 10_001.0]))
    np.testing.assert_array_equal(found, [ratio[0], ratio[0], ratio[1], ratio[-1], np.nan])


def test_dips_are_those_of_the_summaries(runs: list[GridRun], results: GridResults):
    depths = [dip.depth for dip in (summarise(run.record).dip for run in runs) if dip]
    np.testing.assert_allclose(results.dips[TASK].ravel(), depths)


def test_a_run_that_is_still_going_is_missing(runs: list[GridRun], write_run: WriteRun):
    going = load_run(write_run("going", "road", 2, config={"online_steps": 20_000}))
    unfinished = [*runs[:-1], GridRun(TASK, "ROAD", 2, going)]
    results = results_of(unfinished, AXES, "a small grid")
    assert results.table.missing() == [f"{TASK}, ROAD, seed 2"]
    assert len(results.curves[TASK][2].seeds) == 2


def test_nothing_finished_is_an_empty_table():
    results = results_of([], AXES, "a small grid")
    assert len(results.table.missing()) == 9
    assert results.curves == {}


def test_curves_are_cut_to_the_steps_that_all_seeds_have(runs: list[GridRun]):
    steps, scores = common_curve([run.record for run in runs[:2]], "online")
    assert scores.shape == (2, len(steps))
    assert common_curve([], "online")[0].size == 0


def test_runs_become_a_page(results: GridResults, tmp_path: Path):
    page = write_grid_page(results, tmp_path / "report.html", samples=200).read_text()
    assert "road grid run mine.py" in page
    for figure in ("scores", "regret", "overlay", "ratios", "dips"):
        assert f'<figure class="figure" data-figure="{figure}"' in page
