"""``run.toml``: every run writes it, and ``road train --config`` reads it as flags."""

import dataclasses
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.report.conftest import write_synthetic
from tests.training.conftest import tiny_plan

from road.agents.recipes import AGENTS
from road.cli.train import fresh_folder, parse_plan
from road.errors import EnvironmentFailure, UsageError
from road.mixing import MIXERS
from road.records.folder import RunFolder
from road.records.reader import load_run
from road.records.toml import settings_text
from road.tasks import TASKS
from road.tasks.custom import TaskOverrides
from road.training.config import default_plan
from road.training.launch import start_run


def written(folder: Path, plan: object) -> str:
    path = folder / "run.toml"
    path.write_text(settings_text(json.loads(json.dumps(plan.to_json()))))  # pyright: ignore
    return str(path)


@pytest.mark.parametrize("agent", AGENTS)
def test_the_settings_of_every_agent_come_back_as_they_were(agent: str, tmp_path: Path):
    plan = default_plan("pendulum-mixed", agent)
    assert parse_plan(["--config", written(tmp_path, plan)])[0] == plan


@pytest.mark.parametrize("mixer", MIXERS)
def test_the_settings_of_every_mixer_come_back_as_they_were(mixer: str, tmp_path: Path):
    plan = default_plan("pointmaze-umaze-random", "iql", mixer)
    assert parse_plan([f"--config={written(tmp_path, plan)}"])[0] == plan


def test_what_is_set_otherwise_in_a_task_comes_back(tmp_path: Path):
    own = TaskOverrides(
        data='file:/logs/ü "1".npz', reward_scale=-0.5, score_min=-1e9, score_max=0.0
    )
    plan = default_plan("pendulum-mixed", own=own)
    assert parse_plan(["--config", written(tmp_path, plan)])[0] == plan


def test_flags_that_are_typed_count_more_than_the_file(tmp_path: Path):
    path = written(tmp_path, default_plan("pendulum-flipped"))
    words = ["--config", path, "--seed", "7", "--iql.hidden", "8", "--road.window", "5"]
    plan, _ = parse_plan(words)
    assert (plan.task_name, plan.config.seed) == ("pendulum-flipped", 7)
    assert (plan.agent.hidden, plan.mixer.window) == ((8,), 5)
    assert plan.config.online_steps == default_plan("pendulum-flipped").config.online_steps
    assert parse_plan(["pendulum-mixed", "--config", path])[0].task_name == "pendulum-mixed"


def test_another_agent_leaves_the_table_of_the_files_own_out(tmp_path: Path):
    path = written(tmp_path, default_plan("pendulum-mixed", "iql", "fixed"))
    plan, _ = parse_plan(["--config", path, "--agent", "awac", "--mixer", "uniform"])
    assert (plan.agent_name, plan.mixer_name) == ("awac", "uniform")


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("seed = ", "is no TOML"),
        ("seeed = 1", "did you mean --seed"),
        ("[iql]\nexpectil = 0.5", "iql.expectil"),
        ('seed = "many"', "many"),
        ("seed = -1", "seed must be 0 or more, got -1; some of the settings are those of"),
        ("task = 3", "task must be a name, got 3"),
        ('allow_import = ["evil"]', "allow_import can only be given on the command line"),
        ('out = "elsewhere"', "out can only be given on the command line"),
        ("overwrite = true", "overwrite can only be given on the command line"),
    ],
)
def test_what_a_file_must_not_hold_is_refused(text: str, reported: str, tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        parse_plan(["--config", str(path)])
    assert reported in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_file_that_is_missing_is_named():
    with pytest.raises(UsageError, match=r"nowhere\.toml: there is no such file"):
        parse_plan(["--config", "nowhere.toml"])


def test_a_run_writes_the_file(tiny_run: Path):
    settings = tomllib.loads((tiny_run / "run.toml").read_text())
    config = json.loads((tiny_run / "config.json").read_text())
    assert settings["seed"] == config["seed"]
    assert settings["iql"]["expectile"] == config["agent"]["expectile"]
    assert parse_plan(["--config", str(tiny_run / "run.toml")])[0] == tiny_plan()


def test_overwriting_takes_the_place_of_the_run_and_of_nothing_else(tmp_path: Path):
    folder = write_synthetic(tmp_path / "run")
    (folder / "mine.txt").write_text("stays")
    (folder / "report.html").write_text("old")
    with pytest.raises(UsageError, match="already holds a run"):
        start_run(tiny_plan(), folder, "test", lambda _: None)
    plan = tiny_plan(offline_steps=20, online_steps=0)
    start_run(plan, folder, "test", lambda _: None, overwrite=True)
    assert load_run(folder).config["offline_steps"] == 20
    assert load_run(folder).periods.length == 0
    assert (folder / "mine.txt").read_text() == "stays"
    assert not (folder / "report.html").exists()


def test_a_run_that_cannot_begin_leaves_the_one_it_would_overwrite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = write_synthetic(tmp_path / "run")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def broken() -> Any:
        raise RuntimeError("no such device")

    task = dataclasses.replace(TASKS["pendulum-flipped"], environment=broken)
    monkeypatch.setattr("road.training.config.find_task", lambda _: task)
    with pytest.raises(EnvironmentFailure):
        start_run(tiny_plan(), folder, "test", lambda _: None, overwrite=True)
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "LOCK"}
    assert after == before


def test_a_folder_of_the_users_own_is_not_cleared(tmp_path: Path):
    (tmp_path / "report.html").write_text("mine")
    folder = RunFolder(tmp_path)
    folder.clear()
    folder.release()
    assert (tmp_path / "report.html").read_text() == "mine"


def test_overwriting_without_a_folder_takes_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    plan = tiny_plan()
    usual = fresh_folder(plan)
    usual.mkdir(parents=True)
    assert fresh_folder(plan).name == f"{usual.name}-2"
    assert fresh_folder(plan, overwrite=True) == usual
