"""Judging an agent: whole episodes of its best actions, in the environment's own reward."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from road.randomness import NumpyStream, Stream
from road.tasks.task import Task
from road.training.engine import Engine, Leaves
from road.training.rollout import guarded


@dataclass(frozen=True)
class Evaluation:
    """Raw returns of some episodes and the task's score of their mean."""

    score: float
    return_mean: float
    return_std: float
    length_mean: float
    episodes: int


class Evaluator:
    """Holds an environment of its own, so that judging never disturbs training."""

    def __init__(self, task: Task, seed: int, episodes: int) -> None:
        self._task = task
        self._episodes = episodes
        self._seeds = NumpyStream(seed, Stream.EVALUATING)
        self._environment = guarded("make", 0, task.environment)

    def __call__(
        self,
        engine: Engine,
        leaves: Leaves,
        index: int,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Evaluation | None:
        """The index-th evaluation of the run; None if asked to stop before it was done."""
        returns: list[float] = []
        lengths: list[int] = []
        for episode in range(self._episodes):
            seed = int(self._seeds.at(index, episode).integers(2**31))
            observation, _ = guarded("reset", episode, self._environment.reset, seed=seed)
            total, length, ended = 0.0, 0, False
            while not ended:
                if should_stop():
                    return None
                action = engine.best_action(leaves, np.asarray(observation, np.float32))
                result = guarded("step", episode, self._environment.step, action)
                observation, reward, terminated, truncated, _ = result
                total, length, ended = total + float(reward), length + 1, terminated or truncated
            returns.append(total)
            lengths.append(length)
        mean = float(np.mean(returns))
        return Evaluation(
            score=float(self._task.score.normalise(mean)),
            return_mean=mean,
            return_std=float(np.std(returns)),
            length_mean=float(np.mean(lengths)),
            episodes=self._episodes,
        )

    def close(self) -> None:
        self._environment.close()
