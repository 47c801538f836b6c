"""What is published of grids: tables that their runs bear out, on pages that say what they mean."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from benchmarks import results
from tests.docs.reading import DOCS

from road.cli.grid_report import gathered
from road.experiments.store import Store
from road.report.grid_answers import answers_of
from road.report.grid_findings import findings
from road.report.grid_results import GridResults
from road.report.grid_runs import Measure
from road.report.grid_tables import markdown_table

Gather: TypeAlias = Callable[[Measure], GridResults]

PARTS = ("findings.md", results.BY_AREA)
INTERVAL = re.compile(r"−?\d+\.\d \(−?\d+\.\d to −?\d+\.\d\)")
SHARE = re.compile(r"in \d+ of \d+\b")
CHANCE = re.compile(r"\bp (?:= )?((?:< )?0\.\d+)")
PARAGRAPH = re.compile(r"\n\n|\n- ")
PUBLISHED = sorted(about.parent for about in (DOCS / "results").glob("*/about.json"))


def test_something_is_published():
    assert PUBLISHED


@pytest.fixture(scope="module", params=PUBLISHED, ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture(scope="module")
def unpacked(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(tmp_path_factory.mktemp(folder.name) / "grid")
    results.unpack(folder, store.path)
    return store


def cells_of(folder: Path, store: Store) -> list[dict[str, Any]]:
    """Those that are reported on."""
    seeds = json.loads((folder / results.ABOUT).read_text())["seeds"]
    return [cell for cell in store.description()["cells"] if cell["seed"] in seeds]


@pytest.fixture(scope="module")
def gather(folder: Path, unpacked: Store) -> Gather:
    """What the runs of a published grid say now, by either score."""
    cells = cells_of(folder, unpacked)
    return cache(lambda measure: gathered(unpacked, cells, None, "", measure))


def test_a_table_is_what_its_runs_say(folder: Path, gather: Gather):
    found = gather("final")
    assert (folder / "results.md").read_text() == markdown_table(found.cells, found.paper)


def test_findings_are_what_the_runs_say(folder: Path, gather: Gather):
    found = gather("final")
    assert (folder / PARTS[0]).read_text() == findings(found, answers_of(found))


@pytest.mark.slow
def test_findings_by_area_are_what_the_runs_say(folder: Path, gather: Gather):
    found = gather("area")
    said = findings(found, answers_of(found))
    assert (folder / PARTS[1]).read_text() == results.as_a_page(f"{folder.name}, by area", said)


@pytest.mark.slow
def test_findings_without_a_task_are_what_the_runs_say(folder: Path, unpacked: Store):
    told = json.loads((folder / results.ABOUT).read_text())
    for task in told.get("without", []):
        cells = [cell for cell in cells_of(folder, unpacked) if cell["case"] != task]
        found = gathered(unpacked, cells, None, "")
        page = results.as_a_page(
            f"{folder.name}, without {task}", findings(found, answers_of(found))
        )
        assert (folder / results.without_name(task)).read_text() == page


def test_a_page_shows_all_of_it(folder: Path):
    page = (DOCS / "results" / f"{folder.name}.md").read_text()
    told = json.loads((folder / results.ABOUT).read_text())
    views = map(results.without_name, told.get("without", []))
    for part in (*PARTS, *views, results.IN_WORDS, "figure.svg", "report.html", "cells.csv"):
        assert f"{folder.name}/{part}" in page
    assert f"({folder.name}.md)" in (DOCS / "results" / "index.md").read_text()


def test_numbers_with_an_interval_are_those_of_the_report(folder: Path):
    """Whatever the prose claims of a sample stands in its findings, to the digit.

    In those by area, or without a task, only if the paragraph says so.
    """
    final = (folder / PARTS[0]).read_text()
    told = json.loads((folder / results.ABOUT).read_text())
    views = {"over the phase": PARTS[1]}
    views |= {f"without `{task}`": results.without_name(task) for task in told.get("without", [])}
    page = (DOCS / "results" / f"{folder.name}.md").read_text()
    claims = 0
    for paragraph in PARAGRAPH.split(page):
        prose = " ".join(paragraph.split())
        found = final + "".join(
            (folder / name).read_text() for words, name in views.items() if words in prose.lower()
        )
        chances = {f"| {p} |" for p in CHANCE.findall(prose)}
        claimed = {*INTERVAL.findall(prose), *SHARE.findall(prose), *chances}
        assert {each for each in claimed if each not in found} == set()
        claims += len(claimed)
    assert claims


def test_the_words_about_a_grid_are_made_from_its_numbers(folder: Path):
    told = json.loads((folder / results.ABOUT).read_text())
    assert (folder / results.IN_WORDS).read_text() == results.in_words(told)
    assert sum(maker["cells"] for maker in told["made_by"]) == told["cells"]
