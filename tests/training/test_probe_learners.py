"""Probe learners: judged on what they have not seen, harmless to the main learner, and exact."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.contracts.test_agent_runs import plan_of as agent_plan
from tests.contracts.test_agents import AGENT_LIST
from tests.training.conftest import tiny_plan
from tests.training.test_exact_resume import contents, differing, stop_when

from road.errors import NumericError, UsageError
from road.mixing import (
    Context,
    Decision,
    ErrorTally,
    FixedMixer,
    Mixture,
    Period,
    ProbeMixer,
    ProbeTraining,
    ValidatedMixer,
)
from road.mixing.probe_errors import ProbeCriterion
from road.records.folder import RunFolder
from road.replay.transitions import unpack
from road.stopping import StopRequest
from road.training import scoring
from road.training.config import Plan
from road.training.events import Progressed
from road.training.launch import pick_state, resume_plan, start_run
from road.training.learner import EVERY_STEP
from road.training.run import Run
from road.training.scoring import ProbeScores, Scored

SHORT = {"offline_steps": 60, "online_steps": 90, "evaluate_every": 1000, "evaluation_episodes": 1}


@dataclass(frozen=True)
class Watched:
    """Half and half whatever the probes say."""

    training: ProbeTraining = EVERY_STEP

    probe_mixers = (ProbeMixer(0.0), ProbeMixer(0.9))

    @property
    def probe_training(self) -> ProbeTraining:
        return self.training

    def init(self, seed: int) -> None:
        del seed

    def propose(self, state: None, context: Context) -> Decision:
        del state, context
        return Decision(Mixture(0.5), ProbeCriterion(), steps=10_000)

    def observe(self, state: None, period: Period) -> None:
        del state, period


def plan_of(mixer: Any, **changes: Any) -> Plan:
    return dataclasses.replace(tiny_plan(**{**SHORT, **changes}), mixer_name="own", mixer=mixer)


@contextmanager
def running(plan: Plan, folder: Path) -> Iterator[Run]:
    """A run at the beginning of its online phase."""
    with closing(Run(plan, RunFolder(folder), lambda _: None, StopRequest())) as run:
        run.begin()
        run.pretrain()
        run.go_online()
        yield run
        run.folder.release()


def bellman_errors(run: Run, probe: list[Any], rows: np.ndarray[Any, Any]) -> list[float]:
    """Of IQL, written out: both critics' squared distance from r + gamma V(s'), averaged."""
    assert run.probes is not None
    state = run.probes.whole(probe, run.state.main.agent)
    found = list[float]()
    for row in rows:
        batch = unpack(jnp.asarray(row[None]), run.online_agent.spec)
        q = state.critic.model(batch.observation, batch.action)[:, 0]
        value = state.value.model(batch.next_observation)[0]
        target = batch.reward[0] + 0.98 * (1.0 - batch.terminated[0]) * value
        found.append(float(((q - target) ** 2).mean()))
    return found


def test_probes_change_no_bit_of_the_main_learner(tmp_path: Path):
    start_run(plan_of(FixedMixer(0.5)), tmp_path / "alone", "test", lambda _: None)
    start_run(plan_of(Watched()), tmp_path / "watched", "test", lambda _: None)
    one, other = (pick_state(tmp_path / name, best=False) for name in ("alone", "watched"))
    for mine, same in zip(one.main.agent, other.main.agent, strict=True):
        np.testing.assert_array_equal(mine, same)
    np.testing.assert_array_equal(one.online_rows, other.online_rows)


@pytest.mark.parametrize("every", [1, 3])
def test_a_transition_is_scored_by_weights_that_have_not_seen_it(every: int, tmp_path: Path):
    """The errors of each block are those of the probes as they were before it was stored."""
    plan = plan_of(Watched(ProbeTraining(every=every)), online_steps=40)
    with running(plan, tmp_path / "run") as run:
        scores = run.state.main.scores
        assert scores is not None
        weights = [probe.agent for probe in run.state.learners[1:]]
        counted, sums, trained = 0, np.zeros(2), 0
        for now, _ in enumerate(run.online_loop().run(run.state)):
            new = scores.tally.counts["bellman"] - counted
            if new:
                rows = run.sampler.online.newest(new)
                expected = [sum(bellman_errors(run, each, rows)) for each in weights]
                got = scores.tally.sums["bellman"] - sums
                np.testing.assert_allclose(got, expected, rtol=2e-4)
            counted, sums = counted + new, scores.tally.sums["bellman"].copy()
            after = [probe.agent for probe in run.state.learners[1:]]
            changed = not np.array_equal(weights[0][0], after[0][0])
            assert changed == ((now + 1) % every == 0)
            trained, weights = trained + changed, after
        waiting = plan.config.batch_size - 1
        assert counted + len(scores.unscored) == 40 - waiting
        assert trained == 40 // every


def test_a_probe_borrows_the_policy_and_keeps_the_rest(tmp_path: Path):
    with running(plan_of(Watched(ProbeTraining(actor=False))), tmp_path / "run") as run:
        assert run.probes is not None
        assert set(run.probes.owned) == {"critic", "target_critic", "value"}
    with running(plan_of(Watched()), tmp_path / "own") as run:
        assert run.probes is not None
        assert set(run.probes.owned) == {"actor", "critic", "target_critic", "value"}


def test_a_borrowed_policy_changes_nothing_of_iqls_critics(tmp_path: Path):
    """None of IQL's critics depends on its actor: both kinds of probe learn the same values."""
    for actor in (True, False):
        mixer = Watched(ProbeTraining(actor=actor))
        start_run(plan_of(mixer), tmp_path / str(actor), "test", lambda _: None)
    own, borrowed = (pick_state(tmp_path / name, best=False) for name in ("True", "False"))
    assert own.main.scores is not None
    assert borrowed.main.scores is not None
    for judge in ("bellman", "return"):
        np.testing.assert_allclose(
            own.main.scores.tally.sums[judge], borrowed.main.scores.tally.sums[judge], rtol=1e-4
        )


def test_a_smaller_batch_is_what_a_probe_draws(tmp_path: Path):
    with running(plan_of(Watched(ProbeTraining(batch=0.25))), tmp_path / "run") as run:
        sizes = [trainer.batch_size for trainer in run.online_loop().trainers]
    assert sizes == [16, 4, 4]


def test_a_control_may_judge_probes_on_what_they_have_trained_on(tmp_path: Path):
    """Then the errors are those of transitions from all over the buffer, and no return is known."""
    plan = plan_of(Watched(ProbeTraining(every=3, fresh=False)), online_steps=40)
    with running(plan, tmp_path / "run") as run:
        scores = run.state.main.scores
        assert scores is not None
        for _ in run.online_loop().run(run.state):
            if scores.tally.counts["bellman"] and not scores.unscored:
                break
        before = scores.tally.sums["bellman"].copy()
        weights = [probe.agent for probe in run.state.learners[1:]]
        newest = [sum(bellman_errors(run, each, run.sampler.online.newest(3))) for each in weights]
        assert scores.tally.means()["return"] is None
        assert not np.allclose(before, newest, rtol=1e-3)


def online_step(step: int) -> Callable[[Any], bool]:
    return lambda event: (
        isinstance(event, Progressed) and event.phase == "online" and event.done == step
    )


class Killed(BaseException):
    """No code of a run expects this; what is not saved by then is lost."""


def kill_when(plan: Plan, path: Path, condition: Callable[[Any], bool]) -> None:
    """Go on, and end without another write, as SIGKILL would have it."""

    def notify(event: Any) -> None:
        if condition(event):
            raise Killed

    with pytest.raises(Killed):
        resume_plan(plan, path, notify)


@pytest.mark.parametrize("name", AGENT_LIST)
def test_every_agent_has_probes_and_goes_on_to_the_same_bits(name: str, tmp_path: Path):
    """Stopped between two updates of the probes, within an interval; later killed, unsaved."""
    mixer = ValidatedMixer(ratios=(0.0, 0.9), interval=15, probe_every=2)
    plan = dataclasses.replace(agent_plan(name), mixer_name="validated", mixer=mixer)
    config = dataclasses.replace(
        plan.config,
        offline_steps=min(plan.config.offline_steps, 20),
        online_steps=61,
        warmup_steps=min(plan.config.warmup_steps, 5),
        evaluate_every=1000,
        checkpoint_every=10,
    )
    plan = dataclasses.replace(plan, config=config)
    start_run(plan, tmp_path / "quiet", "test", lambda _: None)

    stop_when(plan, tmp_path / "stopped", online_step(38), fresh=True)
    (tmp_path / "stopped" / "meta.json").write_text('{"machine": {}}')
    kill_when(plan, tmp_path / "stopped", online_step(57))
    resume_plan(plan, tmp_path / "stopped", lambda _: None)
    assert differing(contents(tmp_path / "stopped"), contents(tmp_path / "quiet")) == []
    rows = [json.loads(line) for line in (tmp_path / "quiet/mixer.jsonl").read_text().splitlines()]
    assert rows
    for row in rows:
        errors = row["probe_errors"]["bellman"]
        assert len(errors) == 2
        assert np.isfinite(errors).all()
        assert min(errors) > 0.0


def test_a_probe_that_diverged_ends_the_run_in_one_line(tmp_path: Path):
    """Before its errors reach the mixer; the main learner's own numbers are fine."""
    with running(plan_of(Watched(), online_steps=40), tmp_path / "run") as run:
        scores, probe = run.state.main.scores, run.state.learners[2]
        assert scores is not None
        steps = run.online_loop().run(run.state)
        while not scores.tally.counts["bellman"]:
            next(steps)
        probe.agent = [jnp.full_like(leaf, jnp.nan) for leaf in probe.agent]
        message = "Q of probe learner 2 is not finite on a new transition at online step"
        with pytest.raises(NumericError, match=message) as refusal:
            next(steps)
        assert "\n" not in str(refusal.value)
        assert scores.tally.counts["bellman"] == 1


def test_an_agent_without_a_critic_is_refused_in_one_line(tmp_path: Path):
    class Bare(type(AGENT_LIST["iql"])):
        def init(self, key: Any, spec: Any) -> Any:
            return {"weights": jax.random.normal(key, (spec.action_dim,))}

    plan = dataclasses.replace(plan_of(Watched()), agent=Bare(hidden=(8, 8)))
    with pytest.raises(UsageError, match=r"need a state that is an eqx\.Module with its critic"):
        Run(plan, RunFolder(tmp_path / "run"), lambda _: None, StopRequest())


# Returns, by hand: two probes, three transitions, gamma = 1/2.


def scored(q: float, target: float, reward: float) -> Scored:
    both = np.array([1.0, 2.0])
    return Scored(q * both, np.zeros(2), target * both, reward)


def test_the_return_judge_waits_for_the_episodes_end():
    """G = 1 + (4 + 8/2)/2 = 5 for the first; the last one's is its target."""
    scores = ProbeScores(ErrorTally(2))
    scores.add(scored(q=0.0, target=0.0, reward=1.0), 0.5, ended=False)
    scores.add(scored(q=0.0, target=0.0, reward=4.0), 0.5, ended=False)
    assert scores.tally.means()["return"] is None
    scores.add(Scored(np.zeros(2), np.zeros(2), np.array([8.0, 8.0]), 8.0), 0.5, ended=True)
    assert scores.pending == []
    assert scores.tally.means()["return"] == pytest.approx(((25 + 64 + 64) / 3,) * 2)


def test_an_episode_that_is_cut_ends_in_each_probes_own_value():
    scores = ProbeScores(ErrorTally(2))
    scores.add(scored(q=0.0, target=0.0, reward=1.0), 0.5, ended=False)
    scores.add(scored(q=0.0, target=6.0, reward=0.0), 0.5, ended=True)
    first, second = scores.tally.means()["return"] or ()
    assert first == pytest.approx((4.0**2 + 6.0**2) / 2)
    assert second == pytest.approx((7.0**2 + 12.0**2) / 2)


def test_the_spread_of_the_ensemble_is_part_of_the_error():
    """Critics of 1 and 3 against a target of 5: (16 + 4)/2 = 10."""
    errors = Scored(np.array([2.0]), np.array([1.0]), np.array([5.0]), 0.0).errors(np.array([5.0]))
    assert errors == pytest.approx([10.0])


def test_an_endless_episode_is_judged_by_returns_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scoring, "LONGEST", 10)
    scores = ProbeScores(ErrorTally(2))
    for _ in range(25):
        scores.add(scored(q=0.0, target=0.0, reward=1.0), 0.5, ended=False)
    assert scores.tally.counts == {"bellman": 25, "return": 20}
    assert len(scores.pending) == 5


def test_scores_come_back_from_a_checkpoint():
    scores = ProbeScores(ErrorTally(2))
    scores.add(scored(q=1.0, target=2.0, reward=1.0), 0.5, ended=True)
    scores.add(scored(q=3.0, target=2.0, reward=0.5), 0.5, ended=False)
    scores.unscored = [False, True]
    again = scoring.scores_from(scores.arrays())
    assert again is not None
    assert again.unscored == scores.unscored
    assert again.tally.means() == scores.tally.means()
    np.testing.assert_array_equal(
        again.arrays()["scores/pending"], scores.arrays()["scores/pending"]
    )
