"""The environment's side of the online phase: episodes that can be taken up again exactly.

The reset seed of an episode is a function of the run's seed and the episode's number, so an episode
is its number and the actions taken so far: a resumed run replays them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.rng import NumpyStream, Stream
from road.tasks.closing import close_all
from road.tasks.spaces import describe_spaces
from road.tasks.task import Task
from road.training.guards import checked_flag, checked_observation, checked_reward, guarded, parts

Vector = NDArray[np.float32]


@dataclass(frozen=True)
class Step:
    """One step as the buffer stores it, and how the episode stands after it."""

    observation: Vector
    action: Vector
    reward: float
    """Transformed as the task says."""
    next_observation: Vector
    terminated: bool
    truncated: bool

    @property
    def ended(self) -> bool:
        return self.terminated or self.truncated


@dataclass(frozen=True)
class FinishedEpisode:
    """A training episode, with the environment's own reward."""

    raw_return: float
    length: int
    terminated: bool


class Rollout:
    """Steps one environment through numbered episodes."""

    def __init__(self, task: Task, seed: int) -> None:
        self._task = task
        self._seeds = NumpyStream(seed, Stream.RESETTING)
        self._environment = guarded("make", 0, task.environment)
        self.episode = 0
        self.actions: list[Vector] = []
        """Actions of the running episode."""
        self.raw_return = 0.0
        self._observation: Vector | None = None

    @property
    def shapes(self) -> tuple[Any, Any]:
        """Shapes of an observation and of an action."""
        return self._environment.observation_space.shape, self._environment.action_space.shape

    @property
    def spaces(self) -> dict[str, Any]:
        """Observations and actions of the environment, outside of the wrappers."""
        return describe_spaces(self._environment)

    @property
    def observation(self) -> Vector:
        """The current observation; begins the next episode if none is running."""
        if self._observation is None:
            self._observation = self._reset()
        return self._observation

    def step(self, action: Vector) -> tuple[Step, FinishedEpisode | None]:
        before = self.observation
        after, raw_reward, terminated, truncated = self._advance(action)
        step = Step(
            before, action, float(self._task.reward(raw_reward)), after, terminated, truncated
        )
        if not step.ended:
            self._observation = after
            return step, None
        finished = FinishedEpisode(self.raw_return, len(self.actions), terminated)
        self.restore(self.episode + 1, [])
        return step, finished

    def restore(self, episode: int, actions: list[Vector]) -> None:
        """Replay that episode up to and including those actions."""
        self.episode = episode
        self.actions, self.raw_return, self._observation = [], 0.0, None
        for action in actions:
            _ = self.observation
            self._observation = self._advance(action)[0]

    def close(self) -> list[str]:
        """Give what went wrong."""
        return close_all([self._environment])

    def _advance(self, action: Vector) -> tuple[Vector, float, bool, bool]:
        result = guarded("step", self.episode, self._environment.step, action)
        where = self._where
        observation, reward, terminated, truncated, _ = parts(result, 5, "step", where)
        paid, vector = checked_reward(reward, where), self._checked(observation)
        ended = checked_flag("terminated", terminated, where)
        cut = checked_flag("truncated", truncated, where)
        self.actions.append(action)
        self.raw_return += paid
        return vector, paid, ended, cut

    def _reset(self) -> Vector:
        seed = int(self._seeds.at(self.episode).integers(2**31))
        result = guarded("reset", self.episode, self._environment.reset, seed=seed)
        return self._checked(parts(result, 2, "reset", self._where)[0])

    def _checked(self, observation: Any) -> Vector:
        return checked_observation(
            observation, self._environment.observation_space.shape, self._where
        )

    @property
    def _where(self) -> str:
        return f"episode {self.episode}, step {len(self.actions)}"
