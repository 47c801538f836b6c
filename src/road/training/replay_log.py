"""A log replayed row by row, in the place of ``Rollout``: what the agent would do is ignored."""

from typing import Any

import numpy as np

from road.data.dataset import Dataset
from road.data.fingerprint import fingerprint
from road.files import hash_bytes
from road.tasks.task import Task
from road.training.buffers import ACTION_LIMIT
from road.training.new_log import NewLog
from road.training.rollout import FinishedEpisode, Step, Vector


class LogReplay:
    """Steps through the rows of a log, one episode after the other."""

    def __init__(self, dataset: Dataset, task: Task, spaces: dict[str, Any]) -> None:
        self.dataset, self.spaces = dataset, spaces
        self._task = task
        ends = np.flatnonzero(dataset.episode_ends)
        self._starts = np.append(0, ends + 1)
        self.episode = 0
        self.actions: list[Vector] = []
        """Actions of the running episode, as they were logged."""

    @property
    def shapes(self) -> tuple[Any, Any]:
        """Shapes of an observation and of an action."""
        return self.dataset.observation.shape[1:], self.dataset.action.shape[1:]

    @property
    def row(self) -> int:
        return int(self._starts[self.episode]) + len(self.actions)

    @property
    def observation(self) -> Vector:
        return self.dataset.observation[self.row]

    def step(self, action: Vector) -> tuple[Step, FinishedEpisode | None]:
        """The next row, whatever the agent would have done."""
        del action
        log, row = self.dataset, self.row
        taken = np.clip(log.action[row], -ACTION_LIMIT, ACTION_LIMIT)
        reward = float(self._task.reward(float(log.reward[row])))
        ends = bool(log.terminated[row]), bool(log.truncated[row])
        step = Step(log.observation[row], taken, reward, log.next_observation[row], *ends)
        self.actions.append(taken)
        if not step.ended:
            return step, None
        first = int(self._starts[self.episode])
        raw_return = float(log.reward[first : row + 1].sum(dtype=np.float64))
        finished = FinishedEpisode(raw_return, row + 1 - first, step.terminated)
        self.restore(self.episode + 1, [])
        return step, finished

    def restore(self, episode: int, actions: list[Vector]) -> None:
        """Continue behind those actions of that episode."""
        self.episode, self.actions = episode, actions

    def close(self) -> list[str]:
        """Nothing is open, so nothing can go wrong."""
        return []


def new_rows(log: NewLog, task: Task) -> Dataset:
    """The log in memory, with what is wrong with it refused."""
    return log.read(log.data, task.mend)


def fingerprint_of_both(old: str, new: Dataset) -> str:
    return hash_bytes(f"{old} {fingerprint(new)}".encode())
