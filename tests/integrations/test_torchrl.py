"""Against the real TorchRL: `make torchrl` makes its environment and runs this."""

from pathlib import Path

import pytest
from tests.integrations.conftest import check_single_file_example, run_guide

pytest.importorskip("torchrl", reason="it has its own environment: make integrations")


def test_the_example_ends_better_than_it_starts(tmp_path: Path):
    check_single_file_example("torchrl_sac.py", "torchrl_sac", tmp_path)


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run_guide("torchrl.md", tmp_path, monkeypatch)
