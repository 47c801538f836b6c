"""Every task of the paper on its real environment: read, pretrain, fine-tune, judge.

The data is a few dozen random steps of that environment, stored under the published name in the
published layout: D4RL's flat files, with successors only where D4RL has them, and Minari's folders
with dict observations. So what is tried is the whole way that a user's run takes; what is not tried
is learning.
"""

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from road.agents.iql import IQL
from road.data import Dataset, write_d4rl
from road.tasks.catalogue import PAPER_TASKS, TASKS
from road.tasks.custom import TaskOverrides
from road.tasks.record import Behaviour, Policy, random_walk, record
from road.tasks.task import Task
from road.training.config import RunConfig, default_plan
from road.training.events import Evaluated, Event
from road.training.launch import start_run

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(
        importlib.util.find_spec("gymnasium_robotics") is None,
        reason="gymnasium-robotics is not installed",
    ),
]

HORIZON = 12
TINY = RunConfig(
    offline_steps=200,
    online_steps=200,
    batch_size=8,
    period=60,
    measure_batch=8,
    evaluate_every=200,
    evaluation_episodes=1,
)


@pytest.fixture(scope="module", autouse=True)
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the data of these tests lies."""
    folder = tmp_path_factory.mktemp("published")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROAD_DATA_DIR", str(folder))
        patch.setenv("D4RL_DATASET_DIR", str(folder / "nothing"))
        patch.setenv("MINARI_DATASETS_PATH", str(folder / "minari"))
        yield folder


@pytest.mark.parametrize(
    "task", [*PAPER_TASKS, TASKS["antmaze-umaze-minari"]], ids=lambda task: task.name
)
def test_the_task_is_read_pretrained_fine_tuned_and_judged(task: Task, tmp_path: Path) -> None:
    publish(task)
    own = TaskOverrides(horizon=HORIZON)
    plan = replace(default_plan(task.name, own=own), agent=IQL(hidden=(8, 8)), config=TINY)
    seen: list[Event] = []
    start_run(plan, tmp_path / "run", "test", seen.append)
    judged = [event for event in seen if isinstance(event, Evaluated)]
    assert [(event.phase, event.step) for event in judged] == [("online", 0), ("online", 200)]
    assert all(0 < event.evaluation.length_mean <= HORIZON for event in judged)
    assert (tmp_path / "run" / "mixer.jsonl").read_text().count("\n") == 3


def publish(task: Task) -> None:
    """Put a log of random steps where the task looks for its data."""
    assert task.source is not None
    scheme, _, name = task.source.partition(":")
    dataset = walk(task)
    if scheme == "minari":
        publish_minari(dataset, name)
    else:
        publish_d4rl(dataset, name, successors=task.family == "locomotion")


def walk(task: Task) -> Dataset:
    environment = task.environment()
    size = environment.action_space.shape
    assert size is not None

    def wander(episode: int, rng: np.random.Generator) -> Policy:
        del episode
        return random_walk(size[0], 0.5, rng)

    behaviour: Behaviour = wander
    try:
        return record(environment, behaviour, rows=40, seed=0)
    finally:
        environment.close()


def publish_d4rl(dataset: Dataset, name: str, *, successors: bool) -> None:
    import h5py

    from road.data.sources.d4rl import download_path, find_published

    path = download_path(find_published(name))
    path.parent.mkdir(exist_ok=True)
    write_d4rl(dataset, path)
    if not successors:
        with h5py.File(path, "a") as file:
            del file["next_observations"]


def publish_minari(dataset: Dataset, name: str) -> None:
    minari: Any = pytest.importorskip("minari", reason="the extra minari is not installed")
    from gymnasium.spaces import Box, Dict
    from minari.data_collector import EpisodeBuffer

    seen = np.concatenate([dataset.observation, dataset.next_observation[-1:]])
    parts = {"achieved_goal": seen[:, :2], "desired_goal": seen[:, 2:4], "observation": seen[:, 4:]}
    buffer: Any = EpisodeBuffer
    Path(os.environ["MINARI_DATASETS_PATH"]).mkdir(exist_ok=True)
    with pytest.warns(UserWarning, match="None"):
        minari.create_dataset_from_buffers(
            name,
            [
                buffer(
                    id=0,
                    observations=parts,
                    actions=dataset.action,
                    rewards=dataset.reward,
                    terminations=dataset.terminated,
                    truncations=dataset.truncated,
                )
            ],
            observation_space=Dict(
                {key: Box(-np.inf, np.inf, part.shape[1:]) for key, part in parts.items()}
            ),
            action_space=Box(-1.0, 1.0, dataset.action.shape[1:]),
            data_format="hdf5",
        )
