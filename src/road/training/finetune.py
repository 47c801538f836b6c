"""The online phase: act, store, draw a mixed batch, update; at a period's end, measure and choose.

every step      a ~ pi(s), store, draw (update, batch) rows at ratio m, update
every period    Delta_off, Delta_on from the agent's own critic; the mixer observes, proposes
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.mixing import Evidence, Mixer, Mixture, Moment, Period
from road.mixing.period import finished_period
from road.randomness import NumpyStream, Stream, jax_stream
from road.replay.sampler import MixedSampler, Stack
from road.training.config import RunConfig
from road.training.engine import Engine, Leaves, Metrics
from road.training.rollout import FinishedEpisode, Rollout, Step
from road.training.state import Counters, RunState

Measure = Callable[[RunState, Mixture], Evidence]
"""What is known of a period when it ends, from the run's state and the mixture in force."""


@dataclass(frozen=True)
class FinishedPeriod:
    """A period together with how it came out in the loop."""

    period: Period
    steps: int
    realised_ratio: float
    """Share of the rows trained on that were offline."""

    def as_row(self, step: int) -> dict[str, Any]:
        return {
            **self.period.as_row(),
            "step": step,
            "steps": self.steps,
            "realised_ratio": self.realised_ratio,
        }


@dataclass(frozen=True)
class OnlineStep:
    """What one environment step brought."""

    metrics: Metrics | None
    """None while warming up, when nothing is trained."""
    offline_ratio: float
    held_back: int
    """The newest online rows that are not trained on."""
    waiting: bool
    """Whether the ratio was not in force yet, for lack of online data."""
    episode: FinishedEpisode | None
    period: FinishedPeriod | None


@dataclass(frozen=True)
class Finetuning:
    """The parts of the online loop; all that changes is in the ``RunState``."""

    engine: Engine
    rollout: Rollout
    sampler: MixedSampler
    mixer: Mixer[Any]
    measure: Measure
    config: RunConfig
    random_warmup: bool = False
    """Whether the steps before the first update are random instead of the agent's own."""
    failure_reward: float | None = None
    """What a step without success pays; an episode of nothing else failed for good."""

    def run(self, state: RunState) -> Iterator[OnlineStep]:
        """Fine-tune to the end of the phase; at every yield the state is whole and may be saved."""
        config, counters = self.config, state.counters
        draws = NumpyStream(config.seed, Stream.SAMPLING_ONLINE)
        update_key = jax_stream(config.seed, Stream.UPDATING_ONLINE)
        act, mixture = self.actor(), self.propose(state)
        if not state.snapshots:
            remember(state, mixture)
        while counters.online_steps < config.online_steps:
            now = counters.online_steps
            step, episode = self.rollout.step(act(state.agent, now))
            self.store(step)
            warming = now < config.warmup_steps
            waiting = warming or self.sampler.waiting(mixture)
            metrics = None
            begin_period(state, waiting=waiting)
            if not warming:
                stack = self.sampler.sample(
                    mixture, config.updates_per_step, config.batch_size, draws.at(now)
                )
                state.agent, metrics = self.engine.update(state.agent, stack.rows, update_key, now)
                metrics = beside(metrics, self.sampler.settle(stack, now))
                metrics.check(now * config.updates_per_step, "online")
                if not waiting:
                    count(counters, stack)
            counters.online_steps += 1
            count_episode(counters, episode)
            period = (
                self.end_period(state, mixture) if self.is_over(state, mixture, episode) else None
            )
            yield OnlineStep(
                metrics, mixture.offline_ratio, mixture.held_back, waiting, episode, period
            )
            if period is not None:
                mixture = self.propose(state)

    def actor(self) -> Callable[[Leaves, int], NDArray[np.float32]]:
        """What acts at a step: the agent, or chance while warming up if the recipe says so."""
        key = jax_stream(self.config.seed, Stream.ACTING)
        chance = NumpyStream(self.config.seed, Stream.WARMING)

        def act(leaves: Leaves, now: int) -> NDArray[np.float32]:
            if self.random_warmup and now < self.config.warmup_steps:
                action = chance.at(now).uniform(-1.0, 1.0, self.engine.spec.action_dim)
                return action.astype(np.float32)
            return self.engine.act(leaves, self.rollout.observation, key, now)

        return act

    def store(self, step: Step) -> None:
        self.sampler.online.append(
            step.observation,
            step.action,
            step.reward,
            step.next_observation,
            terminated=step.terminated,
        )
        if step.ended:
            discount = self.engine.agent.discount
            self.sampler.online.end_episode(discount, self.failure_reward)

    def propose(self, state: RunState) -> Mixture:
        """The mixture of the running period; a resumed run asks again and gets the same."""
        begun = state.counters.period_start
        online_rows = min(begun, len(self.sampler.online.rows))
        progress, mass = begun / self.config.online_steps, state.counters.period_mass
        moment = Moment(progress, len(self.sampler.offline), online_rows, mass)
        return self.mixer.propose(state.mixer, moment)

    def is_over(self, state: RunState, mixture: Mixture, episode: FinishedEpisode | None) -> bool:
        length = self.config.period if mixture.steps is None else mixture.steps
        if length == "episode":
            return episode is not None and state.counters.period_steps > 0
        return state.counters.period_steps >= length

    def end_period(self, state: RunState, mixture: Mixture) -> FinishedPeriod:
        counters = state.counters
        evidence = self.measure(state, mixture)
        state.mixer = self.mixer.observe(state.mixer, mixture, evidence)
        finished = FinishedPeriod(
            finished_period(counters.periods, mixture, evidence, counters.ratio_before),
            steps=counters.period_steps,
            realised_ratio=counters.period_offline_rows / counters.period_rows,
        )
        counters.periods += 1
        counters.ratio_before = mixture.offline_ratio
        counters.period_start = counters.online_steps
        counters.period_mass = self.sampler.offline_mass()
        counters.period_steps = counters.period_offline_rows = counters.period_rows = 0
        counters.period_episodes, counters.period_return = 0, 0.0
        remember(state, mixture)
        return finished


def beside(metrics: Metrics, more: dict[str, NDArray[np.float32]]) -> Metrics:
    """The agent's metrics, and those of whoever weighs the rows."""
    if not more:
        return metrics
    return Metrics((*metrics.names, *more), np.column_stack([metrics.table, *more.values()]))


def count(counters: Counters, stack: Stack) -> None:
    """One more step of the period, which begins when its ratio does."""
    counters.period_steps += 1
    counters.period_offline_rows += stack.offline_rows
    counters.period_rows += stack.rows.shape[0] * stack.rows.shape[1]


def count_episode(counters: Counters, episode: FinishedEpisode | None) -> None:
    if episode is not None:
        counters.period_episodes += 1
        counters.period_return += episode.raw_return


def begin_period(state: RunState, *, waiting: bool) -> None:
    """What was trained while the ratio waited to come into force is not the period's doing."""
    if state.snapshots and not waiting and not state.counters.period_steps:
        state.snapshots = {**state.snapshots, "begun": state.agent}


def remember(state: RunState, mixture: Mixture) -> None:
    """Keep the agent as it is at a period's beginning, if the period will be judged by it."""
    if mixture.criterion.wanted in ("change", "fresh-error"):
        before = {"before": state.snapshots["begun"]} if state.snapshots else {}
        state.snapshots = {"begun": state.agent, **before}
