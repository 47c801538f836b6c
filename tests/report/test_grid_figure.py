"""The picture of a comparison: what it shows, and that nothing of it leaves its frame."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.test_grid_page import METHODS, QUICK, TASKS, browser, results
from tests.report.test_report_browser import CHROMIUM, Opened

from road.report.grid.answers import answers_of
from road.report.grid.figure import BEST, BEST_FIXED, in_colour, write_grid_figure
from road.report.grid.results import GridResults
from road.statistics import ScoreTable

assert browser  # a fixture: pytest finds it by its name


def drawn(given: GridResults, out: Path) -> str:
    return write_grid_figure(given, answers_of(given, QUICK), out).read_text("utf-8")


def headings(picture: str) -> list[str]:
    return re.findall(r'class="heading">([^<]*)<', picture)


def with_scores(given: GridResults, scores: Any) -> GridResults:
    table = given.table
    return replace(given, table=ScoreTable(table.tasks, table.methods, table.seeds, scores))


def test_the_parts_that_can_be_said_are_there(tmp_path: Path):
    whole = headings(drawn(results(), tmp_path / "whole.svg"))
    assert [each.split(":")[0] for each in whole] == [
        "Regret against the best fixed ratio", "Scores", "Learning curves"
    ]  # fmt: skip
    assert "over 4 seeds" in whole[1]


def test_with_a_run_missing_nothing_is_said_of_regret(tmp_path: Path):
    given = results()
    scores = given.table.scores.copy()
    scores[0, 0, 0] = np.nan
    found = headings(drawn(with_scores(given, scores), tmp_path / "part.svg"))
    assert [each.split(":")[0] for each in found] == ["Scores", "Learning curves"]


def test_the_constant_that_came_out_best_is_the_task_s_own():
    given = results()
    scores = given.table.scores.copy()
    scores[0, 2] += 50.0
    scores[1, 1] += 50.0
    given = with_scores(given, scores)
    assert [in_colour(given, task)[BEST_FIXED][0] for task in TASKS] == [METHODS[2], METHODS[1]]
    assert [in_colour(given, TASKS[0])[name][0] for name in ("Uniform", "ROAD")] == [*METHODS[3:]]


@pytest.mark.parametrize("subject", ["another", "ROAD"])
def test_where_there_is_nothing_to_compare_with_all_have_a_colour(subject: str):
    given = replace(results(), fixed=(), kinds={}, subject=subject)
    assert list(in_colour(given, TASKS[0])) == list(METHODS)
    assert len({colour for _, colour in in_colour(given, TASKS[0]).values()}) == len(METHODS)


def test_where_colours_would_repeat_the_best_and_the_subject_have_one():
    many = tuple(f"c = {number}" for number in range(12))
    scores = np.zeros((1, 12, 3))
    scores[0, 7] = 5.0
    given = GridResults("many", ScoreTable(TASKS[:1], many, (0, 1, 2), scores), (), subject="c = 2")
    shown = in_colour(given, TASKS[0])
    assert [(what, name) for what, (name, _) in shown.items()] == [(BEST, "c = 7"), ("c = 2",) * 2]


def test_it_looks_up_nothing(tmp_path: Path):
    picture = drawn(results(), tmp_path / "figure.svg")
    assert "var(--" not in picture
    assert "href" not in picture


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("constants", [True, False], ids=["constants", "none, so all in the key"])
def test_nothing_leaves_the_frame(browser: Any, tmp_path: Path, constants: bool):
    long = tuple(f"{name}, described at some length" for name in METHODS)
    given = results()
    given = replace(
        given,
        table=replace(given.table, methods=long),
        curves={TASKS[0]: tuple(replace(one, name=f"{one.name}, described at some length")
                                for one in given.curves[TASKS[0]])},
        subject=long[-1],
        **({} if constants else {"fixed": (), "kinds": {}}),
    )  # fmt: skip
    drawn(given, tmp_path / "figure.svg")
    opened = Opened(browser, tmp_path / "figure.svg")
    frame = opened.boxes("rect")[0]
    for each in opened.boxes("text, .plot"):
        assert frame["x"] <= each["x"]
        assert each["x"] + each["width"] <= frame["width"]
        assert each["y"] + each["height"] <= frame["height"]
    assert opened.complaints == []


def test_bands_are_drawn_only_where_they_can_be_significant(tmp_path: Path):
    few = drawn(results(), tmp_path / "few.svg")
    many = drawn(replace(results(), fixed=(), kinds={}, subject="another"), tmp_path / "many.svg")
    assert (few.count('class="band"'), many.count('class="band"')) == (3, 0)
