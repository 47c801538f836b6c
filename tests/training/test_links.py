"""A run folder from anyone: what its links point to is neither read, nor changed, nor removed."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.training.conftest import tiny_plan

from road.cli import main
from road.errors import DamagedError, RoadError
from road.plain_files import open_plain, read_json
from road.records.folder import RunFolder
from road.records.journal import Journal
from road.training import checkpoint
from road.training.checkpoint import Damaged, checkpoints, digest, load_checkpoint, save_checkpoint
from road.training.launch import note_session, resume_run, start_run

JOURNALS = ("metrics", "episodes", "evaluations", "mixer", "sessions")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is at the switch: a resumed one would go on and write every file."""
    path = tmp_path_factory.mktemp("stopped") / "run"
    start_run(tiny_plan(online_steps=60), path, "test", lambda _: None, until_switch=True)
    return path


@pytest.fixture
def run(stopped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped, tmp_path / "run"))


def exchange(path: Path, link: Callable[[Path], None]) -> None:
    path.unlink(missing_ok=True)
    link(path)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("name", ["LOCK", *(f"{journal}.jsonl" for journal in JOURNALS)])
def test_a_file_that_is_another_one_is_not_written_to(
    name: str, hard: bool, run: Path, tmp_path: Path
):
    victims = tmp_path / "victims"
    victims.mkdir()
    (victims / "file").write_bytes(b"not yours\n" * 10_000)
    before = everything(victims)
    exchange(run / name, lambda link: (os.link if hard else os.symlink)(victims / "file", link))
    with pytest.raises(DamagedError, match=f"{name} is "):
        write_all(run)
    assert everything(victims) == before


def write_all(run: Path) -> None:
    """What a resumed run writes to in place, without the time that training takes."""
    folder = RunFolder(run)
    try:
        Journal(run, {}).close()
        note_session(folder, "began", 0)
    finally:
        folder.release()


def test_a_folder_of_checkpoints_elsewhere_loses_nothing(run: Path, tmp_path: Path):
    victims = tmp_path / "victims"
    shutil.move(run / "checkpoints", victims)
    for name in ("step-0000000001", ".writing-step-0000000001"):
        (victims / name).mkdir()
        (victims / name / "thesis.txt").write_text("years of work")
    (run / "checkpoints").symlink_to(victims)
    before = everything(victims)
    with pytest.raises(DamagedError, match="checkpoints is a link"):
        resume_run(run, lambda _: None)
    with pytest.raises(DamagedError, match="checkpoints is a link"):
        save_checkpoint(run / "checkpoints", 5, {}, {}, None)
    assert main(["eval", str(run), "--episodes", "1"]) == 8
    assert everything(victims) == before


def test_a_checkpoint_that_is_a_link_is_removed_and_not_what_it_points_to(
    run: Path, tmp_path: Path
):
    victims = tmp_path / "victims"
    victims.mkdir()
    (victims / "thesis.txt").write_text("years of work")
    for name in ("step-0000000001", ".writing-step-0000000180", ".writing-x"):
        (run / "checkpoints" / name).symlink_to(victims)
    resume_run(run, lambda _: None)
    assert (victims / "thesis.txt").read_text() == "years of work"
    assert not [path for path in (run / "checkpoints").iterdir() if path.is_symlink()]


@pytest.mark.parametrize("name", ["config.json", "meta.json", "metrics.jsonl"])
@pytest.mark.parametrize("command", ["resume", "report"])
def test_a_pipe_or_a_device_in_a_run_folder_does_not_hang(
    name: str, command: str, run: Path, capsys: pytest.CaptureFixture[str]
):
    for link in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        exchange(run / name, link)
        assert main([command, str(run)]) == 8
        said = capsys.readouterr().err
        assert name in said.splitlines()[-1]
        assert said.splitlines()[-1].startswith("error: ")


def forge(path: Path, files: object) -> None:
    (path / "MANIFEST.json").write_text(json.dumps({"format": checkpoint.FORMAT, "files": files}))


def test_a_manifest_names_the_files_of_a_checkpoint_and_no_others(run: Path, tmp_path: Path):
    path = checkpoints(run / "checkpoints")[-1]
    right = {name: digest(path / name) for name in checkpoint.FILES}
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    for files in (
        {},
        [],
        {**right, "/dev/zero": {"bytes": 0, "sha256": ""}},
        {**right, str(secret): digest(secret)},
        {**right, "../../secret": digest(secret)},
        {"state.json": right["state.json"]},
    ):
        forge(path, files)
        with pytest.raises(Damaged, match="does not list"):
            load_checkpoint(path)


def test_a_checkpoint_reads_no_file_through_a_link(run: Path, tmp_path: Path):
    path = checkpoints(run / "checkpoints")[-1]
    shutil.move(path / "state.json", tmp_path / "elsewhere.json")
    (path / "state.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(Damaged, match="is a link"):
        load_checkpoint(path)


def test_the_folder_that_a_user_names_may_be_a_link(run: Path, tmp_path: Path):
    """Runs are often kept on another disk."""
    (tmp_path / "short").symlink_to(run)
    resume_run(tmp_path / "short", lambda _: None)
    assert (run / "LOCK").exists()


def test_a_folder_where_a_file_belongs_is_reported(tmp_path: Path):
    (tmp_path / "x.json").mkdir()
    with pytest.raises(RoadError, match=r"is a pipe|is a folder"):
        read_json(tmp_path / "x.json")
    with pytest.raises(DamagedError, match="is a folder"):
        open_plain(tmp_path / "x.json", os.O_WRONLY)


def test_json_without_end_is_no_traceback(run: Path, capsys: pytest.CaptureFixture[str]):
    for name in ("config.json", "meta.json"):
        kept = (run / name).read_text()
        for content in ("[" * 100_000, "{}", "[]", "1", '{"format": 1}', "\ufeff{}", ""):
            (run / name).write_text(content)
            assert main(["resume", str(run)]) in (2, 7, 8, 0)
            lines = capsys.readouterr().err.splitlines()
            assert not any("Traceback" in line for line in lines)
        (run / name).write_text(kept)
