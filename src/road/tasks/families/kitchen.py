"""A robot arm in a kitchen that has four things to do, after logs of people who moved it.

The files count the subtasks that are solved at each step, and so does the environment here; the
stock one pays each of them once. What is judged is still D4RL's score: subtasks ever solved, of
four. Observations are D4RL's 60 numbers, 30 positions and 30 of the goal, with D4RL's noise.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.data.formats.npz import read_arrays
from road.errors import DataError
from road.tasks.datasets import read_dataset
from road.tasks.defaults import settings_of
from road.tasks.environments import import_robotics, make_quietly, refuse_mujoco_from
from road.tasks.fixes import ending_at
from road.tasks.record import Step, reset_seed
from road.tasks.task import Affine, Environment, ScoreReference, Task
from road.tasks.wrappers import UnitActions

ENVIRONMENT_ID, HORIZON = "FrankaKitchen-v1", 280
BROKEN_MUJOCO = (3, 12)
POSITIONS, SUBTASKS = 30, 4
ARM_NOISE = 0.1
"""As a share of 0.1 rad: D4RL's arm is seen to 0.01 rad, by default this one to 0.001."""
OBJECT_NOISE = np.array(
    [5e-4] * 2 + [5e-5] * 6 + [5e-4] * 3 + [1e-2] * 3 + [5e-4] * 3 + [1e-2] * 3 + [5e-4]
)
"""Greatest error of each object's position, as measured in D4RL's kitchen-complete while the
objects are at rest; the stock environment adds other ones.
"""

EASY = ("microwave", "kettle", "light switch", "slide cabinet")
MIXED = ("microwave", "kettle", "bottom burner", "light switch")
DATASETS = {
    "complete": (EASY, "demonstrations that solve all four"),
    "partial": (EASY, "demonstrations of which few solve all four"),
    "mixed": (MIXED, "demonstrations of these and other things, never of all four"),
}

SOLVED = ScoreReference(minimum=0.0, maximum=float(SUBTASKS))


class CountedSubtasks(gymnasium.Wrapper[Any, Any, Any, Any]):
    """D4RL's observations; pays the number of subtasks that are solved, and ends when all are."""

    def __init__(self, environment: gymnasium.Env[Any, Any]) -> None:
        super().__init__(environment)
        from gymnasium_robotics.envs.franka_kitchen.kitchen_env import OBS_ELEMENT_INDICES

        self._goal = np.zeros(POSITIONS)
        for subtask, target in environment.get_wrapper_attr("goal").items():
            self._goal[OBS_ELEMENT_INDICES[subtask]] = target
        self.observation_space = Box(-np.inf, np.inf, (2 * POSITIONS,), np.float32)

    def reset(self, **options: Any) -> tuple[NDArray[np.float32], dict[str, Any]]:
        observation, info = self.env.reset(**options)
        return self._flat(observation), info

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        observation, _, _, truncated, info = self.env.step(action)
        pay, over = self.pay(info)
        return self._flat(observation), pay, over, truncated, info

    def pay(self, info: dict[str, Any]) -> tuple[float, bool]:
        solved = len(info["step_task_completions"])
        return float(solved), solved == SUBTASKS

    def _flat(self, observation: dict[str, Any]) -> NDArray[np.float32]:
        # The arm's positions and velocities (9 each), then the objects' (21 and 20).
        state = observation["observation"]
        objects = state[18:39] + OBJECT_NOISE * self.np_random.uniform(-1.0, 1.0, 21)
        return np.concatenate([state[:9], objects, self._goal]).astype(np.float32)


class FirstTimes(CountedSubtasks):
    """Pays each subtask once, when it is first solved: what D4RL scores."""

    def reset(self, **options: Any) -> tuple[NDArray[np.float32], dict[str, Any]]:
        self._before = 0
        return super().reset(**options)

    def pay(self, info: dict[str, Any]) -> tuple[float, bool]:
        solved = len(info["episode_task_completions"])
        new, self._before = solved - self._before, solved
        return float(new), solved == SUBTASKS


def make_environment(
    subtasks: tuple[str, ...], kind: type[CountedSubtasks] = CountedSubtasks
) -> Environment:
    import_robotics()
    refuse_mujoco_from(BROKEN_MUJOCO, "the kitchen")
    environment = make_quietly(
        ENVIRONMENT_ID,
        tasks_to_complete=list(subtasks),
        remove_task_when_completed=False,
        terminate_on_tasks_completed=False,
        robot_noise_ratio=ARM_NOISE,
        object_noise_ratio=0.0,
        max_episode_steps=HORIZON,
    )
    return UnitActions(kind(environment))


def mend(dataset: Dataset) -> Dataset:
    """A demonstration goes on for a while after the last subtask, and its end is no end."""
    return ending_at(dataset, dataset.reward >= SUBTASKS)


def kitchen_task(name: str) -> Task:
    subtasks, what = DATASETS[name]
    source = f"d4rl:kitchen-{name}-v0"
    return Task(
        name=f"kitchen-{name}",
        family="kitchen",
        description=f"Do four things in a kitchen, after {what}.",
        environment=partial(make_environment, subtasks),
        dataset=partial(read_dataset, source, mend),
        horizon=HORIZON,
        score=SOLVED,
        # An end is worth 0: without the shift it would pay to leave something undone.
        reward=Affine(shift=-float(SUBTASKS)),
        settings=settings_of("kitchen"),
        judge=partial(make_environment, subtasks, FirstTimes),
        environment_id=ENVIRONMENT_ID,
        source=source,
        mend=mend,
    )


TASKS = tuple(kitchen_task(name) for name in DATASETS)


JOINTS = 9
REACH = 0.16
"""Radians (metres, for the fingers) that a full action moves a joint in one step."""


def read_demonstrations(path: Path) -> list[NDArray[np.float32]]:
    """Where the joints were sent, for each demonstration."""
    arrays = read_arrays(path, ("ctrl", "length"))
    sent, lengths = arrays["ctrl"], arrays["length"]
    if sent.ndim != 2 or sent.shape[1] != JOINTS or int(lengths.sum()) != len(sent):
        raise DataError(
            f"{path}: ctrl has shape {sent.shape} and length adds up to {int(lengths.sum())}; "
            f"demonstrations have {JOINTS} joints a row and as many rows as their lengths say"
        )
    return np.split(sent.astype(np.float32), np.cumsum(lengths)[:-1])


def replay(
    environment: Environment, demonstrations: list[NDArray[np.float32]], seed: int
) -> Iterator[Step]:
    """Rows of one demonstration after the other; each ends with it, or before if all is done."""
    for number, sent in enumerate(demonstrations):
        observation, _ = environment.reset(seed=reset_seed(seed, number))
        for row, goal in enumerate(sent):
            action = np.clip((goal - observation[:JOINTS]) / REACH, -1.0, 1.0).astype(np.float32)
            following, reward, terminated, cut, _ = environment.step(action)
            truncated = not terminated and (cut or row == len(sent) - 1)
            yield Step(observation, action, np.float32(reward), following, terminated, truncated)
            observation = following
            if terminated or truncated:
                break
