"""Warm-up and the lack of a pretraining: what a recipe says, the loop does."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.training.conftest import tiny_plan
from tests.training.test_exact_resume import contents, differing, stop_when
from tests.training.test_finetune import rows_of

from road.agents.iql import IQL
from road.agents.recipes import RECIPES, Recipe, iql_recipe
from road.cli.train import parse_plan
from road.errors import UsageError
from road.records.folder import RunFolder
from road.replay.transitions import unpack
from road.rng import Stream, jax_stream
from road.stopping import StopRequest
from road.training.config import Plan, changed_config, default_plan
from road.training.events import Event, PhaseStarted, Progressed
from road.training.launch import resume_run, start_run
from road.training.loop import OnlineStep
from road.training.run import Run

WARMUP = 60


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes IQL's recipe another one for the time of a test."""

    def change(**changes: Any) -> None:
        def changed(iql: IQL) -> Recipe:
            return dataclasses.replace(iql_recipe(iql), **changes)

        monkeypatch.setitem(RECIPES, "iql", changed)

    return change


def begun(plan: Plan, folder: Path) -> Run:
    run = Run(plan, RunFolder(folder), lambda _: None, StopRequest())
    run.begin()
    return run


def online_steps(run: Run) -> Iterator[OnlineStep]:
    return run.online_loop().run(run.state)


def stored_actions(run: Run, steps: int) -> np.ndarray:
    return np.array(unpack(run.sampler.online.rows[:steps], run.online_agent.spec).action)


def weights(run: Run) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in run.state.main.agent]


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_nothing_is_trained_until_the_warm_up_is_over(tmp_path: Path):
    run = begun(tiny_plan(warmup_steps=WARMUP), tmp_path / "run")
    before = weights(run)
    for number, step in enumerate(online_steps(run), start=1):
        assert len(run.sampler.online) == number, "every step is stored"
        assert (step.learners[0].metrics is None) == step.learners[0].waiting == (number <= WARMUP)
        assert same(weights(run), before) == (number <= WARMUP)
        if number == WARMUP + 1:
            break


def test_no_period_is_counted_in_the_warm_up(tmp_path: Path):
    """Periods of 40 steps after 60 of warm-up, in 260 steps: five whole ones, as exact as ever."""
    start_run(tiny_plan(warmup_steps=WARMUP), tmp_path / "run", "test", lambda _: None)
    periods = rows_of(tmp_path / "run", "mixer")
    assert [row["step"] for row in periods] == [100, 140, 180, 220, 260]
    assert {row["steps"] for row in periods} == {40}
    for row in periods:
        assert row["realised_ratio"] == pytest.approx(row["offline_ratio"], abs=0.02)
    metrics = [row for row in rows_of(tmp_path / "run", "metrics") if row["phase"] == "online"]
    assert [row["step"] for row in metrics][:2] == [WARMUP + 10, WARMUP + 20]


def test_a_period_that_is_an_episode_is_not_one_before_the_warm_up_ends(tmp_path: Path):
    """Episodes have 200 steps: the first is all warm-up, the third is only in part a period."""
    plan = tiny_plan(warmup_steps=450, period="episode", online_steps=810, offline_steps=0)
    start_run(plan, tmp_path / "run", "test", lambda _: None)
    periods = rows_of(tmp_path / "run", "mixer")
    assert [(row["step"], row["steps"]) for row in periods] == [(600, 150), (800, 200)]


def test_random_warm_up_is_uniform_over_the_box_and_ends_when_it_should(
    recipe: Callable[..., None], tmp_path: Path
):
    recipe(random_warmup=True)
    run = begun(tiny_plan(warmup_steps=200, online_steps=201), tmp_path / "run")
    list(online_steps(run))
    actions = stored_actions(run, 200).ravel()
    assert stats.kstest(actions, "uniform", args=(-1.0, 2.0)).pvalue > 0.01
    assert abs(np.corrcoef(actions[:-1], actions[1:])[0, 1]) < 0.2


def test_random_warm_up_does_not_depend_on_the_agent_but_on_the_seed(
    recipe: Callable[..., None], tmp_path: Path
):
    recipe(random_warmup=True)
    plan = tiny_plan(warmup_steps=30, online_steps=32)
    others = {
        "again": plan,
        "agent": dataclasses.replace(plan, agent=IQL(hidden=(8,), discount=0.9)),
        "seed": tiny_plan(warmup_steps=30, online_steps=32, seed=4),
    }
    actions = {}
    for name, each in {"first": plan, **others}.items():
        run = begun(each, tmp_path / name)
        list(online_steps(run))
        actions[name] = stored_actions(run, 32)
    np.testing.assert_array_equal(actions["again"], actions["first"])
    np.testing.assert_array_equal(actions["agent"][:30], actions["first"][:30])
    assert not np.array_equal(actions["agent"][30:], actions["first"][30:]), "it acts by itself now"
    assert not np.array_equal(actions["seed"][:30], actions["first"][:30])


def test_otherwise_the_frozen_policy_acts(tmp_path: Path):
    """Every step of the warm-up is what the first weights say to its observation."""
    run = begun(tiny_plan(warmup_steps=20, online_steps=40), tmp_path / "run")
    first, key = run.state.main.agent, jax_stream(run.config.seed, Stream.ACTING)
    list(online_steps(run))
    rows = unpack(run.sampler.online.rows[:40], run.online_agent.spec)
    expected = [
        run.online_agent.act(first, each, key, at) for at, each in enumerate(rows.observation)
    ]
    np.testing.assert_allclose(rows.action[:21], expected[:21], atol=1e-4)
    assert not np.allclose(rows.action[21:], expected[21:], atol=1e-4), "then it learns"


@pytest.mark.parametrize("changes", [{}, {"random_warmup": True}], ids=["own", "random"])
def test_stopped_in_the_middle_of_a_warm_up_and_continued_it_ends_with_the_same_bits(
    changes: dict[str, Any], recipe: Callable[..., None], tmp_path: Path
):
    recipe(**changes)
    plan = tiny_plan(warmup_steps=WARMUP, online_steps=150, evaluate_every=1000)
    start_run(plan, tmp_path / "quiet", "test", lambda _: None)
    for number, done in enumerate((25, WARMUP - 1, WARMUP, WARMUP + 1)):
        stop_when(plan, tmp_path / "run", lambda e, done=done: reached(e, done), fresh=number == 0)
    (tmp_path / "run" / "meta.json").write_text('{"machine": {}}')
    resume_run(tmp_path / "run", lambda _: None)
    assert differing(contents(tmp_path / "run"), contents(tmp_path / "quiet")) == []


def reached(event: Event, done: int) -> bool:
    return isinstance(event, Progressed) and event.phase == "online" and event.done == done


def test_without_pretraining_a_run_is_online_at_once(recipe: Callable[..., None], tmp_path: Path):
    recipe(offline=None)
    events: list[Event] = []
    plan = tiny_plan(offline_steps=0, online_steps=120)
    start_run(plan, tmp_path / "run", "test", events.append)
    assert [e.phase for e in events if isinstance(e, PhaseStarted)] == ["online"]
    evaluations = rows_of(tmp_path / "run", "evaluations")
    assert [(row["phase"], row["step"]) for row in evaluations] == [
        ("online", 0), ("online", 100), ("online", 120)
    ]  # fmt: skip
    assert {row["phase"] for row in rows_of(tmp_path / "run", "metrics")} == {"online"}


def test_without_pretraining_it_continues_exactly_too(recipe: Callable[..., None], tmp_path: Path):
    recipe(offline=None, random_warmup=True)
    plan = tiny_plan(offline_steps=0, online_steps=120, warmup_steps=40, evaluate_every=1000)
    start_run(plan, tmp_path / "quiet", "test", lambda _: None)
    for number, done in enumerate((10, 70)):
        stop_when(plan, tmp_path / "run", lambda e, done=done: reached(e, done), fresh=number == 0)
    (tmp_path / "run" / "meta.json").write_text('{"machine": {}}')
    resume_run(tmp_path / "run", lambda _: None)
    assert differing(contents(tmp_path / "run"), contents(tmp_path / "quiet")) == []


def test_offline_steps_asked_of_an_agent_that_is_not_pretrained(
    recipe: Callable[..., None], tmp_path: Path
):
    recipe(offline=None)
    with pytest.raises(UsageError, match=r"iql is not pretrained: offline_steps must be 0, got 7"):
        start_run(tiny_plan(offline_steps=7), tmp_path / "run", "test", lambda _: None)


def test_the_recipe_gives_the_defaults_of_a_plan(recipe: Callable[..., None]):
    """Pendulum runs 5,000 steps online: a twentieth of them is the longest warm-up."""
    recipe(offline=None, warmup_steps=5000, updates_per_step=4)
    config = default_plan("pendulum-flipped").config
    assert (config.offline_steps, config.warmup_steps, config.updates_per_step) == (0, 250, 4)


@pytest.mark.parametrize("agent", ["pex", "rlpd", "wsrl"])
def test_a_run_made_shorter_by_hand_has_a_shorter_warm_up(agent: str):
    """Else a tiny run would be over before its first update, and not say so."""
    plan, _ = parse_plan(["pointmaze-umaze-random", "--agent", agent, "--online-steps", "200"])
    assert plan.config.warmup_steps == 10
    assert changed_config(default_plan(agent_name=agent), {"online_steps": 200}) == plan.config


@pytest.mark.parametrize("words", [["--warmup-steps", "500"], ["--warmup_steps=500"]])
def test_a_warm_up_that_is_asked_for_is_left_alone(words: list[str]):
    plan, _ = parse_plan(["--agent", "rlpd", "--online-steps", "2000", *words])
    assert plan.config.warmup_steps == 500
    changes = {"online_steps": 2000, "warmup_steps": 500}
    assert changed_config(default_plan(agent_name="rlpd"), changes) == plan.config


def test_a_warm_up_as_long_as_the_phase_is_refused_before_anything_is_written(tmp_path: Path):
    plan = tiny_plan(online_steps=100, warmup_steps=100)
    with pytest.raises(UsageError, match="a warm-up of 100 steps leaves nothing to train in 100"):
        start_run(plan, tmp_path / "run", "test", lambda _: None)
    assert not (tmp_path / "run").exists()
