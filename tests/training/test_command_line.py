"""Bad input gets one clear line and an exit code; nothing is left behind."""

import dataclasses
import json
import os
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.training.conftest import tiny_plan

from road.cli import main
from road.cli.flags import unbox
from road.cli.train import parse_plan
from road.errors import UsageError
from road.mixing import MIXERS
from road.records.folder import RunFolder
from road.report import load_run, summarise
from road.tasks import TASKS
from road.training.config import default_plan, plan_from_json
from road.training.launch import start_run

Said = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]


def refused(words: list[str | Path], capsys: Said) -> tuple[int, str]:
    """Exit code and the one line that was said."""
    code = main([str(word) for word in words])
    said = capsys.readouterr().err.strip().splitlines()
    said = [line for line in said if not line.startswith("run folder:")]
    assert len(said) == 1, said
    assert said[0].startswith("error: ")
    return code, said[0]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["trian"], "did you mean 'train'"),
        (["train", "pointmaze-umaze-randm"], "pointmaze-umaze-random"),
        (["train", "--agent", "iqll"], "did you mean 'iql'"),
        (["train", "--agent", "IQL"], "did you mean 'iql'"),
        (["train", "--agent", "Cal_QL"], "did you mean 'cal-ql'"),
        (["train", "--mixer", "raod"], "did you mean 'road'"),
        (["train", "--seeed", "1"], "did you mean --seed"),
        (["train", "--seed", "abc"], "abc"),
        (["train", "--seed", "-1"], "seed must be 0 or more, got -1"),
        (["train", "--seed", "99999999999999999999"], "or less"),
        (["train", "--threads", "0"], "threads must be 1 or more"),
        (["train", "--online-steps", "-5"], "online_steps must be 0 or more, got -5"),
        (["train", "--batch-size", "0"], "batch_size must be 1 or more, got 0"),
        (["train", "--period", "fortnight"], "period"),
        (["train", "--agent", "rlpd", "--offline-steps", "9"], "offline_steps must be 0, got 9"),
        (["train", "--agent", "pex", "--offline-steps", "0"], "must be 1 or more, got 0"),
        (["train", "--iql.learning-rate", "inf"], "learning_rate must be 0 or more and finite"),
        (["train", "--agent", "cql", "--cql.target-gap", "nan"], "target_gap must be finite"),
        (["train", "--agent", "pex", "--pex.choice-sharpness", "0"], "must be above 0, got 0.0"),
        (["train", "--mixer", "fixed", "--fixed.offline-ratio", "1.5"], "1.5"),
        (["train", "--road.arms", "0.1", "2"], "2.0"),
        (["train", "--road.window", "-3"], "-3"),
        (["train", "--road.exploration", "-1"], "-1.0"),
        (["train", "--offline-steps", "0", "--online-steps", "0"], "nothing to do"),
        (["train", "--agent", ""], "--agent is empty"),
        (["train", "--out", ""], "--out is empty"),
        (["train", "--out="], "--out is empty"),
        (["resume", ""], "an argument is empty"),
        (["train", "--out", "a" * 5000], "File name too long"),
        (["resume", "a" * 300], "File name too long"),
        (["data", "check", f"file:{'a' * 5000}"], "File name too long"),
        (["train", "--batch-size", "1000000000000"], "batch_size must be 4294967295 or less"),
        (["train", "--batch-size", "1000000000"], "memory"),
        (["train", "--updates-per-step", "1000000000"], "lower batch_size or updates_per_step"),
        (["train", "--measure-batch", "4000000000"], "lower measure_batch"),
        (["train", "--evaluation-episodes", "4000000000"], "lower evaluation_episodes"),
        (["train", "--iql.hidden", "100000000", "100000000"], "lower the agent's hidden layers"),
        (["train", "--threads", "1000000000"], "threads must be between 1 and 1024"),
        (["train", "--seed", "9" * 5000], "seed"),
        (["eval", "run", "--seed", "9" * 30], "seed must be 4294967295 or less"),
        (["train", "--data", "file:a?token=hunter2"], "token=***"),
        (["train", "--data", "minari:https://me:hunter2@host/x"], "://***@host"),
        (["train", "\x1b]0;title\x07"], r"\x1b]0;title"),
        (["train", "--out", "a/b/c", "--data", "file:nowhere"], "no such file"),
        (["list", "everything"], "everything"),
        (["report"], "at least one"),
    ],
)
def test_words_that_mean_nothing(
    words: list[str | Path], named: str, capsys: Said, tmp_path: Path, monkeypatch: Any
):
    monkeypatch.chdir(tmp_path)
    code, line = refused(words, capsys)
    assert code == (3 if "nowhere" in str(words) else 2)
    assert named in line
    assert "hunter2" not in line
    assert line.isprintable()
    assert len(line) < 1000
    assert list(tmp_path.iterdir()) == [], "something was left behind"


@pytest.mark.parametrize("command", ["resume", "eval", "report"])
def test_a_folder_that_is_no_run(command: str, capsys: Said, tmp_path: Path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        code, line = refused([command, folder], capsys)
        assert code == 2
        assert "not a run folder" in line
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_a_run_is_not_overwritten(capsys: Said, tmp_path: Path):
    (tmp_path / "config.json").write_text("{}")
    code, line = refused(["train", "pendulum-mixed", "--out", tmp_path], capsys)
    assert (code, "road resume" in line) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_a_folder_in_use(capsys: Said, tmp_path: Path):
    holder = RunFolder(tmp_path)
    code, line = refused(["train", "pendulum-mixed", "--out", tmp_path], capsys)
    assert code == 4
    assert f"pid {os.getpid()}" in line
    holder.release()
    RunFolder(tmp_path).release()


def test_no_words_at_all_mean_the_embedded_default():
    plan, where = parse_plan([])
    assert plan == default_plan()
    assert where.out is None


def test_a_start_that_fails_leaves_nothing(capsys: Said, tmp_path: Path, monkeypatch: Any):
    def broken() -> Any:
        raise RuntimeError("no such device")

    task = dataclasses.replace(TASKS["pendulum-mixed"], environment=broken)
    monkeypatch.setattr("road.training.config.find_task", lambda _: task)
    code, line = refused(["train", "pendulum-mixed", "--out", tmp_path / "run"], capsys)
    assert (code, "no such device" in line) == (6, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["[]", "{}", "[1]", "nonsense", '{"format": 1}'])
@pytest.mark.parametrize("name", ["config.json", "meta.json"])
def test_damaged_json_is_one_line(name: str, text: str, capsys: Said, tmp_path: Path):
    plan = default_plan("pendulum-mixed")
    (tmp_path / "config.json").write_text(json.dumps({**plan.to_json(), "online_steps": 1}))
    (tmp_path / "meta.json").write_text("{}")
    (tmp_path / name).write_text(text)
    if name == "config.json" or text[0] != "{":
        assert refused(["resume", tmp_path], capsys)[0] in (2, 8)


def test_an_offline_only_run_speaks_of_pretraining_only(tmp_path: Path):
    plan = tiny_plan(online_steps=0)
    start_run(plan, tmp_path / "run", "test", lambda _: None)
    summary = summarise(load_run(tmp_path / "run"))
    assert "ine-tuning" not in summary.verdict
    rows = (tmp_path / "run" / "evaluations.jsonl").read_text().splitlines()
    assert [json.loads(row)["phase"] for row in rows] == ["offline", "offline"]


def test_debug_shows_the_traceback(capsys: Said):
    assert main(["train", "no-such-task", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [
        ("report runs/mine", "tyro", "cli"),
        ("whatif runs/mine", "tyro", "cli"),
        ("export runs/mine", "tyro", "cli"),
        ("train", "tyro", "train,robotics"),
        ("train", "equinox", "train,robotics"),
        ("grid run mine.py --backend ray", "ray", "ray"),
        ("grid run mine.py --backend ray", "fsspec.core", "ray"),
        ("data convert rows.parquet", "pyarrow.parquet", "tables"),
        ("data collect Hopper-v5", "minari", "minari"),
    ],
)
def test_a_missing_package_is_reported_with_its_extra(
    words: str, package: str, extra: str, monkeypatch: Any, capsys: Said
):
    monkeypatch.setattr("road.cli.dispatch.import_module", no_module(package))
    named = package.partition(".")[0]
    advice = f"install it with `pip install 'road-o2o[{extra}]'`"
    reported = f"error: the package '{named}' is missing; {advice}"
    assert refused([*words.split()], capsys) == (2, reported)


def test_a_system_without_file_locks_is_reported_so(monkeypatch: Any, capsys: Said):
    monkeypatch.setattr("road.cli.dispatch.import_module", no_module("fcntl"))
    code, reported = refused(["train"], capsys)
    assert code == 2
    assert reported.endswith("need file locks (fcntl), which this system does not have")


def no_module(name: str) -> Any:
    def importing(_: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    return importing


@pytest.mark.parametrize("name", ["sb3", "d3rlpy", "tensorboard", "wandb", "train"])
def test_an_extra_that_ends_with_a_report_brings_what_its_command_needs(name: str):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert set(extras["cli"]) <= set(extras[name])


def test_help_names_every_command_and_flag(capsys: Said):
    assert main(["--help"]) == 0
    top = capsys.readouterr().out
    assert all(name in top for name in ("train", "resume", "eval", "report", "list"))
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    said = capsys.readouterr().out
    for flag in ("--seed", "--period", "--road.window", "--iql.expectile", "--out"):
        assert flag in said


def test_lists(capsys: Said):
    for what, name in (("tasks", "pendulum-flipped"), ("agents", "iql"), ("mixers", "decreasing")):
        assert main(["list", what]) == 0
        assert name in capsys.readouterr().out


def test_the_list_of_tasks_says_which_need_a_download(capsys: Said):
    main(["list", "tasks"])
    lines = capsys.readouterr().out.splitlines()
    downloads = {line.split()[0] for line in lines if "Needs a download: " in line}
    assert {name for name, task in TASKS.items() if task.source is not None} == downloads
    assert "pendulum-mixed" not in downloads and "hopper-medium" in downloads


@pytest.mark.parametrize("tracker", ["tensorboard", "wandb"])
def test_a_tracker_that_is_missing_is_reported_before_anything_is_made(
    tracker: str, capsys: Said, tmp_path: Path
):
    if find_spec(tracker) is not None:
        pytest.skip(f"{tracker} is there")
    code, line = refused(["train", "--log", tracker, "--out", tmp_path / "run"], capsys)
    assert (code, f"pip install 'road-o2o[{tracker}]'" in line) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_an_agent_has_the_spelling_of_its_users():
    assert default_plan(agent_name="calql") == default_plan(agent_name="cal-ql")


def test_a_plan_survives_json():
    for mixer in MIXERS:
        plan = default_plan("pendulum-mixed", "iql", mixer)
        assert plan_from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_a_config_with_an_unknown_field_is_refused(capsys: Said, tmp_path: Path):
    config = {**default_plan().to_json(), "colour": "red"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "meta.json").write_text('{"machine": {"jax_threads": null}}')
    code, line = refused(["resume", tmp_path], capsys)
    assert (code, "colour" in line) == (2, True)


def test_the_whole_path_from_train_to_report(road: Any, tmp_path: Path):
    folder = tmp_path / "實驗 é <b>run</b>"
    budget = ("--offline-steps", "100", "--online-steps", "260", "--evaluation-episodes", "2")
    done = road("train", "pendulum-mixed", *budget, "--mixer", "uniform", "--out", folder)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    names = {path.name for path in folder.iterdir()}
    assert {
        *("config.json", "meta.json", "summary.json", "report.html", "checkpoints"),
        *("metrics.jsonl", "mixer.jsonl", "evaluations.jsonl", "episodes.jsonl"),
    } <= names
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["informedness"]["sentence"]
    assert "pendulum-mixed" in done.stdout

    again = road("resume", folder)
    assert again.returncode == 0
    assert "already finished" in again.stderr

    judged = road("eval", folder, "--episodes", "2")
    assert judged.returncode == 0, judged.stderr
    assert json.loads(judged.stdout)["episodes"] == 2


def test_a_damaged_checkpoint_falls_back_and_says_so(road: Any, tmp_path: Path):
    path = tmp_path / "run"
    start_run(tiny_plan(), path, "test", lambda _: None)
    newest = sorted((path / "checkpoints").glob("step-*"))[-1]
    (newest / "arrays.npz").write_bytes(b"rubbish")
    done = road("resume", path)
    assert done.returncode == 0, done.stderr
    assert "damaged" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(capsys: Said, tmp_path: Path):
    tmp_path.chmod(0o500)
    code, line = refused(["train", "pendulum-mixed", "--out", tmp_path / "run"], capsys)
    tmp_path.chmod(0o700)
    assert (code, "cannot write" in line) == (7, True)


def test_a_file_in_the_way_of_the_folder(capsys: Said, tmp_path: Path):
    (tmp_path / "file").write_text("")
    code, line = refused(["train", "pendulum-mixed", "--out", tmp_path / "file" / "run"], capsys)
    assert (code, "cannot write" in line) == (7, True)


def test_a_disk_that_takes_no_more(road: Any, tmp_path: Path):
    """The nearest thing to a full disk that a test may make: files stop growing at 32 kB."""
    path = tmp_path / "run"
    words = (
        *("train", "pendulum-mixed", "--offline-steps", "50", "--online-steps", "1500"),
        *("--checkpoint-every", "200", "--iql.hidden", "8", "8", "--out", str(path)),
    )
    limited = "trap '' XFSZ; ulimit -f 32; exec \"$@\""
    done = subprocess.run(
        ["bash", "-c", limited, "bash", sys.executable, "-m", "road.cli", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "JAX_ENABLE_COMPILATION_CACHE": "false"},
    )
    assert done.returncode == 7, (done.returncode, done.stderr)
    assert "cannot write checkpoint" in done.stderr.splitlines()[-1]
    assert sorted(p.name for p in (path / "checkpoints").iterdir())[-1].startswith("step-")
    assert road("resume", path).returncode == 0


def test_the_first_paragraph_of_a_box_is_the_message():
    drawn = "╭─ Oops ─╮\n│ Wrong   │\n│ thing.  │\n│ ─────── │\n│ More    │\n╰─────────╯\n"
    assert unbox(drawn) == "Wrong thing"
    plain = " Oops \n ------ \n Unrecognized options: --sed \n ------\n Perhaps:\n   --seed INT\n"
    assert unbox(plain) == "Unrecognized options: --sed; did you mean --seed?"
    assert unbox("") == "the command line could not be read"


@pytest.mark.parametrize(
    ("words", "task"),
    [
        (["--seed", "1", "pendulum-mixed"], "pendulum-mixed"),
        (["--out", "pendulum-mixed"], "pointmaze-umaze-random"),
        (["--out", "pendulum-mixed", "pendulum-flipped"], "pendulum-flipped"),
        (["pendulum-flipped", "--out", "pendulum-mixed"], "pendulum-flipped"),
    ],
    ids=" ".join,
)
def test_the_task_is_the_word_that_belongs_to_no_flag(words: list[str], task: str):
    assert parse_plan(words)[0].task_name == task


def test_a_misspelt_task_is_refused_wherever_it_is_named():
    for words in (["pendulum-mixd"], ["--seed", "1", "pendulum-mixd"]):
        with pytest.raises(UsageError, match="did you mean 'pendulum-mixed'"):
            parse_plan(words)
    words = ["--env", "Pendulum-v1", "--data", "file:x.npz", "foo"]
    with pytest.raises(UsageError, match="name a task or --env, not both: got 'foo'"):
        parse_plan(words)


def test_of_a_repeated_flag_the_last_counts():
    twice = ["--agent", "cql", "--agent", "awac", "--mixer", "fixed", "--mixer=uniform"]
    plan, _ = parse_plan(twice)
    assert (plan.agent_name, plan.mixer_name) == ("awac", "uniform")
    assert type(plan.agent).__name__ == "AWAC"
