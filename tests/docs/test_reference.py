"""The reference of commands and of the Python interface is read from the code, and is complete."""

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.docs.conftest import Road
from tests.docs.reading import DOCS, SOURCE

PAGES = sorted((DOCS / "reference" / "api").glob("*.md"))
SHOWN = {"road": DOCS / "reference" / "python.md"} | {f"road.{page.stem}": page for page in PAGES}


@pytest.fixture
def extensions(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports what generates the pages."""
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    return import_module


def section(page: str, title: str) -> str:
    return page.split(f"\n## {title}\n")[1].split("\n## ")[0]


def flags_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][\w.-]*\w", text))


@pytest.mark.parametrize("command", ["data check", "grid run"])
def test_the_reference_has_every_flag_that_help_prints(command: str, road: Road, extensions: Any):
    shown = road([*command.split(), "--help"]).stdout
    described = section("\n" + extensions("commands").page(), f"road {command}")
    assert flags_in(shown) - {"--help"} == flags_in(described) - {"--help"}


def test_the_reference_has_the_settings_of_every_agent_and_mixer(extensions: Any):
    commands = extensions("commands")
    page = commands.page()
    for name in (*commands.AGENTS, *commands.MIXERS):
        assert f"\n### {name}\n" in page
    assert "| `--iql.expectile FLOAT` |" in page
    assert "| `--validated.interval INT` |" in page


def test_the_reference_has_every_command(extensions: Any):
    page = "\n" + extensions("commands").page()
    for name in extensions("commands").COMMANDS:
        assert re.search(rf"^## road {name}\b", page, re.MULTILINE), name


def test_every_package_has_a_page_in_the_reference():
    packages = {path.stem for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert packages - {"cli"} <= {page.stem for page in PAGES}
    listed = SHOWN["road"].read_text("utf-8")
    assert all(f"\napi/{page.stem}\n" in listed for page in PAGES)


@pytest.mark.parametrize("package", SHOWN)
def test_the_reference_has_every_name_that_a_package_exports(package: str, extensions: Any):
    page = extensions("api").page(package)
    exported = set(getattr(import_module(package), "__all__", ())) - {"__version__"}
    assert {name for name in exported if not re.search(rf"\.{name}\b", page)} == set()


def test_the_reference_has_every_public_class_of_a_package_that_exports_nothing(extensions: Any):
    page = extensions("api").page("road.agents")
    assert ".. autoclass:: road.agents.iql.IQL\n" in page
    assert ".. autofunction:: road.agents.losses.critic_loss\n" in page
    assert "._" not in page


def test_integrations_are_described_without_their_libraries(extensions: Any):
    page = extensions("api").page("road.integrations")
    assert ".. py:class:: road.integrations.sb3.RoadCallback" in page
    assert not {"stable_baselines3", "d3rlpy"} & set(sys.modules)


def test_the_reference_has_every_error(extensions: Any):
    page = extensions("api").page("road.errors")
    code = Path(SOURCE / "errors.py").read_text("utf-8")
    for name in re.findall(r"^class (\w+)", code, re.MULTILINE):
        assert f".. autoclass:: road.errors.{name}\n" in page
