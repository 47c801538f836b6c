"""What is published of grids: tables that their runs bear out, on pages that say what they mean."""

import json
import re
from pathlib import Path

import pytest
from benchmarks import results
from tests.docs.reading import DOCS

from road.cli.grid_report import gathered
from road.experiments.store import Store
from road.report.grid_tables import markdown_table

PARTS = ("findings.md", results.BY_AREA)
INTERVAL = re.compile(r"−?\d+\.\d \(−?\d+\.\d to −?\d+\.\d\)")
SHARE = re.compile(r"in \d+ of \d+\b")
PUBLISHED = sorted(about.parent for about in (DOCS / "results").glob("*/about.json"))


def test_something_is_published():
    assert PUBLISHED


@pytest.mark.parametrize("folder", PUBLISHED, ids=lambda folder: folder.name)
def test_a_table_is_what_its_runs_say(folder: Path, tmp_path: Path):
    results.unpack(folder, tmp_path / "grid")
    store = Store(tmp_path / "grid")
    seeds = json.loads((folder / results.ABOUT).read_text())["seeds"]
    cells = [cell for cell in store.description()["cells"] if cell["seed"] in seeds]
    found = gathered(store, cells, None, "")
    assert (folder / "results.md").read_text() == markdown_table(found.cells, found.paper)


@pytest.mark.parametrize("folder", PUBLISHED, ids=lambda folder: folder.name)
def test_a_page_shows_all_of_it(folder: Path):
    page = (DOCS / "results" / f"{folder.name}.md").read_text()
    for part in (*PARTS, results.IN_WORDS, "figure.svg", "report.html", "cells.csv"):
        assert f"{folder.name}/{part}" in page
    assert f"({folder.name}.md)" in (DOCS / "results" / "index.md").read_text()


@pytest.mark.parametrize("folder", PUBLISHED, ids=lambda folder: folder.name)
def test_numbers_with_an_interval_are_those_of_the_report(folder: Path):
    """Whatever the prose claims of a sample stands in its findings, to the digit."""
    prose = " ".join((DOCS / "results" / f"{folder.name}.md").read_text().split())
    found = "".join((folder / name).read_text() for name in PARTS)
    claimed = {*INTERVAL.findall(prose), *SHARE.findall(prose)}
    assert claimed
    assert {each for each in claimed if each not in found} == set()


@pytest.mark.parametrize("folder", PUBLISHED, ids=lambda folder: folder.name)
def test_the_words_about_a_grid_are_made_from_its_numbers(folder: Path):
    told = json.loads((folder / results.ABOUT).read_text())
    assert (folder / results.IN_WORDS).read_text() == results.in_words(told)
    assert sum(maker["cells"] for maker in told["made_by"]) == told["cells"]
