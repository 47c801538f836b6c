"""The page on tasks says what the catalogue says."""

from tests.tasks.tables import PAGE, TRIED, drawn, formula

from road.tasks import TASKS
from road.tasks.task import Affine, ReturnRange


def test_the_tables_of_the_page_are_those_of_the_catalogue() -> None:
    page = PAGE.read_text("utf-8")
    assert drawn(page) == page, "run python -m tests.tasks.tables"


def test_every_task_is_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in TASKS if f"| `{name}` |" not in page] == []
    assert set(TRIED) <= set(TASKS)


def test_formulas_by_hand() -> None:
    assert formula(Affine(10.0, -5.0)) == "10 r − 5"
    assert formula(Affine()) == "r"
    assert formula(ReturnRange(1000.0)) == "1000 r / range of returns"
