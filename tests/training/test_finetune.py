import dataclasses
import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from tests.training.conftest import tiny_plan

from road.errors import NumericError
from road.mixing import Evidence, FixedMixer
from road.records.folder import RunFolder
from road.replay.transitions import unpack
from road.stopping import StopRequest
from road.training.buffers import offline_rows
from road.training.compiled import Metrics
from road.training.launch import start_run
from road.training.run import Run


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_periods_have_their_length_and_their_ratio(tiny_run: Path):
    """Periods of 40 once 16 rows are stored, in 260 steps: six; what is left is not credited."""
    periods = rows_of(tiny_run, "mixer")
    assert [row["step"] for row in periods] == [55, 95, 135, 175, 215, 255]
    assert {row["steps"] for row in periods} == {40}
    assert [row["period"] for row in periods] == list(range(6))
    assert [row["offline_ratio"] for row in periods[:5]] == [0.1, 0.2, 0.3, 0.4, 0.5]
    for row in periods:
        assert row["realised_ratio"] == pytest.approx(row["offline_ratio"], abs=0.02)
        expected = row["offline_advantage"] - row["online_advantage"]
        assert row["credit"] == pytest.approx(expected)


def test_the_journals_hold_what_the_report_needs(tiny_run: Path):
    evaluations = [(row["phase"], row["step"]) for row in rows_of(tiny_run, "evaluations")]
    assert evaluations == [
        ("offline", 100), ("online", 0), ("online", 100), ("online", 200), ("online", 260)
    ]  # fmt: skip
    metrics = rows_of(tiny_run, "metrics")
    assert [row["step"] for row in metrics if row["phase"] == "online"] == list(range(10, 261, 10))
    assert [row["step"] for row in metrics if row["phase"] == "offline"] == [50, 100, 120]
    assert {"value/loss", "actor/weight", "critic/gradient_norm"} <= set(metrics[0])
    assert [row["length"] for row in rows_of(tiny_run, "episodes")] == [200]


def test_a_period_can_be_an_episode(tmp_path: Path):
    plan = tiny_plan(period="episode", online_steps=410, offline_steps=0)
    start_run(plan, tmp_path / "run", "test", lambda _: None)
    assert [row["step"] for row in rows_of(tmp_path / "run", "mixer")] == [200, 400]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run(tiny_plan(), RunFolder(tmp_path / "run"), lambda _: None, StopRequest())
    run.begin()
    return run


def test_delta_is_the_mean_advantage_of_sampled_actions(run: Run):
    """Worked out from the agent's own functions on the same rows and the same key."""
    rows, _ = run.sampler.probe(32, np.random.default_rng(0))
    key = jax.random.key(5)
    agent, state = run.online_agent.agent, run.online_agent.tree(run.state.main.agent)
    batch = unpack(jax.numpy.asarray(rows), run.online_agent.spec)
    action = agent.act(state, batch.observation, jax.random.fold_in(key, 9))
    expected = (
        agent.q_value(state, batch.observation, action).mean()
        - agent.q_value(state, batch.observation, batch.action).mean()
    )
    measured = run.online_agent.advantage(run.state.main.agent, rows, key, 9)
    assert measured == pytest.approx(float(expected), abs=1e-5)


def test_what_a_period_is_credited_with_is_exchangeable(run: Run):
    """Any number that the caller computes can take the place of R_q."""
    credits = iter(range(10, 100))
    run.plan = dataclasses.replace(run.plan, mixer=FixedMixer(0.5))
    run.state.main.mixer = FixedMixer(0.5).init(0)
    loop = run.online_loop()
    loop.trainers[0].measure = lambda *_: Evidence(credit=float(next(credits)))
    steps = [step.learners[0].period for step in loop.run(run.state)]
    periods = [period for period in steps if period is not None]
    assert [finished.period.credit for finished in periods] == [10, 11, 12, 13, 14, 15]
    assert periods[0].period.offline_advantage is None


def test_offline_rows_carry_the_transformed_reward_and_its_return(run: Run):
    task = run.plan.task
    dataset = task.dataset()
    rows = unpack(offline_rows(dataset, task, 0.9), run.online_agent.spec)
    np.testing.assert_allclose(rows.reward, 0.1 * dataset.reward, rtol=1e-6)
    last = int(np.flatnonzero(dataset.episode_ends)[0])
    assert rows.return_to_go[last] == rows.reward[last]
    assert rows.return_to_go[last - 1] == pytest.approx(
        rows.reward[last - 1] + 0.9 * rows.reward[last], rel=1e-5
    )
    assert np.abs(rows.action).max() < 1.0


def test_a_time_limit_is_stored_as_no_end(run: Run):
    """Pendulum episodes are cut after 200 steps and never end by themselves."""
    run.config = dataclasses.replace(run.config, online_steps=210)
    for _ in run.online_loop().run(run.state):
        pass
    rows = unpack(run.sampler.online.filled(), run.online_agent.spec)
    assert (rows.terminated == 0).all()
    assert np.isfinite(rows.return_to_go[:200]).all()
    assert (rows.return_to_go[200:] == -np.inf).all()


def test_the_guard_names_the_number_and_the_update():
    table = np.zeros((4, 2), np.float32)
    table[2, 1] = np.inf
    with pytest.raises(NumericError, match="critic/loss is inf at online update 102"):
        Metrics(("actor/loss", "critic/loss"), table).check(100, "online")


def test_a_run_that_diverges_stops_and_keeps_its_last_good_checkpoint(road: Any, tmp_path: Path):
    done = road(
        *("train", "pendulum-flipped", "--offline-steps", "400", "--online-steps", "50"),
        *("--checkpoint-every", "50", "--iql.learning-rate", "1e18", "--out", tmp_path / "run"),
    )
    assert done.returncode == 5
    line = done.stderr.splitlines()[-1]
    assert "offline update" in line and "/" in line
    for path in (tmp_path / "run" / "checkpoints").glob("step-*/arrays.npz"):
        with np.load(path) as arrays:
            assert all(np.isfinite(arrays[name]).all() for name in arrays.files)
