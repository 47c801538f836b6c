"""``road continue``: another round of fine-tuning from a new log, with no environment."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import jax
import numpy as np
import pytest
from tests.tasks import bodies
from tests.tasks.test_custom import some_rows

import road
from road.agents.pex import PEX, PEXState
from road.cli import main
from road.mixing import Controller, RoadMixer
from road.replay.transitions import unpack
from road.training.checkpoint import checkpoints, load_checkpoint
from road.training.compiled import compile_agent
from road.training.config import plan_from_json
from road.training.continued import continued_plan
from road.training.launch import pick_state, resume_run
from road.types import Spec

Said = pytest.CaptureFixture[str]
ROWS = 180


def write_log(path: Path, seed: int) -> dict[str, Any]:
    """Three episodes of 60 random pushes of up to 2, as a robot would log them."""
    environment = gymnasium.make("Pendulum-v1")
    rng = np.random.default_rng(seed)
    rows: dict[str, list[Any]] = {"observations": [], "actions": [], "rewards": []}
    rows |= {"next_observations": [], "terminals": [], "timeouts": []}
    for episode in range(3):
        seen, _ = environment.reset(seed=seed + episode)
        for step in range(60):
            push = rng.uniform(-2.0, 2.0, 1).astype(np.float32)
            after, reward, _, _, _ = environment.step(push)
            for name, value in zip(rows, (seen, push, reward, after, False, step == 59),
                                   strict=True):  # fmt: skip
                rows[name].append(value)
            seen = after
    arrays = {name: np.array(column) for name, column in rows.items()}
    np.savez(path, **arrays)
    return arrays


@pytest.fixture(scope="module")
def round_two(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A whole round after the tiny run, and what was logged for it."""
    folder = tmp_path_factory.mktemp("rounds")
    arrays = write_log(folder / "new.npz", 100)
    words = ["continue", tiny_run, "--data", folder / "new.npz", "--out", folder / "two"]
    assert main([*map(str, words), "--period", "20"]) == 0
    return folder / "two", arrays


def statistics(run: Path) -> list[dict[str, float]]:
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [row for row in rows if "log/new_td_error" in row]


def test_the_new_rows_are_the_online_source(round_two: tuple[Path, Any], tiny_run: Path):
    """In the order of the log, standardised as the parent's were, actions in [-1, 1]."""
    run, arrays = round_two
    rows = pick_state(run, best=False).online_rows
    assert rows is not None and len(rows) == ROWS
    stored = unpack(rows, Spec(3, 1))
    scale = json.loads((tiny_run / "interface.json").read_text())["normaliser"]
    inside = (arrays["observations"] - scale["mean"]) / scale["spread"]
    np.testing.assert_allclose(stored.observation, inside, atol=1e-4)
    np.testing.assert_allclose(stored.action, arrays["actions"] / 2.0, atol=1e-4)
    np.testing.assert_allclose(stored.reward, 0.1 * arrays["rewards"], rtol=1e-4)


def test_it_begins_with_the_parents_agent_and_trains_it(
    round_two: tuple[Path, Any], tiny_run: Path
):
    run, arrays = round_two
    before = statistics(run)[0]
    assert before["step"] == 0
    own = road.load_policy(tiny_run)(arrays["observations"]) / 2.0
    distance = np.sqrt(np.mean(np.square(own - arrays["actions"] / 2.0)))
    assert before["log/new_action_distance"] == pytest.approx(distance, abs=1e-3)
    after = statistics(run)[-1]
    assert after["step"] == ROWS
    assert after["log/new_td_error"] != before["log/new_td_error"]
    now, then = road.load_policy(run), road.load_policy(tiny_run)
    assert not np.array_equal(now(arrays["observations"]), then(arrays["observations"]))


def test_the_mixer_chooses_the_ratio_of_both_sources(round_two: tuple[Path, Any]):
    rows = (round_two[0] / "mixer.jsonl").read_text().splitlines()
    periods = [json.loads(line) for line in rows]
    assert len(periods) == (ROWS - 15) // 20
    assert len({row["offline_ratio"] for row in periods}) > 3
    assert any(0.0 < row["realised_ratio"] < 1.0 for row in periods)


def test_no_return_is_measured_and_it_is_said(round_two: tuple[Path, Any], capsys: Said):
    run, arrays = round_two
    assert (run / "evaluations.jsonl").read_text() == ""
    assert (
        "180 new rows of a log of pendulum-flipped, and no return was measured"
        in (json.loads((run / "summary.json").read_text())["verdict"])
    )
    page = (run / "report.html").read_text()
    assert "No environment was used in this run, so no return was measured." in page
    assert "no online evaluation yet" not in page
    returns = [json.loads(line) for line in (run / "episodes.jsonl").read_text().splitlines()]
    logged = arrays["rewards"].reshape(3, 60).sum(axis=1)
    np.testing.assert_allclose([row["return"] for row in returns], logged, rtol=1e-4)
    for command in ("eval", "play"):
        assert main([command, str(run)]) == 2
        assert "no environment" in capsys.readouterr().err


def test_a_round_that_was_killed_ends_with_the_same_bits(
    round_two: tuple[Path, Any], tmp_path: Path
):
    run, _ = round_two
    killed = tmp_path / "killed"
    shutil.copytree(run, killed)
    shutil.rmtree(checkpoints(killed / "checkpoints")[-1])
    resume_run(killed, lambda _: None)
    ours, theirs = (load_checkpoint(checkpoints(f / "checkpoints")[-1])[0] for f in (run, killed))
    assert set(ours) == set(theirs)
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
    assert (killed / "metrics.jsonl").read_bytes() == (run / "metrics.jsonl").read_bytes()


def test_the_log_of_one_round_is_offline_data_of_the_next(
    round_two: tuple[Path, Any], tiny_run: Path, tmp_path: Path
):
    run, _ = round_two
    write_log(tmp_path / "third.npz", 200)
    plan = continued_plan(run, f"file:{tmp_path / 'third.npz'}")
    first = plan_from_json(json.loads((tiny_run / "config.json").read_text()))
    data = plan.task.dataset()
    assert len(data) == len(first.task.dataset()) + ROWS
    assert plan.log is not None and len(plan.log.earlier) == 1
    assert plan_from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_a_pretrained_agent_is_carried_to_the_online_phase(tmp_path: Path):
    """PEX pretrains as IQL; the data were Python objects, so their source has to be named."""
    data, agent = some_rows(), PEX(hidden=(8, 8))
    settings: dict[str, Any] = {"offline_steps": 20, "online_steps": 0, "batch_size": 8}
    settings |= {"evaluation_episodes": 1, "horizon": 10, "progress": False}
    out = tmp_path / "parent"
    road.finetune(bodies.Cart, data, agent=agent, out=out, **settings)
    np.savez(tmp_path / "rows.npz", **{**data.arrays(), "action": 2.0 * data.action})
    words = ["continue", out, "--data", tmp_path / "rows.npz", "--out", tmp_path / "next"]
    assert main(list(map(str, words))) == 2
    assert main([*map(str, words), "--old-data", str(tmp_path / "rows.npz")]) == 0
    leaves = pick_state(tmp_path / "next", best=False).main.agent
    state = compile_agent(agent, Spec(2, 1)).tree(leaves)
    assert isinstance(state, PEXState)
    seen = np.array([[0.1, 0.2], [0.5, -0.3]], np.float32)
    frozen = np.asarray(state.offline_actor(jax.numpy.asarray(seen)).mode)
    np.testing.assert_allclose(2.0 * frozen, road.load_policy(out)(seen), atol=1e-5)


def foreign(folder: Path) -> None:
    controller = Controller(RoadMixer(), seed=0)
    controller.end_period(credit=0.5)
    controller.save(folder)


def without_checkpoints(folder: Path, run: Path) -> None:
    shutil.copytree(run, folder, ignore=shutil.ignore_patterns("checkpoints"))


REFUSED: list[tuple[str, Callable[[Path, Path], Any], str]] = [
    ("run", lambda *_: None, "there is no such folder"),
    ("run", lambda folder, _: foreign(folder), "a loop of your own"),
    ("run", without_checkpoints, "holds no checkpoint"),
    ("data", lambda *_: None, "is not a source"),
    ("data", lambda folder, _: np.savez(folder.with_suffix(".npz"), **some_rows().arrays()),
     "2 observations and 1 actions"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "make", "reported"), REFUSED)
def test_what_cannot_be_continued_is_one_line(
    what: str, make: Any, reported: str, tiny_run: Path, tmp_path: Path, capsys: Said
):
    write_log(tmp_path / "new.npz", 0)
    wrong = tmp_path / "wrong"
    make(wrong, tiny_run)
    run, data = (wrong, tmp_path / "new.npz") if what == "run" else (tiny_run, wrong)
    data = wrong.with_suffix(".npz") if wrong.with_suffix(".npz").exists() else data
    out = tmp_path / "out"
    code = main(["continue", str(run), "--data", str(data), "--out", str(out)])
    said = capsys.readouterr().err.splitlines()
    assert code in (2, 3) and reported in said[-1], said
    assert sum(line.startswith("error:") for line in said) == 1
    assert not out.exists()
