"""A run folder has one holder, also where two processes come and go at the same moment."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.training.conftest import tiny_plan

from road.errors import LockedError, StorageError, UsageError
from road.records.folder import META, RunFolder
from road.training import branch, launch
from road.training.branch import branch_run, pretraining_plan
from road.training.launch import start_run


def quiet(event: Any) -> None:
    del event


def leaves(holder: RunFolder) -> None:
    holder.leave_no_trace()
    holder.release()


def just_before(
    monkeypatch: pytest.MonkeyPatch, where: Any, name: str, happens: Callable[[], None]
) -> None:
    """Let something happen just before the next call, and before no other."""
    original = getattr(where, name)

    def late(*given: Any) -> Any:
        monkeypatch.setattr(where, name, original)
        happens()
        return original(*given)

    monkeypatch.setattr(where, name, late)


def just_after(
    monkeypatch: pytest.MonkeyPatch, where: Any, name: str, happens: Callable[[], None]
) -> None:
    original = getattr(where, name)

    def early(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(where, name, original)
        answer = original(*given, **named)
        happens()
        return answer

    monkeypatch.setattr(where, name, early)


@pytest.mark.parametrize(("where", "name"), [(os, "open"), (fcntl, "flock")])
def test_a_lock_that_its_holder_has_taken_away_is_none(
    where: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The holder leaves before our lock is opened, or between that and our taking it."""
    path = tmp_path / "run"
    holder = RunFolder(path)
    just_before(monkeypatch, where, name, lambda: leaves(holder))
    ours = RunFolder(path)
    with pytest.raises(LockedError, match=f"pid {os.getpid()} "):
        RunFolder(path)
    leaves(ours)
    assert not path.exists()


def test_a_lock_that_cannot_be_made_is_reported_in_one_line(tmp_path: Path):
    (tmp_path / "LOCK").mkdir()
    with pytest.raises(StorageError, match="LOCK is a folder where a file belongs"):
        RunFolder(tmp_path)


def test_a_start_that_fails_clears_up_while_the_folder_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The next process takes the folder the moment it is released."""
    path = tmp_path / "run"
    came: list[RunFolder] = []

    def broken(*_: Any, **__: Any) -> None:
        raise UsageError("no such device")

    monkeypatch.setattr(launch, "drive", broken)
    just_after(monkeypatch, RunFolder, "release", lambda: came.append(RunFolder(path)))
    with pytest.raises(UsageError, match="no such device"):
        start_run(tiny_plan(), path, "test", quiet)
    with pytest.raises(LockedError):
        RunFolder(path)
    leaves(came[0])


def test_a_process_that_comes_while_a_start_clears_up_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The next process makes a lock of its own as soon as ours is gone, and describes its run."""
    path = tmp_path / "run"
    ours = RunFolder(path)
    ours.write(META, {})
    came: list[RunFolder] = []
    unlink = Path.unlink

    def watched(file: Path, **how: Any) -> None:
        unlink(file, **how)
        if file.name == "LOCK" and not came:
            came.append(RunFolder(path))
            came[0].write(META, {})

    monkeypatch.setattr(Path, "unlink", watched)
    leaves(ours)
    assert (path / META).exists()
    with pytest.raises(LockedError):
        RunFolder(path)
    leaves(came[0])


def begin_again(path: Path, shared: Path) -> None:
    del shared
    start_run(tiny_plan(), path, "test", quiet)


def begin_at_the_switch(path: Path, shared: Path) -> None:
    branch_run(tiny_plan(), path, shared, "test")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shared") / "run"
    start_run(pretraining_plan(tiny_plan()), path, "test", quiet, until_switch=True)
    return path


@pytest.mark.parametrize(("where", "begin"), [(launch, begin_again), (branch, begin_at_the_switch)])
def test_a_run_that_was_begun_just_before_we_held_the_folder_is_not_overwritten(
    where: Any,
    begin: Callable[[Path, Path], None],
    shared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    def another() -> None:
        (tmp_path / "config.json").write_text("theirs")

    just_before(monkeypatch, where, "check_budget", another)
    with pytest.raises(UsageError, match="already holds a run"):
        begin(tmp_path, shared)
    assert (tmp_path / "config.json").read_text() == "theirs"
    assert not (tmp_path / "checkpoints").exists()
