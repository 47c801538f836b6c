"""An agent's page names functions that exist, where it says they are, and the defaults in force."""

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest
from tests.docs.reading import DOCS, SOURCE

from road.agents.recipes import AGENTS, PRESETS


def defined_in(path: Path) -> set[str]:
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.name for node in tree if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def rows(page: str, head: str) -> list[list[str]]:
    """The cells of the table with that head, which must be there."""
    table = re.search(rf"^\| {re.escape(head)} \|.*\n\|[-|]*\n((?:\|.*\n)+)", page, re.MULTILINE)
    assert table, f"no table that begins with {head!r}"
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in table[1].splitlines()]


@pytest.mark.parametrize("name", AGENTS)
def test_every_function_of_the_table_of_equations_is_where_the_page_says(name: str):
    page = (DOCS / "agents" / f"{name}.md").read_text("utf-8")
    own = Path(inspect.getfile(AGENTS[name]))
    for _, function, what in rows(page, "paper"):
        named_file = re.search(r"\(`((?:agents|nn)/\w+\.py)`\)", what)
        home = SOURCE / named_file[1] if named_file else own
        assert function.strip("`").split(".")[-1] in defined_in(home), f"{function} in {home.name}"


@pytest.mark.parametrize("name", AGENTS)
def test_every_number_in_the_table_of_settings_is_the_default(name: str):
    page = (DOCS / "agents" / f"{name}.md").read_text("utf-8")
    agent = AGENTS[name](**PRESETS.get(name, {}))
    listed = {cells[0].split("`")[1]: cells[1] for cells in rows(page, "field")}
    assert set(listed) == {field.name for field in fields(agent)}
    for field, text in listed.items():
        value, said = getattr(agent, field), text.replace(",", "")
        if isinstance(value, bool):
            assert said.startswith("on" if value else "off"), field
        elif isinstance(value, int | float):
            assert float(re.split(r"[ :]", said)[0]) == value, field
