"""Judging an agent: whole episodes of its best actions, in the environment's own reward."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from road.rng import NumpyStream, Stream, jax_stream
from road.tasks.closing import close_all
from road.tasks.task import Environment, Task
from road.training.compiled import CompiledAgent, Leaves
from road.training.guards import checked_flag, checked_observation, checked_reward, guarded, parts
from road.types import Spec

Policy = Callable[[NDArray[np.float32], int], NDArray[np.float32]]
"""Actions for a batch of observations, and the number of the step for those that draw."""

LANES = 10
"""Environments stepped side by side, so that one call into compiled code acts for all of them."""


@dataclass(frozen=True)
class Evaluation:
    """Raw returns of some episodes and the task's score of their mean."""

    score: float
    return_mean: float
    return_std: float
    length_mean: float
    episodes: int


@dataclass
class Lane:
    """One environment and the episode that it is in; None when there is none left for it."""

    environment: Environment
    episode: int | None = None
    total: float = 0.0
    length: int = 0
    observation: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def begin(self, episode: int, seed: int) -> None:
        result = guarded("reset", episode, self.environment.reset, seed=seed)
        self.episode, self.total, self.length = episode, 0.0, 0
        self._see(parts(result, 2, "reset", self._where)[0])

    def step(self, action: NDArray[np.float32]) -> bool:
        """Whether the episode is over."""
        result = guarded("step", self.episode or 0, self.environment.step, action)
        where = self._where
        observation, reward, terminated, truncated, _ = parts(result, 5, "step", where)
        ended = checked_flag("terminated", terminated, where)
        cut = checked_flag("truncated", truncated, where)
        self.total += checked_reward(reward, where)
        self.length += 1
        self._see(observation)
        return ended or cut

    def _see(self, observation: Any) -> None:
        shape = self.environment.observation_space.shape
        self.observation = checked_observation(observation, shape, self._where)

    @property
    def _where(self) -> str:
        return f"episode {self.episode}, step {self.length} of an evaluation"


def spec_of(environment: Environment) -> Spec:
    observations, actions = environment.observation_space.shape, environment.action_space.shape
    assert observations is not None
    assert actions is not None
    return Spec(*observations, *actions)


def judged_policy(compiled: CompiledAgent, leaves: Leaves, seed: int, index: int) -> Policy:
    """An agent's best actions in the index-th evaluation of a run."""
    key = jax.random.fold_in(jax_stream(seed, Stream.EVALUATING), index)
    return lambda observations, step: compiled.best_action(leaves, observations, key, step)


class Evaluator:
    """Holds environments of its own, so that judging never disturbs training."""

    def __init__(self, task: Task, seed: int, episodes: int) -> None:
        self._task = task
        self._episodes = episodes
        self._seeds = NumpyStream(seed, Stream.EVALUATING)
        self._lanes = [
            Lane(guarded("make", 0, task.environment)) for _ in range(min(LANES, episodes))
        ]

    def __call__(
        self, policy: Policy, index: int, should_stop: Callable[[], bool] = lambda: False
    ) -> Evaluation | None:
        """The index-th evaluation of the run; None if asked to stop before it was done."""
        done: list[tuple[float, int]] = [(0.0, 0)] * self._episodes
        waiting = iter(range(self._episodes))
        for lane in self._lanes:
            self._next_episode(lane, index, next(waiting))
        step = 0
        while any(lane.episode is not None for lane in self._lanes):
            if should_stop():
                return None
            observations = np.stack([lane.observation for lane in self._lanes])
            for lane, action in zip(self._lanes, policy(observations, step), strict=True):
                if lane.episode is not None and lane.step(action):
                    done[lane.episode] = (lane.total, lane.length)
                    self._next_episode(lane, index, next(waiting, None))
            step += 1
        return self._summary(*np.transpose(done))

    @property
    def spec(self) -> Spec:
        """What an agent must know of the task that it is judged in."""
        return spec_of(self._lanes[0].environment)

    def _summary(self, returns: NDArray[np.float64], lengths: NDArray[np.float64]) -> Evaluation:
        mean = float(returns.mean())
        return Evaluation(
            score=float(self._task.score.normalise(mean)),
            return_mean=mean,
            return_std=float(returns.std()),
            length_mean=float(lengths.mean()),
            episodes=self._episodes,
        )

    def _next_episode(self, lane: Lane, index: int, episode: int | None) -> None:
        if episode is None:
            lane.episode = None
        else:
            lane.begin(episode, int(self._seeds.at(index, episode).integers(2**31)))

    def close(self) -> list[str]:
        """Give what went wrong."""
        return close_all(lane.environment for lane in self._lanes)
