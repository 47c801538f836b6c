"""Rules for this repository that no linter checks."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "road").rglob("*.py"))

LONG_FILES: dict[str, str] = {}
"""Source files over the limit, each with its reason."""

FORBIDDEN_NAMES = {"utils.py", "util.py", "helpers.py", "common.py", "misc.py"}
UNSAFE = {"pickle", "cloudpickle", "joblib", "dill", "marshal", "shelve"}
SILENCED_CHECKS = 8
"""How many checks may be silenced in the sources: a ceiling that only falls."""


LARGEST_CHECKOUT = 8_000_000
"""Bytes of all tracked files: what a checkout takes without its history."""
OLD_NAME = re.compile("road[-_]" + "rl", re.IGNORECASE)
"""An unrelated project on the package index has that name."""


def tracked_files() -> list[Path]:
    """Every file that git tracks and that is there; without git, the test is skipped."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    words = ["git", "ls-files", "-z"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [path for path in paths if path.is_file()]


def identify(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=identify)
def test_a_file_holds_one_idea(path: Path):
    lines = path.read_text().count("\n")
    assert lines <= 350 or identify(path) in LONG_FILES, f"{lines} lines: split it by idea"
    assert path.name not in FORBIDDEN_NAMES, "a function lives with its idea"


@pytest.mark.parametrize("path", SOURCES, ids=identify)
def test_functions_are_short(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 45, f"{node.name} in line {node.lineno} has {length} lines"


@pytest.mark.parametrize("path", SOURCES, ids=identify)
def test_nothing_is_unpickled_and_nothing_evaluated(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert not UNSAFE & {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in UNSAFE
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec"}, f"line {node.lineno}"


def test_every_silenced_check_names_its_rule_and_reason():
    silenced = [
        f"{identify(path)}: {line.strip()}"
        for path in SOURCES
        for line in path.read_text().splitlines()
        if re.search(r"#\s*(noqa|type: ignore|pyright: ignore)", line)
    ]
    for line in silenced:
        assert re.search(r"(noqa: [A-Z]+\d+|ignore\[\w+\]) -- \w+", line), line
    assert len(silenced) <= SILENCED_CHECKS, "\n".join(silenced)


def test_the_lock_names_no_registry():
    lock = (ROOT / "requirements" / "lock.txt").read_text()
    assert "http" not in lock
    assert "--hash=sha256:" in lock


def test_no_two_test_files_share_a_name():
    """Pytest imports them by their names."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_no_file_mentions_the_former_distribution_name():
    """The distribution is called road-o2o; the package and the command are called road."""
    named = [
        identify(path)
        for path in tracked_files()
        if OLD_NAME.search(path.read_text("utf-8", errors="ignore"))
    ]
    assert named == []


def test_a_checkout_is_small():
    """Archives and reports of studies are made by a command, not committed."""
    sizes = {identify(path): path.stat().st_size for path in tracked_files()}
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    assert sum(sizes.values()) <= LARGEST_CHECKOUT, f"the largest are {largest}"
