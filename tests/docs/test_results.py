"""What is published of grids: pages whose numbers follow from their tables of cells."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from benchmarks import results
from benchmarks.cells import findings_of, read_cells
from benchmarks.provenance import provenance_table
from tests.docs.reading import DOCS

Findings: TypeAlias = Callable[..., str]
RESULTS = DOCS / "results"
INTERVAL = re.compile(r"−?\d+\.\d \(−?\d+\.\d to −?\d+\.\d\)")
SHARE = re.compile(r"in \d+ of \d+\b")
CHANCE = re.compile(r"\bp (?:= )?((?:< )?0\.\d+)")
PARAGRAPH = re.compile(r"\n\n|\n- ")
PUBLISHED = sorted(page for page in RESULTS.glob("*.md") if page.stem != "index")
Findings = Callable[..., str]
"""The findings of a page, by score and without some tasks."""
KINDS = {".md", ".svg", ".csv"}
"""What is kept of a study: a page, a figure and a table of cells."""


def test_something_is_published():
    assert PUBLISHED


def test_a_study_is_one_page_one_figure_and_one_table():
    kept = {path.relative_to(RESULTS) for path in RESULTS.rglob("*") if path.is_file()}
    studies = {Path(page.stem).with_suffix(kind) for page in PUBLISHED for kind in KINDS}
    assert kept == {Path("index.md"), *studies}


@pytest.fixture(scope="module", params=PUBLISHED, ids=lambda page: page.stem)
def page(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture(scope="module")
def about(page: Path) -> dict[str, Any]:
    return results.read_about(page)


@pytest.fixture(scope="module")
def cells(page: Path) -> list[dict[str, Any]]:
    return read_cells(page.with_suffix(".csv"))


@pytest.fixture(scope="module")
def findings(cells: list[dict[str, Any]], about: dict[str, Any]) -> Findings:
    """What the table of cells says, in any view: by either score, with and without tasks."""
    return cache(lambda score="final", *without: findings_of(cells, about, score, without))


def generated(page: Path, part: str) -> str:
    return results.find_part(page.read_text("utf-8"), part)


def hand_written(page: Path) -> str:
    text = page.read_text("utf-8")
    for part in results.PARTS:
        text = text.replace(results.find_part(text, part), "")
    return text


def test_the_findings_of_a_page_are_what_its_cells_say(page: Path, findings: Findings):
    """Scores, regret, pairs, choices, aggregates, informedness and credit quality."""
    begin, end = results.BEGIN.format("findings"), results.END.format("findings")
    assert generated(page, "findings") == f"{begin}\n{findings()}\n{end}\n"


def test_what_a_grid_took_is_made_from_its_numbers(page: Path, about: dict[str, Any]):
    assert provenance_table(about) in generated(page, "provenance")
    assert sum(maker["cells"] for maker in about["made_by"]) == about["cells"]


def test_the_table_has_every_cell_once(cells: list[dict[str, Any]], about: dict[str, Any]):
    """Each with its scores and the hash of its bits."""
    seeds = {int(cell["seed"]) for cell in cells}
    places = {(cell["case"], cell["strategy"], cell["seed"]) for cell in cells}
    assert seeds == set(about["seeds"])
    assert len(cells) == len(places) == len({cell["key"] for cell in cells}) == about["cells"]
    assert all(cell["final"] and cell["area"] for cell in cells)
    assert all(re.fullmatch(r"[0-9a-f]{64}", cell["digest"]) for cell in cells)


def test_a_page_shows_its_figure_and_its_table_and_is_listed(page: Path):
    text = hand_written(page)
    assert f"({page.stem}.svg)" in text
    assert f"({page.stem}.csv)" in text
    assert f"({page.name})" in (RESULTS / "index.md").read_text("utf-8")


def views(about: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """The words with which a paragraph says that it is about another view of the findings."""
    without = {f"without `{task}`": ("final", task) for task in about["without"]}
    both = {f"over the phase and {words}": ("area", task) for words, (_, task) in without.items()}
    return {"over the phase": ("area",), **without, **both}


def paragraphs(page: Path, about: dict[str, Any]) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The prose of a page, and the views that each paragraph names."""
    split = (" ".join(each.split()) for each in PARAGRAPH.split(hand_written(page)))
    return [
        (prose, [view for words, view in views(about).items() if words in prose.lower()])
        for prose in split
    ]


def claims(prose: str) -> set[str]:
    chances = {f"| {p} |" for p in CHANCE.findall(prose)}
    return {*INTERVAL.findall(prose), *SHARE.findall(prose), *chances}


def test_numbers_with_an_interval_are_those_of_the_findings(
    page: Path, about: dict[str, Any], findings: Findings
):
    """Whatever the prose claims of a sample is in its findings, to the digit."""
    claimed = [claims(prose) for prose, named in paragraphs(page, about) if not named]
    assert {each for some in claimed for each in some if each not in findings()} == set()
    assert any(claims(prose) for prose, _ in paragraphs(page, about))


@pytest.mark.slow
def test_numbers_of_another_view_are_those_of_its_findings(
    page: Path, about: dict[str, Any], findings: Findings
):
    """Of those by area, or without a task, where the paragraph says so."""
    for prose, named in paragraphs(page, about):
        found = findings() + "".join(findings(*view) for view in named)
        assert {each for each in claims(prose) if each not in found} == set()
