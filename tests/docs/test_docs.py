"""The documents run: python blocks are executed, console blocks are typed and compared."""

import inspect
import re
import shlex
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import pytest
from tests.conftest import make_batch
from tests.contracts import test_agents as agent_contract
from tests.docs.conftest import Road
from tests.docs.reading import DOCS, ROOT, SOURCE, Block, blocks, documents, name_of
from tests.mixing import test_mixers as mixer_contract

from road.types import Spec

RUN = ("python", "console")
RUNNABLE = [page for page in documents() if any(block.language in RUN for block in blocks(page))]


def execute(document: Path, road: Road | None = None) -> dict[str, Any]:
    """Run the blocks of a document in order, in one namespace; gives what they defined."""
    namespace: dict[str, Any] = {"__name__": document.stem}
    for block in blocks(document):
        if block.language == "python":
            # Empty lines before the code, so that a traceback points into the document.
            code = compile("\n" * (block.line - 1) + block.text, str(document), "exec")
            exec(code, namespace)
        elif block.language == "console" and road is not None:
            run_console(block, road)
    return namespace


@cache
def namespace_of(document: Path) -> dict[str, Any]:
    """What the python blocks of a document define; several tests ask, and they run once."""
    return execute(document)


def run_console(block: Block, road: Road) -> None:
    """Type every command of a block; each line shown below it must be in what it answers."""
    command, *more = block.text.strip().split("\n$ ")
    for typed in [command.removeprefix("$ "), *more]:
        line, *shown = typed.splitlines()
        program, *words = shlex.split(line)
        assert program == "road", f"only road commands can be run, not {line!r}"
        answer = road(words)
        output = answer.stdout + answer.stderr
        refused = any(expected.startswith("error:") for expected in shown)
        assert (answer.returncode != 0) == refused, f"{line}\n{output}"
        for expected in shown:
            assert expected in output, f"{line} does not answer {expected!r} but\n{output}"


@pytest.mark.integration
@pytest.mark.parametrize("document", RUNNABLE, ids=name_of)
def test_every_block_of_the_document_runs(document: Path, road: Road):
    if any(block.language == "console" for block in blocks(document)):
        execute(document, road)
    else:
        namespace_of(document)


def test_the_documents_a_user_starts_with_have_blocks_that_run():
    guides = {page.name for page in RUNNABLE}
    assert {"README.md", "quickstart.md", "your-own-loop.md", "add-a-mixer.md"} <= guides
    assert {"add-an-agent.md", "add-a-task.md"} <= guides


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def contract_tests(module: ModuleType, subject: str) -> dict[str, Any]:
    """The tests of a module that are about one subject, given as a fixture of that name."""
    return {
        name: test
        for name, test in vars(module).items()
        if name.startswith("test_") and subject in inspect.signature(test).parameters
    }


@pytest.fixture(scope="module")
def guided_mixer() -> Any:
    return namespace_of(DOCS / "guides" / "add-a-mixer.md")["WalkingMixer"]()


@pytest.mark.parametrize("name", contract_tests(mixer_contract, "mixer"))
def test_the_mixer_of_the_guide_passes_the_contract_tests(name: str, guided_mixer: Any):
    vars(mixer_contract)[name](guided_mixer)


@pytest.fixture(scope="module")
def guided_agent() -> Any:
    return namespace_of(DOCS / "guides" / "add-an-agent.md")


@pytest.mark.parametrize(
    "name",
    [name for name in contract_tests(agent_contract, "agent") if "every_named_agent" not in name],
)
def test_the_agent_of_the_guide_passes_the_contract_tests(name: str, guided_agent: dict[str, Any]):
    spec = Spec(observation_dim=5, action_dim=2)
    known = {
        "agent": guided_agent["Nearby"](hidden=(16, 16)),
        "spec": spec,
        "batch": make_batch(spec, updates=2, size=8),
        "key": jax.random.key(7),
    }
    test = vars(agent_contract)[name]
    test(**{name: known[name] for name in inspect.signature(test).parameters})


def test_the_recipe_of_the_guide_forgets_the_moments_only(guided_agent: dict[str, Any]):
    nearby, spec = guided_agent["Nearby"](hidden=(16, 16)), Spec(observation_dim=5, action_dim=2)
    recipe = nearby.recipe()
    batch, key = make_batch(spec, updates=2, size=8), jax.random.key(7)
    trained, _ = nearby.update(nearby.init(key, spec), batch, key)
    carried = recipe.carry(trained)
    assert agent_contract.same(carried.actor.model, trained.actor.model)
    assert agent_contract.same(carried.target_critic, trained.target_critic)
    assert not agent_contract.same(carried.critic.optimiser_state, trained.critic.optimiser_state)


def test_the_table_of_packages_names_every_package():
    lines = (ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()
    named = {
        word for line in lines if line.startswith("| `") for word in re.findall(r"[\w.]+", line)
    }
    packages = {path.name for path in SOURCE.iterdir() if not path.name.startswith("_")}
    assert packages - {"py.typed"} - named == set()
