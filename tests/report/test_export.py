"""Runs as numbers on one axis, and what ``road export`` refuses; `make loggers` tests the rest."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from road.cli import main
from road.mixing import Controller, RoadMixer
from road.records.series import rows_by_step
from road.report import load_run

WriteRun = Callable[..., Path]
Said = pytest.CaptureFixture[str]


def write_journal(run: Path, name: str, *rows: dict[str, object]) -> None:
    (run / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def small(write_run: WriteRun) -> Path:
    """A run of 100 offline updates, with a row or two in every journal."""
    run = write_run(config={"offline_steps": 100})
    write_journal(
        run, "metrics",
        {"phase": "online", "step": 10, "critic/loss": 0.5},
        {"phase": "offline", "step": 10, "critic/loss": 2.0},
    )  # fmt: skip
    write_journal(
        run, "evaluations",
        {"phase": "offline", "step": 50, "score": 3.0},
        {"phase": "online", "step": 0, "score": 4.0},
        {"phase": "online", "step": 0, "score": 5.0},
    )  # fmt: skip
    write_journal(run, "episodes", {"step": 10, "return": -7.0, "terminated": True})
    arms = {"ratios": [0.1, 0.5], "means": [None, 2.0], "bonuses": [1, 1], "counts": [0, 4]}
    write_journal(
        run, "mixer",
        {"step": 10, "offline_ratio": 0.1, "credit": None, "arms": arms, "readings": {"x": 6.0}},
    )  # fmt: skip
    return run


def test_online_steps_come_after_all_offline_updates(small: Path):
    rows = rows_by_step(load_run(small))
    assert list(rows.items()) == [
        (10, {"critic/loss": 2.0}),
        (50, {"evaluation/score": 3.0}),
        (100, {"evaluation/score": 5.0}),
        (
            110,
            {
                "critic/loss": 0.5,
                "episode/return": -7.0,
                "episode/terminated": 1.0,
                "mixing/offline_ratio": 0.1,
                "mixing/readings.x": 6.0,
                "arms/means/0.5": 2.0,
                "arms/bonuses/0.1": 1.0,
                "arms/bonuses/0.5": 1.0,
                "arms/counts/0.1": 0.0,
                "arms/counts/0.5": 4.0,
            },
        ),
    ]


def test_a_loop_that_is_not_ours_begins_at_its_own_first_step(tmp_path: Path):
    controller = Controller(RoadMixer(), seed=0)
    controller.log_evaluation(1.0)
    controller.end_period(credit=0.5)
    controller.save(tmp_path / "loop")
    rows = rows_by_step(load_run(tmp_path / "loop"))
    assert rows[0] == {"evaluation/score": 1.0}
    assert rows[1]["mixing/credit"] == 0.5


def test_a_run_that_has_not_begun_has_no_rows(small: Path):
    for journal in small.glob("*.jsonl"):
        journal.unlink()
    assert rows_by_step(load_run(small)) == {}


def refused(said: Said, *words: str | Path) -> str:
    """The one line that was said."""
    assert main(["export", *map(str, words)]) == 2
    (line,) = said.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize("package", ["tensorboard", "wandb"])
def test_a_missing_package_is_reported_with_its_extra(
    package: str, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said
):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"road.integrations.{package}", raising=False)
    line = refused(capsys, package, small, "--out", tmp_path / "out")
    assert f"needs the package '{package}" in line
    assert line.endswith(f"pip install 'road-o2o[{package}]'")
    assert not (tmp_path / "out").exists()


def test_a_folder_without_a_run_is_reported_before_anything_is_written(
    small: Path, tmp_path: Path, capsys: Said
):
    out = tmp_path / "out"
    line = refused(capsys, "wandb", small, tmp_path / "nowhere", "--out", out)
    assert "nowhere is not a run folder: its config.json is missing" in line
    assert not out.exists()


def test_two_runs_of_one_name_are_refused(small: Path, write_run: WriteRun, capsys: Said):
    other = write_run("elsewhere/run")
    line = refused(capsys, "tensorboard", small, other, "--out", "out")
    assert "2 runs are called 'run'" in line


def test_no_run_and_an_unknown_program_are_refused(small: Path, capsys: Said):
    assert "at least one" in refused(capsys, "wandb", "--out", "out")
    assert "excel" in refused(capsys, "excel", small, "--out", "out")
    former = refused(capsys, small, "--to", "wandb", "--out", "out")
    assert "road export tensorboard RUN" in former
