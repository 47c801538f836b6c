"""No setting of the paper's tables is another one here without a line in the paper notes."""

import pytest
from tests.docs.reading import ROOT

from road.experiments.grid import Grid
from road.experiments.grids.paper import QUESTIONS, ROAD, paper_grid
from road.experiments.paper_settings import DEPARTURES, PAPER, printed, resolved
from road.tasks import TASKS

NOTES = ROOT / "docs" / "paper-notes.md"


def with_road(name: str) -> Grid:
    """Every task of a grid at the paper's scale, with ROAD as the paper uses it elsewhere."""
    grid = paper_grid(name, "paper")
    return Grid(name, grid.cases, (ROAD,), agent=grid.agent, seeds=(0,))


def differences(name: str) -> set[tuple[str, str, str, object]]:
    """Agent, family, setting and our value, wherever a task of the grid has another."""
    found = set[tuple[str, str, str, object]]()
    for cell in with_road(name).cells():
        agent, family = cell.plan.agent_name, TASKS[cell.case].family
        for setting, theirs in printed(agent, family).items():
            if (ours := resolved(cell.plan, setting)) != theirs:
                found.add((agent, family, setting, ours))
    return found


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_task_has_the_papers_settings_or_a_departure(name: str):
    known = {(each.agent, each.family, each.setting, each.ours) for each in DEPARTURES}
    assert differences(name) - known == set()


def test_every_departure_is_one():
    seen = set[tuple[str, str, str, object]]().union(*map(differences, QUESTIONS))
    assert {(each.agent, each.family, each.setting, each.ours) for each in DEPARTURES} == seen


def test_every_agent_of_a_grid_has_a_table():
    assert {question.agent for question in QUESTIONS.values()} == set(PAPER)


def test_every_departure_has_its_line_in_the_paper_notes():
    page = NOTES.read_text("utf-8")
    for each in DEPARTURES:
        theirs = printed(each.agent, each.family)[each.setting]
        line = f"| {each.agent} | {each.family} | {each.setting} | {theirs} | {each.ours} | "
        assert f"{line}{each.reason} |" in page
