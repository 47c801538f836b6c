"""The sampler that a plan asks for: it weighs every row where the mixtures have priorities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.errors import UsageError
from road.mixing import Mixer, Mixture, Moment
from road.replay.sampler import MixedSampler, Weighing
from road.replay.storage import OnlineBuffer
from road.reweighting.balanced_replay import BalancedReplay
from road.tasks.task import Task
from road.training.config import Plan, RunConfig
from road.training.offline import offline_rows
from road.types import Spec


def make_sampler(plan: Plan, task: Task, dataset: Dataset) -> MixedSampler:
    config = plan.config
    # No more rows than the run can write: memory is touched up front.
    capacity = max(min(config.buffer_capacity, config.online_steps), 1)
    spec = Spec(dataset.observation.shape[1], dataset.action.shape[1])
    offline = offline_rows(dataset, task, plan.recipe.online.discount)
    check_room(first_mixture(plan.mixer, len(offline), config.seed), config)
    online = OnlineBuffer(spec, capacity)
    return MixedSampler(
        offline=offline,
        online=online,
        enough_online=min(config.batch_size, capacity),
        weighing=weighing_of(plan.mixer, offline, online, config.seed),
    )


def check_room(mixture: Mixture, config: RunConfig) -> None:
    """A ring of nothing but rows held back would leave nothing to train on, to the end."""
    names = ("buffer_capacity", "online_steps")
    rows, name = min((getattr(config, name), name) for name in names)
    if config.online_steps and mixture.held_back and mixture.held_back + config.batch_size > rows:
        raise UsageError(
            f"the mixer holds back {mixture.held_back} rows and a batch takes {config.batch_size} "
            f"more, but {name} is {rows}; raise it, or lower held_back"
        )


def weighing_of(
    mixer: Mixer[Any], offline: NDArray[np.float32], online: OnlineBuffer, seed: int
) -> Weighing | None:
    """Who weighs the rows, by what the mixer's first mixture says; None if it names a ratio."""
    first = first_mixture(mixer, len(offline), seed)
    if first.priorities is None:
        return None
    return BalancedReplay(first.priorities, offline, online, seed)


def first_mixture(mixer: Mixer[Any], offline_rows: int, seed: int) -> Mixture:
    """It tells of what kind all mixtures of a mixer are."""
    return mixer.propose(mixer.init(seed), Moment(0.0, offline_rows, 0))
