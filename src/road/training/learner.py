"""One learner: an agent in training, the mixer that chooses its ratio, and its running period.

A run has one learner or several, all on one replay buffer. The first is the main learner: it alone
acts and is evaluated. What belongs to a learner, and nothing else, is in its ``Learner`` value.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray

from road.mixing import Context, Decision, Evidence, Mixer, Mixture, Period
from road.mixing.period import finish_period
from road.mixing.probe_errors import ProbeTraining
from road.replay.sampler import MixedSampler, Stack
from road.rng import NumpyStream, Stream, jax_stream
from road.training.appraisal import AppraiseBy
from road.training.compiled import CompiledAgent, Leaves, Metrics, leaves_of
from road.training.config import RunConfig
from road.training.rollout import FinishedEpisode
from road.training.scoring import ProbeScores, scores_from
from road.training.typed import rebuild
from road.training.validate import check_plain

EVERY_STEP = ProbeTraining()


@dataclass
class RunningPeriod:
    """The period that is running: its counters, and what was known when it began; plain data."""

    index: int = 0
    start: int = 0
    """Online step at which it was proposed."""
    steps: int = 0
    """Environment steps at its own ratio."""
    offline_rows: int = 0
    """Offline transitions trained on."""
    rows: int = 0
    """All transitions trained on."""
    episodes: int = 0
    """Episodes that ended in it."""
    raw_return: float = 0.0
    """Sum of their returns, in the environment's own reward."""
    offline_mass: float | None = None
    """The offline share of all priorities when it began, if transitions have any."""
    ratio_before: float | None = None
    """The offline ratio of the period before it."""

    def count(self, stack: Stack) -> None:
        """Count one more step, and the rows that were trained on in it."""
        self.steps += 1
        self.offline_rows += stack.offline_rows
        self.rows += stack.rows.shape[0] * stack.rows.shape[1]

    def count_episode(self, episode: FinishedEpisode | None) -> None:
        if episode is not None:
            self.episodes += 1
            self.raw_return += episode.raw_return


@dataclass
class Learner:
    """All that changes while one learner is trained."""

    agent: Leaves
    mixer: Any = None
    """The mixer's own state: plain data."""
    period: RunningPeriod = field(default_factory=RunningPeriod)
    snapshots: dict[str, Leaves] = field(default_factory=dict[str, Leaves])
    """The agent as it was when the running period began ("begun") and when the one before did
    ("before"); empty unless the mixer is judged by them."""
    scores: ProbeScores | None = None
    """Of the probes, if the mixer follows their errors."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        named = {"agent": self.agent, **self.snapshots}
        weights = {
            f"{name}/{i:04d}": np.asarray(leaf)
            for name, leaves in named.items()
            for i, leaf in enumerate(leaves)
        }
        return weights if self.scores is None else {**weights, **self.scores.arrays()}

    def document(self) -> dict[str, Any]:
        return {"mixer": self.mixer, "period": asdict(self.period)}


def learner_from(arrays: dict[str, NDArray[Any]], document: dict[str, Any]) -> Learner:
    """The inverse of ``arrays`` and ``document``."""
    snapshots = {name: leaves_of(arrays, name) for name in ("begun", "before")}
    return Learner(
        agent=leaves_of(arrays, "agent"),
        mixer=document["mixer"],
        period=rebuild(RunningPeriod, document["period"], "state.json"),
        snapshots={name: leaves for name, leaves in snapshots.items() if leaves},
        scores=scores_from(arrays),
    )


@dataclass(frozen=True)
class FinishedPeriod:
    """A period together with how it came out in the loop."""

    period: Period
    steps: int
    realised_ratio: float
    """Offline share of the transitions trained on."""

    def as_row(self, step: int) -> dict[str, Any]:
        return {
            **self.period.as_row(),
            "step": step,
            "steps": self.steps,
            "realised_ratio": self.realised_ratio,
        }


@dataclass(frozen=True)
class Trained:
    """One environment step of one learner."""

    metrics: Metrics | None
    """None where nothing was trained: while warming up, and between two updates of a probe."""
    mixture: Mixture
    waiting: bool
    """Whether the ratio was not in force yet, for lack of online data."""
    period: FinishedPeriod | None = None
    """The period that ended with this step."""


Measure = Callable[[Learner, Decision, int], Evidence]
"""The measurements at a period's end, after that many online steps."""
Update = Callable[[Leaves, Leaves, NDArray[np.float32], PRNGKeyArray, int], tuple[Leaves, Metrics]]
"""Trains a learner's weights, beside those of the main learner, on a stack of packed rows."""


def alone(compiled: CompiledAgent) -> Update:
    """The update of a learner that borrows nothing from the main one."""

    def update(
        own: Leaves, main: Leaves, rows: NDArray[np.float32], key: PRNGKeyArray, counter: int
    ) -> tuple[Leaves, Metrics]:
        del main
        return compiled.update(own, rows, key, counter)

    return update


class Trainer:
    """Trains one learner: its mixer's decision, its batches, its updates, the ends of its periods.

    All that changes is in the ``Learner``, but for the decision in force, which follows from it.
    """

    def __init__(
        self,
        index: int,
        update: Update,
        sampler: MixedSampler,
        mixer: Mixer[Any],
        measure: Measure,
        config: RunConfig,
        training: ProbeTraining = EVERY_STEP,
    ) -> None:
        self.index, self.update, self.sampler = index, update, sampler
        self.mixer, self.measure, self.config = mixer, measure, config
        self.appraise: AppraiseBy | None = None
        """For a row weighting that asks the agent."""
        self.every, self.batch_size = training.every, round(training.batch * config.batch_size) or 1
        self.draws = NumpyStream(config.seed, Stream.SAMPLING_ONLINE, index)
        self.key: PRNGKeyArray = jax_stream(config.seed, Stream.UPDATING_ONLINE, index)

    def begin(self, learner: Learner) -> Decision:
        """Begin the online phase, or take it up again."""
        decision = self.propose(learner)
        if not learner.snapshots:
            remember(learner, decision)
        return decision

    def propose(self, learner: Learner) -> Decision:
        """The decision for the running period; a resumed run asks again and gets the same."""
        start = learner.period.start
        context = Context(
            progress=start / self.config.online_steps,
            offline_rows=len(self.sampler.offline),
            online_rows=min(start, len(self.sampler.online.rows)),
            offline_mass=learner.period.offline_mass,
        )
        return self.mixer.propose(learner.mixer, context)

    def train(self, learner: Learner, main: Leaves, decision: Decision, now: int) -> Trained:
        """The updates that belong to one environment step; a probe may need the main learner's."""
        mixture = decision.mixture
        warming = now < self.config.warmup_steps
        waiting = warming or self.sampler.waiting(mixture)
        refresh_snapshot(learner, waiting=waiting)
        if warming or (now + 1) % self.every:
            return Trained(None, mixture, waiting)
        updates = self.config.updates_per_step
        stack = self.sampler.sample(mixture, updates, self.batch_size, self.draws.at(now))
        learner.agent, metrics = self.update(learner.agent, main, stack.rows, self.key, now)
        appraise = None if self.appraise is None else partial(self.appraise, learner.agent)
        metrics = metrics.beside(self.sampler.reweight(stack, now, appraise))
        metrics.check(now * updates, "online")
        if not waiting:
            learner.period.count(stack)
        return Trained(metrics, mixture, waiting)

    def is_over(
        self, learner: Learner, decision: Decision, episode: FinishedEpisode | None
    ) -> bool:
        length = self.config.period if decision.steps is None else decision.steps
        if length == "episode":
            return episode is not None and learner.period.steps > 0
        return learner.period.steps >= length

    def end_period(self, learner: Learner, decision: Decision, online_steps: int) -> FinishedPeriod:
        """Measure and judge the running period, report it to the mixer, and count a new one."""
        running = learner.period
        evidence = self.measure(learner, decision, online_steps)
        period = finish_period(running.index, decision, evidence, running.ratio_before)
        learner.mixer = self.mixer.observe(learner.mixer, period)
        if learner.scores is not None:
            learner.scores.tally.clear()
        if period.period == 0:
            check_plain(type(self.mixer).__name__, learner.mixer)
        learner.period = RunningPeriod(
            index=running.index + 1,
            start=online_steps,
            offline_mass=self.sampler.offline_mass(),
            ratio_before=period.offline_ratio,
        )
        remember(learner, decision)
        return FinishedPeriod(period, running.steps, running.offline_rows / running.rows)


def refresh_snapshot(learner: Learner, *, waiting: bool) -> None:
    """While the ratio is not in force yet, the period's beginning moves with the agent."""
    if learner.snapshots and not waiting and not learner.period.steps:
        learner.snapshots = {**learner.snapshots, "begun": learner.agent}


def remember(learner: Learner, decision: Decision) -> None:
    """Keep the agent as it is at a period's beginning, if the period will be judged by it."""
    if decision.criterion.measures in ("change", "fresh-error"):
        before = {"before": learner.snapshots["begun"]} if learner.snapshots else {}
        learner.snapshots = {"begun": learner.agent, **before}
