"""What a run leaves behind in the process that it ran in, however it ends."""

from pathlib import Path
from typing import Any

import pytest
from tests.training.conftest import tiny_plan

from road.records.folder import RunFolder
from road.stopping import StopRequest
from road.training.launch import start_run
from road.training.run import Run

OPEN_FILES = Path("/proc/self/fd")


def quiet(event: Any) -> None:
    del event


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="only Linux lists the files of a process")
def test_a_run_leaves_no_file_open(tmp_path: Path):
    plan = tiny_plan(offline_steps=50, online_steps=0)
    start_run(plan, tmp_path / "first", "test", quiet)  # compiles, and loads what it needs
    before = len(list(OPEN_FILES.iterdir()))
    start_run(plan, tmp_path / "second", "test", quiet)
    assert len(list(OPEN_FILES.iterdir())) == before


def test_a_run_may_be_closed_before_it_begins(tmp_path: Path):
    folder = RunFolder(tmp_path / "run")
    run = Run(tiny_plan(), folder, quiet, StopRequest())
    run.close()
    folder.release()
    assert not (tmp_path / "run" / "metrics.jsonl").exists()
