"""Whole runs by priority: with every agent, counted right, and continued to the same bits."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contracts.test_agents import AGENT_LIST
from tests.training.conftest import tiny_plan
from tests.training.test_exact_resume import contents, differing, stop_when
from tests.training.test_finetune import rows_of

from road.cli.train import parse_plan
from road.mixing import BalancedMixer, Evidence
from road.records.folder import RunFolder
from road.rng import Stream, jax_stream
from road.stopping import StopRequest
from road.training.compiled import remembered
from road.training.config import Plan, RunConfig, default_plan, plan_from_json
from road.training.events import Event, Progressed
from road.training.launch import resume_run, start_run
from road.training.learner import Learner
from road.training.loop import OnlineStep
from road.training.run import Run
from road.training.state import RunState

MIXER = BalancedMixer(hidden=(8, 8), density_batch=8, initial_rows=20)


def balanced_plan(**changes: Any) -> Plan:
    return dataclasses.replace(tiny_plan(**changes), mixer_name="balanced", mixer=MIXER)


@pytest.mark.parametrize("name", AGENT_LIST)
def test_every_agent_learns_from_rows_drawn_by_priority(name: str, tmp_path: Path):
    """Twenty steps of warm-up, then two mini-batches of sixteen rows a step.

    As large as in ``tests/contracts``, so that their compiled code serves here too.
    """
    config = RunConfig(
        offline_steps=0, online_steps=50, warmup_steps=20, batch_size=16, updates_per_step=2,
        period=10, measure_batch=16,
    )  # fmt: skip
    plan = Plan("pendulum-flipped", name, AGENT_LIST[name], "balanced", MIXER, config)
    remembered.cache_clear()
    run = Run(plan, RunFolder(tmp_path / "run"), lambda _: None, StopRequest())
    key = jax_stream(0, Stream.INITIALISING)
    run.state = RunState((Learner(run.online_agent.init(key), MIXER.init(0)),))
    run.state.counters.phase = "online"
    loop = run.online_loop()
    loop.trainers[0].measure = unmeasured
    before, steps = priorities(run), list(loop.run(run.state))
    run.close()
    periods = [step.learners[0].period for step in steps if step.learners[0].period is not None]
    assert [(each.period.period, each.steps) for each in periods] == [(0, 10), (1, 10), (2, 10)]
    assert all(0.0 < each.realised_ratio < 1.0 for each in periods)
    assert all(np.isfinite(np.asarray(leaf)).all() for leaf in run.state.main.agent)
    assert run.online_agent.compilations["update"] == 1
    assert learnt(steps), "the network's numbers are among the metrics of every update"
    assert (priorities(run) != before).sum() > 50 + 20, "of the online rows, and of offline ones"


def unmeasured(*_: Any) -> Evidence:
    return Evidence(credit=0.0)


def priorities(run: Run) -> np.ndarray:
    assert run.sampler.weighing is not None
    return np.array(run.sampler.weighing.arrays()["priorities"])


def learnt(steps: list[OnlineStep]) -> bool:
    trained = [step.learners[0].metrics for step in steps if step.learners[0].metrics is not None]
    return len(trained) == 30 and all(
        {"density/loss", "density/gradient_norm"} < set(each.names) and len(each.table) == 2
        for each in trained
    )


def reached(event: Event, done: int) -> bool:
    return isinstance(event, Progressed) and event.phase == "online" and event.done == done


def test_stopped_anywhere_a_run_by_priority_ends_with_the_same_bits(tmp_path: Path):
    """In the warm-up, while waiting, between periods, and with a ring that has gone round."""
    plan = balanced_plan(
        offline_steps=0, online_steps=150, warmup_steps=10, updates_per_step=3,
        buffer_capacity=60, evaluate_every=1000, checkpoint_every=1000,
    )  # fmt: skip
    start_run(plan, tmp_path / "quiet", "test", lambda _: None)
    for number, done in enumerate((5, 12, 16, 56, 71, 140)):
        stop_when(plan, tmp_path / "run", lambda e, done=done: reached(e, done), fresh=number == 0)
    (tmp_path / "run" / "meta.json").write_text('{"machine": {}}')
    resume_run(tmp_path / "run", lambda _: None)
    quiet = contents(tmp_path / "quiet")
    assert differing(contents(tmp_path / "run"), quiet) == []
    kept = {name for name in quiet if name.startswith("weighing/")}
    assert {"weighing/priorities", "weighing/highest", "weighing/entered"} < kept
    assert sum(name.startswith("weighing/density/") for name in kept) == 9, "6 weights, Adam's 3"


def test_the_recorded_ratio_is_what_the_priorities_say_and_the_realised_one_follows(tmp_path: Path):
    plan = balanced_plan(offline_steps=0)
    start_run(plan, tmp_path / "run", "test", lambda _: None)
    periods = rows_of(tmp_path / "run", "mixer")
    assert periods[0]["offline_ratio"] == 1.0, "there was no online row yet"
    for row in periods[1:]:
        assert 0.5 < row["offline_ratio"] < 1.0
        assert row["realised_ratio"] == pytest.approx(row["offline_ratio"], abs=0.1)
    assert "density/loss" in rows_of(tmp_path / "run", "metrics")[-1]


def test_its_settings_are_flags_and_part_of_the_plan():
    assert default_plan("pendulum-flipped", mixer_name="balanced").mixer == BalancedMixer()
    flags = "--balanced.initial-mass 0.75 --balanced.hidden 32 16 --balanced.temperature 2"
    plan, _ = parse_plan(["pendulum-flipped", "--mixer", "balanced", *flags.split()])
    expected = BalancedMixer(initial_mass=0.75, hidden=(32, 16), temperature=2.0)
    assert plan.mixer == expected
    assert plan_from_json(json.loads(json.dumps(plan.to_json()))).mixer == expected


def test_other_strategies_weigh_no_rows_and_save_no_weights(tmp_path: Path):
    run = Run(tiny_plan(), RunFolder(tmp_path / "run"), lambda _: None, StopRequest())
    run.begin()
    assert run.sampler.weighing is None
    run.save()
    assert not [name for name in run.state.arrays() if name.startswith("weighing/")]
    run.close()
