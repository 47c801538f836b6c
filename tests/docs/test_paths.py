"""ARCHITECTURE.md lists the files that one online step and one period's end go through."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import pytest
from tests.docs.reading import ROOT, SOURCE
from tests.training.conftest import tiny_plan

from road.records.folder import RunFolder
from road.stopping import StopRequest
from road.training.run import Run


def listed(heading: str) -> set[str]:
    """The files that the numbered list of a section names."""
    section = (ROOT / "ARCHITECTURE.md").read_text("utf-8").split(f"## {heading}\n")[1]
    lines = [
        line for line in section.split("\n## ")[0].splitlines() if re.match(r"\d+\.|   ", line)
    ]
    return {name for line in lines for name in re.findall(r"`([\w/]+\.py)`", line)}


def called_files(act: Callable[[], Any]) -> set[str]:
    """The files of this library whose functions are called, those that JAX traces included."""
    found: set[str] = set()

    def note(frame: Any, event: str, argument: Any) -> None:
        del argument
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE):
            found.add(str(path.relative_to(SOURCE)))

    jax.clear_caches()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


@pytest.fixture
def run(tmp_path: Path) -> Run:
    plan = tiny_plan(offline_steps=0, online_steps=120)
    run = Run(plan, RunFolder(tmp_path / "run"), lambda _: None, StopRequest())
    run.begin()
    run.go_online()
    return run


def test_the_paths_of_a_batch_and_of_a_period_are_as_listed(run: Run):
    steps = run.online_loop().run(run.state)
    trained = next(step for step in steps if not step.learners[0].waiting)
    assert trained.learners[0].metrics is not None
    batch = called_files(lambda: next(steps))
    assert batch == listed("One batch")

    while run.state.main.period.steps < run.config.period - 1:  # pyright: ignore[reportOperatorIssue]
        next(steps)

    def end_and_begin_a_period() -> None:
        last = next(steps)
        assert last.learners[0].period is not None
        run.log_step(last)
        next(steps)

    assert called_files(end_and_begin_a_period) - batch == listed("One period")
