"""A run continues as what it was, or says in one line what is otherwise."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data.samples import sample, write_hdf5
from tests.training.conftest import tiny_plan
from tests.training.test_exact_resume import contents, differing

from road.cli import main
from road.data import from_arrays, load
from road.data.fingerprint import fingerprint
from road.data.interpret import Reading
from road.data.load import Selection, load_with
from road.data.on_disk import store
from road.errors import DamagedError, UsageError
from road.tasks.custom import TaskOverrides
from road.training.branch import branch_run, pretraining_plan
from road.training.checkpoint import checkpoints, digest, load_checkpoint
from road.training.config import Plan
from road.training.events import Event, Note
from road.training.launch import evaluate_run, resume_run, start_run


def quiet(event: Event) -> None:
    del event


def rows(seed: int = 0) -> dict[str, Any]:
    """Some log that fits the pendulum: three observations, one action."""
    draw = np.random.default_rng(seed)
    return sample(actions=draw.uniform(-1.0, 1.0, (15, 1)))


def on_file(path: Path, **changes: Any) -> Plan:
    """A run on the user's own file, stopped at the switch by the tests below."""
    own = TaskOverrides(data=f"file:{path}")
    return dataclasses.replace(tiny_plan(online_steps=40, **changes), own=own)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("begun")
    write_hdf5(folder / "log.hdf5", rows())
    start_run(on_file(folder / "log.hdf5"), folder / "run", "test", quiet, until_switch=True)
    return folder


@pytest.fixture
def here(begun: Path, tmp_path: Path) -> Path:
    """The run and its file, in a place of their own."""
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    edit(
        tmp_path / "run",
        lambda reported: reported["own"].update(data=f"file:{tmp_path / 'log.hdf5'}"),
    )
    return tmp_path


def edit(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    reported = json.loads((run / "config.json").read_text())
    change(reported)
    (run / "config.json").write_text(json.dumps(reported))


def test_data_that_were_changed_are_refused_and_may_be_accepted(
    here: Path, capsys: pytest.CaptureFixture[str]
):
    before = contents(here / "run")
    (here / "log.hdf5").unlink()
    write_hdf5(here / "log.hdf5", rows(seed=1))
    assert main(["resume", str(here / "run")]) == 2
    (reported,) = [
        line for line in capsys.readouterr().err.splitlines() if line.startswith("error")
    ]
    assert "log.hdf5 have changed since the run was saved" in reported
    assert "--accept-changed-data" in reported
    assert contents(here / "run") == before
    assert main(["resume", str(here / "run"), "--accept-changed-data"]) == 0
    _, document = load_checkpoint(checkpoints(here / "run" / "checkpoints")[-1])
    assert document["identity"]["data"] == fingerprint(on_file(here / "log.hdf5").task.dataset())


def test_data_may_move_and_be_stored_in_another_format(here: Path):
    """What counts is their content: the run ends with the same bits."""
    source = f"file:{here / 'log.hdf5'}"
    stored = store(here / "stored", lambda a: load_with(source, Reading(), Selection(), a))
    assert fingerprint(stored) == fingerprint(load(source)) == fingerprint(from_arrays(rows()))
    shutil.copytree(here / "run", here / "other")
    resume_run(here / "run", quiet)
    edit(here / "other", lambda reported: reported["own"].update(data=f"stored:{here / 'stored'}"))
    resume_run(here / "other", quiet)
    assert differing(contents(here / "run"), contents(here / "other")) == []


def test_a_task_may_mend_what_is_stored(here: Path):
    """Then its fingerprint is not the checksum of the folder."""
    source = f"file:{here / 'log.hdf5'}"
    stored = store(here / "stored", lambda a: load_with(source, Reading(), Selection(), a))
    for name in ("reward", "terminated"):
        array = np.array(getattr(stored, name))
        array[0] = not array[0]
        assert fingerprint(dataclasses.replace(stored, **{name: array})) != fingerprint(stored)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 4}, "seed is 4, was 3"),
        ({"online_steps": 80}, "online_steps is 80, was 40"),
        ({"batch_size": 8, "period": 20}, "batch_size is 8, was 16, period is 20, was 40"),
        ({"agent": ("discount", 0.5)}, r"agent.discount is 0.5, was 0.98"),
        ({"mixer": ("exploration", 7.0)}, "mixer.exploration is 7.0, was 0.1"),
        ({"own": ("reward_scale", 2.0)}, "own.reward_scale is 2.0, was 'absent'"),
    ],
)
def test_a_plan_that_was_edited_is_refused_by_what_differs(
    change: dict[str, Any], named: str, here: Path
):
    def apply(reported: dict[str, Any]) -> None:
        for name, value in change.items():
            if isinstance(value, tuple):
                reported[name][value[0]] = value[1]
            else:
                reported[name] = value

    edit(here / "run", apply)
    before = contents(here / "run")
    for act in (
        lambda: resume_run(here / "run", quiet),
        lambda: evaluate_run(here / "run", 1, best=False, seed=0),
    ):
        with pytest.raises(UsageError, match="belong to another plan") as refusal:
            act()
        assert named in str(refusal.value)
    assert contents(here / "run") == before


def test_checkpoints_of_another_seed_are_refused(here: Path, tmp_path: Path):
    other = on_file(here / "log.hdf5", seed=4)
    start_run(other, tmp_path / "other", "test", quiet, until_switch=True)
    shutil.rmtree(here / "run" / "checkpoints")
    shutil.copytree(tmp_path / "other" / "checkpoints", here / "run" / "checkpoints")
    with pytest.raises(UsageError, match="seed is 3, was 4"):
        resume_run(here / "run", quiet)


@pytest.mark.parametrize("name", ["metrics", "evaluations"])
def test_rows_that_a_checkpoint_counts_on_are_those_that_were_written(name: str, here: Path):
    path = here / "run" / f"{name}.jsonl"
    content = bytearray(path.read_bytes())
    content[content.index(b"1")] = ord("2")
    path.write_bytes(content + b'{"a row": "of a later session"}\n')
    before = path.read_bytes()
    with pytest.raises(DamagedError, match=rf"{name}.jsonl is damaged: its first \d+ bytes"):
        resume_run(here / "run", quiet)
    assert path.read_bytes() == before


def test_shared_pretraining_is_held_to_its_data_and_plan_too(here: Path, tmp_path: Path):
    plan = on_file(here / "log.hdf5")
    start_run(pretraining_plan(plan), tmp_path / "shared", "test", quiet, until_switch=True)
    branch_run(plan, tmp_path / "branch", tmp_path / "shared", "test")
    (here / "log.hdf5").unlink()
    write_hdf5(here / "log.hdf5", rows(seed=1))
    with pytest.raises(UsageError, match="have changed"):
        resume_run(tmp_path / "branch", quiet)
    edit(tmp_path / "shared", lambda reported: reported.update(online_steps=50))
    with pytest.raises(UsageError, match="online_steps is 50, was 40"):
        branch_run(plan, tmp_path / "another", tmp_path / "shared", "test")
    assert not (tmp_path / "another").exists() or not (tmp_path / "another/config.json").exists()


def test_a_checkpoint_of_an_earlier_version_goes_on_with_one_notice(here: Path):
    """It had no identity, and nothing to compare with."""
    for path in checkpoints(here / "run" / "checkpoints"):
        (path / "identity.json").unlink()
        files = {name: digest(path / name) for name in ("arrays.npz", "state.json")}
        (path / "MANIFEST.json").write_text(json.dumps({"format": 2, "files": files}))
    said: list[Event] = []
    resume_run(here / "run", said.append)
    notices = [e.text for e in said if isinstance(e, Note) and "earlier version" in e.text]
    assert len(notices) == 1
    _, document = load_checkpoint(checkpoints(here / "run" / "checkpoints")[-1])
    assert document["identity"]["plan"]["seed"] == 3


@pytest.mark.parametrize("content", ["[]", "1", "{}", '{"plan": 1, "data": 2, "journals": 3}'])
def test_an_identity_that_is_none_is_reported(content: str, here: Path):
    path = checkpoints(here / "run" / "checkpoints")[-1]
    (path / "identity.json").write_text(content)
    files = {each.name: digest(each) for each in path.iterdir() if each.name != "MANIFEST.json"}
    (path / "MANIFEST.json").write_text(json.dumps({"format": 2, "files": files}))
    with pytest.raises(DamagedError, match="does not say what it belongs to"):
        resume_run(here / "run", quiet)
