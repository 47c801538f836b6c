"""The two loops of a run: updates on the dataset alone, then environment steps and mixed batches.

offline         draw a stack of batches from the dataset, update
every step      a ~ pi(s) of the main learner, store, score the probes on it if there are any,
                draw (update, batch) rows at ratio m, update
every period    Delta_off, Delta_on from the learner's own critic; its mixer observes, proposes
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from road.mixing import Mixture
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler
from road.rng import NumpyStream, Stream, jax_stream
from road.training.compiled import CompiledAgent, Leaves, Metrics
from road.training.config import RunConfig
from road.training.learner import Trained, Trainer
from road.training.probe_learners import ProbeScorer
from road.training.replay_log import LogReplay
from road.training.rollout import FinishedEpisode, Rollout, Step
from road.training.state import RunState

ALL_OFFLINE = Mixture(1.0)
STACK = 50
"""Updates per call into the compiled code, where dispatching would otherwise cost the most."""


def pretrain(
    compiled: CompiledAgent, sampler: MixedSampler, config: RunConfig, state: RunState
) -> Iterator[Metrics]:
    """Train to the end of the phase; at every yield the state is whole and may be saved."""
    draws = NumpyStream(config.seed, Stream.SAMPLING_OFFLINE)
    key = jax_stream(config.seed, Stream.UPDATING_OFFLINE)
    counters = state.counters
    while counters.offline_updates < config.offline_steps:
        done = counters.offline_updates
        # Stacks start at multiples of STACK, so a resumed run cuts them as the first one did.
        updates = min(STACK - done % STACK, config.offline_steps - done)
        stack = sampler.sample(ALL_OFFLINE, updates, config.batch_size, draws.at(done))
        state.main.agent, metrics = compiled.update(state.main.agent, stack.rows, key, done)
        metrics.check(done, "offline")
        counters.offline_updates += updates
        yield metrics


def stack_before(step: int) -> int:
    """Where the stack began that ended at this step."""
    return (step - 1) // STACK * STACK


@dataclass(frozen=True)
class OnlineStep:
    """What happened in one environment step."""

    learners: tuple[Trained, ...]
    """The main learner first."""
    episode: FinishedEpisode | None
    """The episode that ended with this step."""


@dataclass(frozen=True)
class OnlineLoop:
    """The parts of the online phase; all that changes is in the ``RunState``."""

    compiled: CompiledAgent
    """The main learner's functions."""
    rollout: Rollout | LogReplay
    buffer: OnlineBuffer
    trainers: tuple[Trainer, ...]
    """One for each learner, the main learner first."""
    config: RunConfig
    scorer: ProbeScorer | None = None
    """Scores the probes, if the main learner's mixer follows their errors."""
    random_warmup: bool = False
    """Whether the steps before the first update are random instead of the agent's own."""
    failure_reward: float | None = None
    """The reward of a step without success; an episode of nothing else failed for good."""

    def run(self, state: RunState) -> Iterator[OnlineStep]:
        """Fine-tune to the end of the phase; at every yield the state is whole and may be saved."""
        counters, act = state.counters, self.actor()
        decisions = [
            trainer.begin(learner)
            for trainer, learner in zip(self.trainers, state.learners, strict=True)
        ]
        while counters.online_steps < self.config.online_steps:
            now = counters.online_steps
            step, episode = self.rollout.step(act(state.main.agent, now))
            self.store(step)
            if self.scorer is not None:
                self.scorer.score(state.learners, decisions[0].mixture, now, ended=step.ended)
            learners = tuple(zip(self.trainers, state.learners, decisions, strict=True))
            trained = [
                each.train(learner, state.main.agent, decision, now)
                for each, learner, decision in learners
            ]
            counters.online_steps += 1
            for index, (trainer, learner, decision) in enumerate(learners):
                learner.period.count_episode(episode)
                if trainer.is_over(learner, decision, episode):
                    period = trainer.end_period(learner, decision, counters.online_steps)
                    trained[index] = replace(trained[index], period=period)
            yield OnlineStep(tuple(trained), episode)
            decisions = [
                decision if trained[index].period is None else trainer.propose(learner)
                for index, (trainer, learner, decision) in enumerate(learners)
            ]

    def actor(self) -> Callable[[Leaves, int], NDArray[np.float32]]:
        """Acts at a step: the main learner, or at random while warming up if the recipe says so."""
        compiled = self.compiled
        key = jax_stream(self.config.seed, Stream.ACTING)
        random = NumpyStream(self.config.seed, Stream.WARMING)

        def act(leaves: Leaves, now: int) -> NDArray[np.float32]:
            if self.random_warmup and now < self.config.warmup_steps:
                action = random.at(now).uniform(-1.0, 1.0, compiled.spec.action_dim)
                return action.astype(np.float32)
            return compiled.act(leaves, self.rollout.observation, key, now)

        return act

    def store(self, step: Step) -> None:
        self.buffer.append(
            step.observation,
            step.action,
            step.reward,
            step.next_observation,
            terminated=step.terminated,
        )
        if step.ended:
            discount = self.compiled.agent.discount
            self.buffer.end_episode(discount, self.failure_reward)
