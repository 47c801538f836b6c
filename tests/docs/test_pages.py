"""The documents are complete and point to things that exist."""

import inspect
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import jax
import pytest
from tests.conftest import make_batch
from tests.docs.conftest import Road
from tests.docs.reading import DOCS, ROOT, SOURCE, anchors, documents, links, name_of, prose

from road import errors
from road.agents.recipes import AGENTS
from road.mixing import MIXERS, Informedness
from road.types import Spec
from road.version import __version__

SPEC = Spec(observation_dim=3, action_dim=1)
RUN_FOLDER = DOCS / "reference" / "run-folder.md"


def missing(page: Path, names: list[str]) -> list[str]:
    """Which of the names the page does not write as code."""
    text = prose(page)
    return [name for name in names if f"`{name}`" not in text]


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_page_names_every_loss(name: str):
    module = inspect.getmodule(AGENTS[name])
    losses = [name for name, thing in vars(module).items() if name.endswith("_loss")]
    assert missing(DOCS / "agents" / f"{name}.md", losses) == []


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_page_explains_every_metric_and_field(name: str):
    agent, key = AGENTS[name](), jax.random.key(0)
    batch = make_batch(SPEC, updates=1, size=4)
    state = agent.init(key, SPEC)
    _, metrics = jax.eval_shape(agent.update, state, batch, key)
    named = [*metrics, *(field.name for field in fields(agent))]
    assert missing(DOCS / "agents" / f"{name}.md", named) == []


@pytest.mark.parametrize("name", MIXERS)
def test_a_mixers_page_explains_every_field(name: str):
    named = [field.name for field in fields(MIXERS[name])]
    assert missing(DOCS / "mixing" / f"{name}.md", named) == []


@pytest.mark.parametrize("name", MIXERS)
def test_every_mixer_is_in_the_overview_and_in_the_readme(name: str):
    assert f"({name}.md)" in prose(DOCS / "mixing" / "index.md")
    assert f"(docs/mixing/{name}.md)" in prose(ROOT / "README.md")


def test_the_page_on_informedness_explains_every_field():
    assert (
        missing(DOCS / "mixing" / "informedness.md", [field.name for field in fields(Informedness)])
        == []
    )


def kinds_of_error(kind: type[errors.RoadError] = errors.RoadError) -> list[type[errors.RoadError]]:
    return [kind, *(each for child in kind.__subclasses__() for each in kinds_of_error(child))]


def test_every_example_is_listed_with_its_command():
    page = prose(ROOT / "examples" / "README.md")
    for script in (ROOT / "examples").glob("*.py"):
        assert f"| `{script.name}` |" in page
        assert f"`python examples/{script.name}`" in page


@pytest.mark.parametrize("kind", kinds_of_error(), ids=lambda kind: kind.__name__)
def test_every_exit_code_is_explained(kind: type[errors.RoadError]):
    assert f"| {kind.exit_code} | `{kind.__name__}` |" in prose(RUN_FOLDER)


@pytest.mark.integration
def test_every_file_and_column_of_a_run_is_explained(road: Road):
    budget = "--online-steps 240 --evaluation-episodes 1 --log-every 10 --out run"
    answer = road(["train", "pendulum-mixed", *budget.split()])
    assert answer.returncode == 0, answer.stderr
    folder = Path("run")
    files = {path.name for path in folder.rglob("*") if path.is_file()}
    assert missing(RUN_FOLDER, sorted(files)) == []
    for journal in ("episodes", "evaluations"):
        assert missing(RUN_FOLDER, first_row(folder, journal)) == []
    period = first_row(folder, "mixer")
    assert missing(DOCS / "mixing" / "road.md", period) == []
    metrics = set(first_row(folder, "metrics")) - {"phase", "step"}
    assert missing(DOCS / "agents" / "iql.md", sorted(metrics)) == []


def first_row(folder: Path, journal: str) -> list[str]:
    row: dict[str, Any] = json.loads((folder / f"{journal}.jsonl").read_text().splitlines()[0])
    nested = [
        f"{name}.{part}" for name, cell in row.items() if isinstance(cell, dict) for part in cell
    ]
    return [*row, *nested]


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_links_lead_somewhere(document: Path):
    for link in links(document):
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.is_file(), f"{link} does not exist"
        assert not anchor or anchor in anchors(target), f"{link}: there is no such heading"


@pytest.mark.parametrize("document", documents(), ids=name_of)
def test_every_python_file_that_is_named_exists(document: Path):
    named = re.findall(r"`((?:[\w-]+/)*\w+\.py)`", prose(document))
    roots = (ROOT, SOURCE, document.parent)
    absent = [name for name in named if not any((at / name).exists() for at in roots)]
    # One name may not exist, and is named for that.
    assert set(absent) <= {"utils.py"}


def test_decisions_are_numbered_without_a_gap_and_have_their_three_parts():
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        assert page.read_text("utf-8").startswith(f"# {page.name[:4]} ")
        headings = re.findall(r"^## (.+)$", page.read_text("utf-8"), re.MULTILINE)
        assert headings == ["Context", "Decision", "Consequence"]


def test_the_version_to_cite_and_the_newest_in_the_changelog_are_this_one():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__
