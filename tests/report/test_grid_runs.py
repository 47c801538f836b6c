"""From run folders to a comparison: what is finished counts, what is not is missing."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from road.mixing.informedness import MOST_ARMS, arm_effects
from road.records.journal import Floats, Table
from road.records.reader import RunRecord
from road.report import load_run, summarise
from road.report.grid.answers import answers_of
from road.report.grid.page import write_grid_page
from road.report.grid.placed import TOO_HARSH, TOO_NARROW, Axes, PlacedRun
from road.report.grid.results import GridResults
from road.report.grid.runs import common_curve, ratio_in_force, results_of

WriteRun = Callable[..., Path]
MIXERS = {"Fixed 0.5": "fixed", "Decreasing": "decreasing", "ROAD": "road"}
TASK = "pointmaze-umaze-random"
AXES = Axes((TASK,), tuple(MIXERS), (0, 1))


@pytest.fixture
def runs(write_run: WriteRun) -> list[PlacedRun]:
    return [
        PlacedRun(TASK, label, seed, load_run(write_run(f"{mixer}-{seed}", mixer, seed)))
        for label, mixer in MIXERS.items()
        for seed in AXES.seeds
    ]


@pytest.fixture
def results(runs: list[PlacedRun]) -> GridResults:
    return results_of(runs, AXES, "a small grid", "road grid run mine.py")


def test_scores_are_those_of_the_runs(runs: list[PlacedRun], results: GridResults):
    assert results.table.missing() == []
    finals = [summarise(run.record).final for run in runs]
    np.testing.assert_allclose(results.table.scores.ravel(), finals)


def test_few_seeds_come_with_what_intervals_are_worth(runs: list[PlacedRun], results: GridResults):
    assert results.notes == (TOO_NARROW + TOO_HARSH,)
    without = [run for run in runs if run.method != "Fixed 0.5"]
    assert results_of(without, AXES, "without constants").notes == (TOO_NARROW,)
    for seeds in (range(1), range(11)):
        assert results_of(runs[:1], replace(AXES, seeds=tuple(seeds)), "another").notes == ()


def test_constants_are_recognised_by_their_mixer_and_not_by_their_label(results: GridResults):
    assert results.fixed == (0,)
    assert results.kinds == {"fixed": (0,), "decreasing": (1,), "road": (2,)}


def test_credits_are_what_a_constant_adds_beside_the_trend(write_run: WriteRun):
    """Credits rise by 0.01 a period, and periods with 0.5 have 0.2 more than the others."""
    record = load_run(write_run("rising", "road", 0))
    ratio = record.periods["offline_ratio"]
    rising = 0.01 * np.arange(len(ratio)) + np.where(ratio == 0.5, 0.2, 0.0)
    found = results_of(
        [constant(write_run), PlacedRun(TASK, "ROAD", 0, with_periods(record, credit=rising))],
        AXES, "a small grid",
    )  # fmt: skip
    assert found.constants == (0.5,)
    assert found.credits[TASK].shape == (3, 2, 1)
    arms, effects = arm_effects(ratio, rising)
    assert found.credits[TASK][2, 0, 0] == pytest.approx(effects[arms == 0.5][0])
    others = effects[arms != 0.5]
    np.testing.assert_allclose(effects[arms == 0.5] - others, 0.2, atol=1e-9)


def test_a_late_credit_counts_for_the_ratio_that_it_is_about(write_run: WriteRun):
    """0.5 was tried in every other period, and every credit is about the period before."""
    record = load_run(write_run("late", "road", 0))
    ratio = np.resize([0.1, 0.5], record.periods.length)
    about = np.concatenate([[np.nan], ratio[:-1]])
    credit = np.where(about == 0.5, 1.0, 0.0)
    late = with_periods(record, offline_ratio=ratio, credited_ratio=about, credit=credit)
    found = results_of([constant(write_run), PlacedRun(TASK, "ROAD", 0, late)], AXES, "late")
    assert found.credits[TASK][2, 0, 0] == pytest.approx(1.0)


def test_a_ratio_that_moves_freely_has_no_arms(write_run: WriteRun):
    """Two credits for each ratio would do to tell them from a trend, but they are no arms."""
    record = load_run(write_run("free", "road", 0))
    few = np.resize(np.linspace(0.0, 0.5, MOST_ARMS), 4 * MOST_ARMS)
    many = np.resize(np.linspace(0.0, 0.5, MOST_ARMS + 1), 4 * MOST_ARMS)
    assert np.isfinite(credits_for(few, record, write_run("few", "fixed", 0))).all()
    assert np.isnan(credits_for(many, record, write_run("many", "fixed", 0))).all()


def credits_for(ratio: Floats, record: RunRecord, fixed: Path) -> Floats:
    """Of a run that was credited with its own ratio in every period, for the constant 0.5."""
    periods = Table({"offline_ratio": ratio, "credit": ratio}, len(ratio))
    runs = [
        PlacedRun(TASK, "Fixed 0.5", 0, load_run(fixed)),
        PlacedRun(TASK, "ROAD", 0, replace(record, periods=periods)),
    ]
    return results_of(runs, AXES, "free").credits[TASK][2, 0]


def constant(write_run: WriteRun) -> PlacedRun:
    return PlacedRun(TASK, "Fixed 0.5", 0, load_run(write_run("constant", "fixed", 0)))


def with_periods(record: RunRecord, **columns: Floats) -> RunRecord:
    """The run as if its periods had said something else."""
    periods = record.periods
    return replace(record, periods=Table({**periods.columns, **columns}, periods.length))


def test_curves_hold_every_seed_at_every_step(results: GridResults):
    assert [one.name for one in results.curves[TASK]] == list(MIXERS)
    for one in results.curves[TASK]:
        np.testing.assert_array_equal(one.steps, np.arange(0, 10_001, 1000))
        assert one.seeds.shape == (2, 11)
        assert np.all(one.low <= one.mean) and np.all(one.mean <= one.high)
    np.testing.assert_allclose(results.curves[TASK][2].seeds[:, -1], results.table.scores[0, 2])
    assert results.pretraining[TASK].seeds.shape == (2, 10)


def test_ratios_are_those_in_force(results: GridResults):
    fixed, decreasing, road = results.ratios[TASK]
    assert np.all(fixed == 0.5)
    assert np.all(np.diff(decreasing[0]) <= 0) and decreasing[0, 0] > decreasing[0, -1]
    assert set(np.unique(road)) <= {0.1, 0.2, 0.3, 0.4, 0.5}
    assert results.steps[TASK] == 10_000


def test_a_period_is_in_force_from_its_start_to_its_end(runs: list[PlacedRun]):
    """Periods of 200 steps: step 200 is of the first, step 201 of the second."""
    record = runs[-1].record
    ratio = record.periods["offline_ratio"]
    found = ratio_in_force(record, np.array([1.0, 200.0, 201.0, 10_000.0, 10_001.0]))
    np.testing.assert_array_equal(found, [ratio[0], ratio[0], ratio[1], ratio[-1], np.nan])


def test_no_ratio_is_in_force_between_periods(runs: list[PlacedRun]):
    """Warm-up comes before the first period: here steps 1 to 100, and a pause until 350."""
    columns = {
        "step": np.array([300.0, 450.0]),
        "steps": np.array([200.0, 100.0]),
        "offline_ratio": np.array([0.1, np.nan]),
        "realised_ratio": np.array([0.2, 0.4]),
    }
    record = replace(runs[0].record, periods=Table(columns, 2))
    found = ratio_in_force(record, np.array([100.0, 101.0, 320.0, 351.0]))
    np.testing.assert_array_equal(found, [np.nan, 0.1, np.nan, 0.4])


def test_dips_are_those_of_the_summaries(runs: list[PlacedRun], results: GridResults):
    depths = [dip.depth for dip in (summarise(run.record).dip for run in runs) if dip]
    np.testing.assert_allclose(results.dips[TASK].ravel(), depths)


def test_a_run_that_is_still_going_is_missing(runs: list[PlacedRun], write_run: WriteRun):
    going = load_run(write_run("going", "road", 1, config={"online_steps": 20_000}))
    unfinished = [*runs[:-1], PlacedRun(TASK, "ROAD", 1, going)]
    results = results_of(unfinished, AXES, "a small grid")
    assert results.table.missing() == [f"{TASK}, ROAD, seed 1"]
    assert len(results.curves[TASK][2].seeds) == 1


def test_nothing_finished_is_an_empty_table():
    results = results_of([], AXES, "a small grid")
    assert len(results.table.missing()) == 6
    assert results.curves == {}


def test_curves_are_cut_to_the_steps_that_all_seeds_have(runs: list[PlacedRun]):
    steps, scores = common_curve([run.record for run in runs[:2]], "online")
    assert scores.shape == (2, len(steps))
    assert common_curve([], "online")[0].size == 0


def test_of_a_step_that_was_evaluated_twice_the_later_score_counts(write_run: WriteRun):
    folder = write_run()
    journal = folder / "evaluations.jsonl"
    last = json.loads(journal.read_text().splitlines()[-1])
    before = common_curve([load_run(folder)], "online")[0]
    with journal.open("a") as file:
        file.write(json.dumps({**last, "score": 77.0}) + "\n")
    steps, scores = common_curve([load_run(folder)], "online")
    np.testing.assert_array_equal(steps, before)
    assert scores[0, -1] == 77.0


def test_runs_become_a_page(results: GridResults, tmp_path: Path):
    page = write_grid_page(results, answers_of(results, 200), tmp_path / "report.html").read_text()
    assert "road grid run mine.py" in page
    for figure in ("scores", "regret", "overlay", "ratios", "dips"):
        assert f'<figure class="figure" data-figure="{figure}"' in page
