"""A task's dataset as the packed rows that the sampler draws from."""

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.data.stored import changeable, episode_blocks, home_of, rows_beside
from road.replay.rows import pack, returns_to_go
from road.tasks.task import Task
from road.types import Transition

ACTION_LIMIT = 1.0 - 1e-5
"""Stored actions are kept this far inside the box, as IQL's, RLPD's and PROTO's authors do."""


def offline_rows(dataset: Dataset, task: Task, discount: float) -> NDArray[np.float32]:
    """Every row, with the task's reward transform and its return to the end of its episode.

    A dataset that stays on disk is packed beside itself, once for every way to pack it.
    """
    home = home_of(dataset)
    if home is None:
        return packed(dataset, task, discount, slice(0, len(dataset)))
    way = f"{task.reward} {task.failure} {discount} {ACTION_LIMIT}"
    blocks = (packed(dataset, task, discount, block) for block in episode_blocks(dataset))
    return rows_beside(home, f"{way} {changeable(dataset)}", len(dataset), blocks)


def packed(dataset: Dataset, task: Task, discount: float, block: slice) -> NDArray[np.float32]:
    """Rows of whole episodes."""
    transformed = np.asarray(task.reward(dataset.reward[block]), np.float32)
    bounds = np.flatnonzero(dataset.episode_ends[block]) + 1
    episodes = np.split(transformed, bounds[:-1])
    return pack(
        Transition(
            observation=dataset.observation[block],
            action=np.clip(dataset.action[block], -ACTION_LIMIT, ACTION_LIMIT),
            reward=transformed,
            next_observation=dataset.next_observation[block],
            terminated=dataset.terminated[block],
            return_to_go=np.concatenate(
                [returns_to_go(each, discount, task.failure) for each in episodes]
            ),
        )
    )
