"""A task's dataset as the packed rows that the sampler draws from."""

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.replay.rows import pack, returns_to_go
from road.tasks.task import Task
from road.types import Transition

ACTION_LIMIT = 1.0 - 1e-5
"""Stored actions are kept this far inside the box, as IQL's, RLPD's and PROTO's authors do."""


def offline_rows(dataset: Dataset, task: Task, discount: float) -> NDArray[np.float32]:
    """Every row, with the task's reward transform and its return to the end of its episode."""
    transformed = np.asarray(task.reward(dataset.reward), np.float32)
    bounds = np.flatnonzero(dataset.episode_ends) + 1
    episodes = np.split(transformed, bounds[:-1])
    return pack(
        Transition(
            observation=dataset.observation,
            action=np.clip(dataset.action, -ACTION_LIMIT, ACTION_LIMIT),
            reward=transformed,
            next_observation=dataset.next_observation,
            terminated=dataset.terminated,
            return_to_go=np.concatenate(
                [returns_to_go(each, discount, task.failure) for each in episodes]
            ),
        )
    )
