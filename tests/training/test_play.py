"""``road play``: the episodes that ``road eval`` judges, filmed on a machine without a screen."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.policies.conftest import write_run

from road.agents.iql import IQL
from road.cli import main
from road.tasks.rendering import BACKENDS, can_draw, choose_backend, draw
from road.training.launch import evaluate_run
from road.types import Spec

Said = pytest.CaptureFixture[str]
REACHER: dict[str, Any] = {
    "observation": {"kind": "box", "shape": [10]},
    "normaliser": None,
    "action": {"low": [-1.0, -1.0], "high": [1.0, 1.0], "dtype": "float32"},
}


@pytest.fixture
def reacher(tmp_path: Path) -> Path:
    """A run folder of an agent for Gymnasium's Reacher, given in Python."""
    folder = tmp_path / "reacher"
    folder.mkdir()
    write_run(folder, IQL(hidden=(8, 8)), REACHER, spec=Spec(10, 2), given=True)
    return folder


def test_it_plays_the_episodes_that_eval_judges(tiny_run: Path, capsys: Said):
    """To a few digits: one policy is NumPy's, the other JAX's."""
    assert main(["play", str(tiny_run), "--episodes", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["episode 1", "episode 2"]
    _, judged = evaluate_run(tiny_run, 2, best=False, seed=1_000_000)
    assert float(lines[-1].rpartition(" ")[2]) == pytest.approx(judged.return_mean, rel=1e-3)


def test_mujoco_is_filmed_without_a_screen(reacher: Path, tmp_path: Path):
    """51 frames of two episodes each; a GIF shows every second one of 50 a second."""
    image = pytest.importorskip("PIL.Image")
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    settings = {n: v for n, v in os.environ.items() if n not in ("DISPLAY", "MUJOCO_GL")}
    words = [sys.executable, "-m", "road.cli", "play", reacher, "--env", "Reacher-v5"]
    for name, more in (("a.gif", ["--strip"]), ("a.mp4", [])):
        video = ["--video", str(tmp_path / name), "--episodes", "2", *more]
        answer = subprocess.run(
            [*map(str, words), *video], env=settings, capture_output=True, text=True
        )
        assert answer.returncode == 0, answer.stderr
        assert answer.stderr == ""
    with image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 51
        first = np.asarray(film.convert("RGB"))
        film.seek(25)
        assert np.abs(np.asarray(film.convert("RGB")).astype(int) - first).max() > 20
    frames, _ = ffmpeg.count_frames_and_secs(str(tmp_path / "a.mp4"))
    assert frames == 102
    page = (reacher / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 1 and "The policy at work" in page
    with image.open(reacher / "frames.png") as strip:
        assert strip.size == (1280, 160)


def test_a_backend_that_works_is_found_and_a_chosen_one_is_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("MUJOCO_GL", "mine")
    choose_backend()
    assert os.environ["MUJOCO_GL"] == "mine"
    monkeypatch.setenv("PYOPENGL_PLATFORM", "")
    monkeypatch.delenv("MUJOCO_GL")
    choose_backend()
    assert os.environ["MUJOCO_GL"] in BACKENDS
    monkeypatch.delenv("MUJOCO_GL")
    assert not can_draw("nonsense")


class Undrawn(gymnasium.Env[Any, Any]):
    def render(self) -> Any:
        return None


def test_what_cannot_be_drawn_or_played_is_one_line(
    reacher: Path, tiny_run: Path, tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
):
    for words, reported in (
        (["nowhere"], "there is no such folder"),
        ([reacher], "name a registered one with --env"),
        ([tiny_run, "--episodes", "0"], "needs episodes >= 1"),
        ([tiny_run, "--video", "film.avi"], "ends in .mp4 or .gif"),
        ([reacher, "--env", "Reacher-v55"], "unknown environment 'Reacher-v55'"),
    ):
        assert main(["play", *map(str, words)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert reported in line
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    assert main(["play", str(tiny_run), "--video", str(tmp_path / "film.mp4")]) == 2
    assert "pip install 'road-o2o[video]'" in capsys.readouterr().err
    with pytest.raises(Exception, match="draws no pictures"):
        draw(Undrawn())
    assert not (tmp_path / "film.mp4").exists()
