"""Families along a knob: their numbers from cells that are known, and what is drawn of them."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.report.conftest import write_synthetic

from road.cli import main
from road.cli.grid.report import gather, knobs_of
from road.experiments.grid import Case, Grid, Setting, Strategy
from road.experiments.jobs import work_of
from road.experiments.store import Store
from road.records.journal import Floats
from road.report import load_run, summarise
from road.report.grid.families import BEST_FIXED, best_constant, families_of, family_listings
from road.report.grid.figure import write_grid_figure
from road.report.grid.findings import findings
from road.report.grid.page import write_grid_page
from road.report.grid.placed import KnobSetting
from road.report.grid.results import GridResults
from road.statistics import ScoreTable

METHODS = ("Fixed 0", "Fixed 0.5", "Fixed 0.9", "Uniform", "mine")
TASKS = ("far", "near", "unrelated", "turned")
SEEDS = 5
KNOBS = {
    "far": KnobSetting("pendulum", "gain", -1.0, 1.0),
    "near": KnobSetting("pendulum", "gain", 1.0, 1.0),
    "turned": KnobSetting("maze", "rotation", 90.0, 0.0),
}


def level(*means: float) -> Floats:
    """``[method, seed]``: seeds lie 0, 1, 2, 3 and 4 above the first."""
    return np.array(means)[:, None] + np.arange(float(SEEDS))


def results() -> GridResults:
    """Near, 0.9 is the best constant, and 0.5 is not worse on one seed; far, 0 is."""
    near = level(10.0, 39.0, 40.0, 30.0, 35.0)
    near[1, 4] += 2.0
    areas = {
        "near": near,
        "far": level(50.0, 20.0, -10.0, 25.0, 45.0),
        "turned": level(1.0, 2.0, 3.0, 4.0, 5.0),
        "unrelated": level(1.0, 2.0, 3.0, 4.0, 5.0),
    }
    ratios = {"near": np.zeros((5, SEEDS, 4)), "far": np.zeros((5, SEEDS, 4))}
    # Before the first period no ratio is in force.
    ratios["near"][4] = [np.nan, 0.7, 0.8, 0.9]
    ratios["far"][4] = np.array([0.0, 0.1, 0.2, 0.3, 0.4])[:, None]
    scores = np.array([areas[task] + 1000.0 for task in TASKS])
    return GridResults(
        "a grid",
        ScoreTable(TASKS, METHODS, tuple(range(SEEDS)), scores),
        fixed=(0, 1, 2),
        constants=(0.0, 0.5, 0.9),
        kinds={"fixed": (0, 1, 2), "uniform": (3,)},
        subject="mine",
        ratios=ratios,
        areas=areas,
        knobs=KNOBS,
    )


def test_settings_go_from_identical_to_opposite_whatever_their_order() -> None:
    gain, rotation = families_of(results())
    assert (gain.title, gain.values) == ("pendulum, gain", (1.0, -1.0))
    assert (rotation.title, rotation.values) == ("maze, rotation", (90.0,))


def test_the_numbers_of_a_family_are_those_of_its_cells() -> None:
    gain = families_of(results())[0]
    np.testing.assert_array_equal(gain.best, [0.9, 0.0])
    # Of five seeds 0.5 is ahead of 0.9 on one: one-sided p is above 1/32.
    np.testing.assert_array_equal(gain.lowest, [0.5, 0.0])
    np.testing.assert_array_equal(gain.highest, [0.9, 0.0])
    np.testing.assert_allclose(gain.used[0], [0.8] * SEEDS)
    np.testing.assert_allclose(gain.used[1], [0.0, 0.1, 0.2, 0.3, 0.4])
    assert list(gain.scores) == [BEST_FIXED, "Uniform", "mine"]
    # Means over the phase, not the final scores, which are 1,000 above.
    np.testing.assert_array_equal(gain.scores[BEST_FIXED].mean(axis=1), [42.0, 52.0])
    np.testing.assert_array_equal(gain.scores["mine"].mean(axis=1), [37.0, 47.0])


def test_the_table_of_a_family_says_the_same() -> None:
    (gain, _) = family_listings(results())
    assert gain.head == ("gain", "best fixed ratio", "ratio of mine", BEST_FIXED, "Uniform", "mine")
    # The deviation of 0, 1, 2, 3, 4 is the root of 2.5; that of 0, 0.1 ... 0.4 a tenth of it.
    assert gain.rows == [
        ["1", "0.9 (0.5 to 0.9)", "0.80 ± 0.00", "42.0 ± 1.6", "32.0 ± 1.6", "37.0 ± 1.6"],
        ["−1", "0 (0 to 0)", "0.20 ± 0.16", "52.0 ± 1.6", "27.0 ± 1.6", "47.0 ± 1.6"],
    ]
    assert "at 1 the world of the log is the task's" in gain.caption


def test_a_best_constant_is_chosen_by_the_seeds_that_all_constants_have() -> None:
    given = results()
    areas = given.areas["far"].copy()
    areas[0, :2] = np.nan  # 0 lacks the seeds on which the others are worst
    found = best_constant(areas, given)
    assert found.ratios[0] == 0.0
    np.testing.assert_array_equal(found.scores, [np.nan, np.nan, 52.0, 53.0, 54.0])
    assert np.isnan(best_constant(np.full_like(areas, np.nan), given).ratios[0])


def test_what_has_not_been_run_is_unknown_and_the_rest_is_drawn(tmp_path: Path) -> None:
    given = replace(results(), areas={}, ratios={})
    assert all(np.isnan(family.best).all() for family in families_of(given))
    assert write_grid_figure(given, None, tmp_path / "empty.svg").exists()


def test_a_picture_and_a_page_have_a_column_for_every_family(tmp_path: Path) -> None:
    picture = write_grid_figure(results(), None, tmp_path / "figure.svg").read_text("utf-8")
    headings = re.findall(r'class="heading">([^<]*)<', picture)
    assert headings[0].startswith("Best fixed ratio and chosen ratio along the knob")
    assert picture.count('aria-label="Ratios along the ') == 2
    page = write_grid_page(results(), None, tmp_path / "page.html").read_text("utf-8")
    assert 'data-figure="families"' in page
    assert page.count('data-figure="family"') == 2
    assert "## Along the gain of pendulum" in findings(results(), None)


def test_without_families_nothing_is_drawn(tmp_path: Path) -> None:
    plain = replace(results(), knobs={})
    assert "along the knob" not in write_grid_figure(plain, None, tmp_path / "f.svg").read_text()
    assert 'data-figure="famil' not in write_grid_page(plain, None, tmp_path / "p.html").read_text()
    assert "Along the" not in findings(plain, None)


def test_the_dots_are_where_the_numbers_are(tmp_path: Path) -> None:
    """0.9 of a plot from -0.04 to 1.04 that is 130 high lies 130 · 0.14 / 1.08 = 16.9 below."""
    picture = write_grid_figure(results(), None, tmp_path / "figure.svg").read_text("utf-8")
    first = picture[picture.index('aria-label="Ratios along the gain') :]
    assert 'cx="6%" cy="16.9" r="4.0"' in first[: first.index("</svg></svg>")]


@pytest.fixture
def grid(tmp_path: Path) -> Store:
    """A finished grid of one family: two settings, two strategies, one seed."""
    cases = tuple(
        Case(f"gain {value:g}", task="pendulum-flipped", run={"online_steps": steps},
             setting=Setting("pendulum", "gain", value, 1.0))
        for value, steps in ((1.0, 80), (-1.0, 90))
    )  # fmt: skip
    strategies = (
        Strategy("Fixed 0", "fixed", {"offline_ratio": 0.0}),
        Strategy("Fixed 1", "fixed", {"offline_ratio": 1.0}),
    )
    grid = Grid("tiny", cases, strategies, seeds=(0,), run={"offline_steps": 60})
    store, work = Store(tmp_path / "grid"), work_of(grid.cells())
    store.enter(grid, "own", "test", work)
    for cell, key in work.cells:
        run = write_synthetic(store.path / "runs" / key, "fixed", 0)
        summary = {**vars(summarise(load_run(run))), "dip": None, "informedness": None}
        kept = {name: value for name, value in summary.items() if name != "progress"}
        area = 10.0 if (cell.case == "gain 1") == (cell.strategy == "Fixed 1") else 0.0
        times = {"seconds": 2.0, "cpu_seconds": 1.0}
        store.commit(key, {"summary": kept, "area": area, "digest": "x", **times})
    return store


def test_the_report_of_a_grid_reads_families_from_its_folder(grid: Store, tmp_path: Path) -> None:
    cells = grid.description()["cells"]
    assert knobs_of(cells)["gain -1"] == KnobSetting("pendulum", "gain", -1.0, 1.0)
    (family,) = families_of(gather(grid, cells, None, ""))
    assert family.values == (1.0, -1.0)
    np.testing.assert_array_equal(family.scores[BEST_FIXED].ravel(), [10.0, 10.0])
    assert main(["grid", "report", str(grid.path), "--to", str(tmp_path / "reported")]) == 0
    assert "## Along the gain of pendulum" in (tmp_path / "reported" / "findings.md").read_text()
    head = (tmp_path / "reported" / "cells.csv").read_text().splitlines()[0].split(",")
    assert {"family", "knob", "knob_value"} <= set(head)
