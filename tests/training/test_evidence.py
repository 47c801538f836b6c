"""What is measured when a period ends, worked out from the agent as it was at each moment."""

import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from tests.training.conftest import tiny_plan

from road.errors import UsageError
from road.mixing import Context, HypergradientMixer, Mixture, RoadMixer
from road.records.folder import RunFolder
from road.stopping import StopRequest
from road.training.buffers import make_sampler
from road.training.compiled import Leaves
from road.training.evidence import EvidenceCollector
from road.training.loop import OnlineStep
from road.training.run import Run


def begun(path: Path, mixer: Any, **changes: Any) -> Run:
    plan = dataclasses.replace(tiny_plan(offline_steps=0, **changes), mixer=mixer)
    run = Run(plan, RunFolder(path / "run"), lambda _: None, StopRequest())
    run.begin()
    return run


def steps_of(run: Run) -> Iterator[OnlineStep]:
    return run.online_loop().run(run.state)


def test_a_change_is_between_the_ends_of_a_period_on_the_same_rows(tmp_path: Path):
    run = begun(tmp_path, RoadMixer(credit="change", overestimation_penalty=0.5))
    first: Leaves = run.state.main.agent
    for step in steps_of(run):
        if step.learners[
            0
        ].waiting:  # all batches are offline yet: that is not what the period's ratio did
            first = run.state.main.agent
        if step.learners[0].period is not None:
            break
    assert step.learners[0].period is not None
    measure = EvidenceCollector(run.online_agent, run.sampler, run.config)
    probe = run.sampler.probe(run.config.measure_batch, measure.draws.at(0))
    then, now = (measure.advantages(leaves, probe, 0) for leaves in (first, run.state.main.agent))
    readings = step.learners[0].period.period.readings
    assert readings["offline_change"] == pytest.approx(now.offline - then.offline, abs=1e-6)
    assert readings["online_change"] == pytest.approx(now.online - then.online, abs=1e-6)
    expected = (now.offline - then.offline) - 0.5 * (now.online - then.online)
    assert step.learners[0].period.period.credit == pytest.approx(expected, abs=1e-6)
    assert step.learners[0].period.period.offline_advantage == pytest.approx(now.offline, abs=1e-6)


def test_a_fresh_error_is_the_drop_in_the_period_before_on_rows_of_this_one(tmp_path: Path):
    run = begun(tmp_path, RoadMixer(credit="fresh-error"), online_steps=200)
    agents, periods = [run.state.main.agent], []
    for step in steps_of(run):
        if step.learners[0].waiting:
            agents = [run.state.main.agent]
        if step.learners[0].period is not None:
            periods.append(step.learners[0].period.period)
            agents.append(run.state.main.agent)
            if len(periods) == 2:
                break
    assert periods[0].readings == {"error_drop": None}
    assert periods[0].credit is None
    length = run.config.period
    assert isinstance(length, int)
    fresh = run.sampler.online.newest(length)
    assert len(fresh) == length
    measure = EvidenceCollector(run.online_agent, run.sampler, run.config)
    place = measure.draws.at(1, part=1).random(run.config.measure_batch)
    rows = fresh[(place * length).astype(int)]
    before, after = (
        run.online_agent.td_error(agents[i], rows, measure.error_key, 1) for i in (0, 1)
    )
    assert periods[1].readings["error_drop"] == pytest.approx(before - after, rel=1e-4)
    assert periods[1].credit == periods[1].readings["error_drop"]
    assert periods[1].credited_ratio == periods[0].offline_ratio


def test_a_return_is_the_mean_of_the_episodes_that_ended(tmp_path: Path):
    """Pendulum episodes last 200 steps: one ends in each period of 250."""
    run = begun(tmp_path, RoadMixer(credit="next-return"), period=250, online_steps=620)
    returns: list[float] = []
    periods: list[Any] = []
    for step in steps_of(run):
        if step.episode is not None:
            returns.append(step.episode.raw_return)
        if step.learners[0].period is not None:
            periods.append((step.learners[0].period.period, list(returns)))
            returns.clear()
    assert [len(ended) for _, ended in periods] == [1, 1]
    for period, ended in periods:
        assert period.readings["mean_return"] == pytest.approx(np.mean(ended))
    assert periods[0][0].credit is None
    assert periods[1][0].credited_ratio == periods[0][0].offline_ratio


def test_a_period_without_an_ended_episode_has_no_return(tmp_path: Path):
    run = begun(tmp_path, RoadMixer(credit="next-return"), online_steps=100)
    periods = [
        step.learners[0].period.period
        for step in steps_of(run)
        if step.learners[0].period is not None
    ]
    assert periods
    assert all(period.credit is None for period in periods)
    assert all(period.readings == {"mean_return": None} for period in periods)
    assert math.isfinite(periods[0].offline_advantage or math.nan)


@pytest.mark.parametrize("judge", ["td", "monte-carlo"])
def test_an_alignment_is_of_offline_rows_of_older_online_ones_and_of_those_held_back(
    tmp_path: Path, judge: Literal["td", "monte-carlo"]
):
    """No episode has ended yet, so that returns have nothing to say and the ratio rests."""
    mixer = HypergradientMixer(interval=5, held_back=30, judge=judge)
    run = begun(tmp_path, mixer, online_steps=70)
    finished = next(
        step.learners[0].period for step in steps_of(run) if step.learners[0].period is not None
    )
    assert finished.steps == 5, "its own interval, whatever the run's period is"
    measure = EvidenceCollector(run.online_agent, run.sampler, run.config)
    offline, online = run.sampler.probe(run.config.batch_size, measure.draws.at(0), held_back=30)
    sources = offline, online, run.sampler.online.newest(30)
    expected = run.online_agent.alignment(run.state.main.agent, sources, measure.key, 0, judge)
    names = ("offline_cosine", "online_cosine", "between_cosine")
    assert [finished.period.readings[name] for name in names] == pytest.approx(expected.tolist())
    assert (expected[0] == 0.0) == (judge == "monte-carlo")
    moved = mixer.propose(run.state.main.mixer, Context()).offline_ratio
    assert (moved == 0.5) == (judge == "monte-carlo")


def test_a_ring_that_holds_nothing_but_rows_held_back_is_refused(tmp_path: Path):
    """32 rows of a batch and 30 held back do not fit into 61: it would wait to the end.

    A run of so few steps does not write more.
    """
    mixer = HypergradientMixer(held_back=30)
    with pytest.raises(UsageError, match=r"holds back 30 rows .* buffer_capacity is 61"):
        begun(tmp_path / "full", mixer, batch_size=32, buffer_capacity=61)
    begun(tmp_path / "space", mixer, batch_size=32, buffer_capacity=62).close()
    with pytest.raises(UsageError, match=r"holds back 30 rows .* online_steps is 61"):
        begun(tmp_path / "short", mixer, batch_size=32, online_steps=61)
    run = begun(tmp_path / "long", mixer, batch_size=32, online_steps=62)
    assert [step.learners[0].waiting for step in steps_of(run)] == [True] * 61 + [False]
    begun(tmp_path / "ratio", RoadMixer(), batch_size=32, buffer_capacity=5).close()


def test_a_run_without_an_online_phase_needs_no_space_for_rows_held_back():
    plan = dataclasses.replace(tiny_plan(online_steps=0), mixer=HypergradientMixer(held_back=30))
    assert len(make_sampler(plan, plan.task, plan.task.dataset()).online.rows) == 1


def test_rows_that_are_held_back_are_not_trained_on(tmp_path: Path):
    """Until the ring has more than is held back and enough besides, all rows are offline."""
    run = begun(tmp_path, HypergradientMixer(interval=5, held_back=30), online_steps=70)
    waiting = [step.learners[0].waiting for step in steps_of(run)]
    assert waiting.index(False) == 30 + run.sampler.enough_online - 1
    online = run.sampler.online
    online.rows[:, 0] = np.arange(len(online.rows))
    stack = run.sampler.sample(Mixture(0.0, held_back=30), 20, 32, np.random.default_rng(0))
    assert stack.rows[..., 0].max() == online.written - 30 - 1
    _, probe = run.sampler.probe(500, np.random.default_rng(0), held_back=30)
    assert probe[:, 0].max() < online.written - 30


def test_every_reading_draws_actions_of_its_own(tmp_path: Path):
    """On the same rows: neither source, nor any period, shares its chance with another."""
    run = begun(tmp_path, RoadMixer())
    measure, rows = (
        EvidenceCollector(run.online_agent, run.sampler, run.config),
        run.sampler.offline[:64],
    )
    seen = [measure.advantages(run.state.main.agent, (rows, rows), period) for period in (0, 1)]
    run.close()
    assert len({delta for each in seen for delta in (each.offline, each.online)}) == 4
