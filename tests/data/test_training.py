"""The checks of the doctor stand before every training."""

from pathlib import Path

import numpy as np
import pytest
from tests.data.samples import sample, with_value, write_hdf5

from road.cli import main
from road.data import from_arrays
from road.records.folder import RunFolder
from road.stopping import StopRequest
from road.tasks.custom import TaskOverrides, custom_task
from road.training.config import default_plan
from road.training.events import Event, Note
from road.training.run import Run

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")


def pendulum() -> object:
    return gymnasium.make("Pendulum-v1")


def test_warnings_are_listed_before_the_first_step(tmp_path: Path) -> None:
    dataset = from_arrays(sample(actions=np.zeros((15, 1), np.float32)))
    task = custom_task("pendulum", pendulum, lambda: dataset, TaskOverrides())
    plan = default_plan("pendulum", "iql", None, TaskOverrides(), given=task)
    seen: list[Event] = []
    run = Run(plan, RunFolder(tmp_path / "run"), seen.append, StopRequest())
    run.close()
    assert [event.text for event in seen if isinstance(event, Note)] == [
        "data: only 15 rows, fewer than a batch of 256",
        "data: action is constant in 1 columns: 0",
    ]


def test_data_that_cannot_be_learnt_from_stops_the_run_before_it_has_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays = with_value("rewards", 6, np.nan)
    arrays["actions"] = np.zeros((15, 1), np.float32)
    path = write_hdf5(tmp_path / "log.hdf5", arrays)
    words = ["--env", "Pendulum-v1", "--data", f"file:{path}", "--out", str(tmp_path / "run")]
    assert main(["train", *words]) == 3
    said = capsys.readouterr().err
    assert f"error: {path}: reward holds nan at row 6" in said
    assert not (tmp_path / "run").exists()
