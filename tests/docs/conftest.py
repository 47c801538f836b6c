"""One cache folder for all tests of the documents: datasets and compiled code are made once."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Road: TypeAlias = Callable[[list[str]], subprocess.CompletedProcess[str]]
"""Runs the command line in a process of its own, in the test's folder."""


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("road-data")


@pytest.fixture(autouse=True)
def own_folder(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROAD_DATA_DIR", str(cache))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def road() -> Road:
    def run(words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "road.cli", *words],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "COLUMNS": "200"},
        )

    return run
