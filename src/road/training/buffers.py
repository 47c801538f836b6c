"""The buffers of a run: the dataset as packed transitions, the replay buffer, and their sampler."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.data.on_disk import cached_rows, changeable_checksum, episode_blocks, folder_of
from road.errors import UsageError
from road.mixing import Mixer
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler, Weighing
from road.replay.transitions import pack, returns_to_go
from road.reweighting.registry import make_weighing, weighs_rows
from road.tasks.task import Task
from road.training.config import Plan, RunConfig
from road.types import Spec, Transition

ACTION_LIMIT = 1.0 - 1e-5
"""Stored actions are kept this far inside the box, as IQL's, RLPD's and PROTO's authors do."""


def make_sampler(plan: Plan, task: Task, dataset: Dataset) -> MixedSampler:
    config = plan.config
    # No more rows than the run can write: memory is touched up front.
    capacity = max(min(config.buffer_capacity, config.online_steps), 1)
    spec = Spec(dataset.observation.shape[1], dataset.action.shape[1])
    offline = offline_rows(dataset, task, plan.recipe.online.discount)
    check_held_back(max(held_back_by(mixer) for mixer in plan.mixers), config)
    online = OnlineBuffer(spec, capacity)
    return MixedSampler(
        offline=offline,
        online=online,
        enough_online=min(config.batch_size, capacity),
        weighing=weighing_of(plan.mixer, offline, online, config.seed),
    )


def held_back_by(mixer: Mixer[Any]) -> int:
    """The newest online transitions that the mixer keeps from training; most keep none."""
    return getattr(mixer, "held_back", 0)


def check_held_back(held_back: int, config: RunConfig) -> None:
    """A buffer of nothing but transitions held back would leave nothing to train on, to the end."""
    names = ("buffer_capacity", "online_steps")
    rows, name = min((getattr(config, name), name) for name in names)
    if config.online_steps and held_back and held_back + config.batch_size > rows:
        raise UsageError(
            f"the mixer holds back {held_back} rows and a batch takes {config.batch_size} "
            f"more, but {name} is {rows}; raise it, or lower held_back"
        )


def weighing_of(
    mixer: Mixer[Any], offline: NDArray[np.float32], online: OnlineBuffer, seed: int
) -> Weighing | None:
    """What weighs the transitions; None for a mixer that chooses a ratio."""
    return make_weighing(mixer, offline, online, seed) if weighs_rows(mixer) else None


def offline_rows(dataset: Dataset, task: Task, discount: float) -> NDArray[np.float32]:
    """Every row, with the task's reward transform and its return to the end of its episode.

    A dataset that stays on disk is packed beside itself, once for every way to pack it.
    """
    home = folder_of(dataset)
    if home is None:
        return packed(dataset, task, discount, slice(0, len(dataset)))
    way = f"{task.reward} {task.failure} {discount} {ACTION_LIMIT}"
    blocks = (packed(dataset, task, discount, block) for block in episode_blocks(dataset))
    return cached_rows(home, f"{way} {changeable_checksum(dataset)}", len(dataset), blocks)


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
