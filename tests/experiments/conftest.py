"""Tiny grids, and the command line that runs them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from road.cli import main
from road.experiments.grid import Case, Grid, Strategy
from road.experiments.jobs import Work, work_of
from road.experiments.store import Store

RUN: dict[str, Any] = {
    "offline_steps": 60,
    "online_steps": 80,
    "batch_size": 16,
    "period": 20,
    "measure_batch": 32,
    "evaluate_every": 40,
    "evaluation_episodes": 1,
    "log_every": 20,
}
FIXED = Strategy("Fixed 0.5", "fixed", {"offline_ratio": 0.5})
ROAD = Strategy("ROAD", "road")


def tiny_grid(**changes: Any) -> Grid:
    usual: dict[str, Any] = {
        "name": "tiny",
        "cases": (Case("pendulum-flipped"),),
        "strategies": (FIXED, ROAD),
        "seeds": (0,),
        "run": RUN,
        "agent_settings": {"hidden": (16, 16)},
    }
    return Grid(**{**usual, **changes})


FILE = f"""
from road.cli import main
from road.experiments.grid import Case, Grid, Strategy

GRID = Grid(
    "tiny",
    cases=(Case("pendulum-flipped"),),
    strategies=(Strategy("Fixed 0.5", "fixed", {{"offline_ratio": 0.5}}), Strategy("ROAD", "road")),
    seeds=(0, 1),
    run={RUN!r},
    agent_settings={{"hidden": (16, 16)}},
)
"""
"""The same as a user's file, with two seeds."""


def entered(path: Path, grid: Grid) -> tuple[Store, Work]:
    store, work = Store(path), work_of(grid.cells())
    store.enter(grid, "own", "test", work)
    return store, work


def digests(store: Path) -> dict[str, str]:
    return {
        path.stem: json.loads(path.read_text())["digest"]
        for path in (store / "done").glob("*.json")
    }


Grids = Callable[..., tuple[int, str, str]]


@pytest.fixture
def road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Grids:
    """Exit code, output and errors of a command in the test's folder. Workers are processes."""

    def call(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.chdir(tmp_path)
        code = main([*map(str, words)])
        return code, *capsys.readouterr()

    return call
