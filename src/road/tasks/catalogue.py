"""All tasks, as data. No other package knows a family or an environment by name."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from road.data.dataset import Dataset
from road.names import find_name
from road.tasks.custom import TaskOverrides, override_task, registered_task
from road.tasks.datasets import cache_dataset
from road.tasks.defaults import PENDULUM, POINTMAZE, merge_settings
from road.tasks.families import adroit, antmaze, antmaze_minari, kitchen, locomotion
from road.tasks.sources import pendulum, pointmaze
from road.tasks.task import SHARE_OF_SUCCESSES, Affine, ScoreReference, Task
from road.tasks.wrappers import standardise

MAZE_ROWS = 20_000
PENDULUM_ROWS = 10_000

UMAZE, UMAZE_HORIZON = "PointMaze_UMaze-v3", 300
MEDIUM, MEDIUM_HORIZON = "PointMaze_Medium-v3", 600
PENDULUM_HORIZON = 200

SWUNG_UP = ScoreReference(minimum=-1218.9, maximum=-147.7)
"""Mean return of uniformly random actions (standard error 9) and of the noiseless controller of
the dataset (standard error 3), each over the 1,000 episodes of reset seeds 0 to 999.
"""


def maze_task(
    name: str,
    description: str,
    environment_id: str,
    horizon: int,
    make: Callable[[str, int, int], Dataset],
) -> Task:
    return Task(
        name=name,
        family="pointmaze",
        description=description,
        environment=partial(pointmaze.make_environment, environment_id),
        dataset=partial(cache_dataset, name, partial(make, environment_id, MAZE_ROWS)),
        horizon=horizon,
        score=SHARE_OF_SUCCESSES,
        # Every step costs 1 until the goal, so that a shorter way is worth more.
        reward=Affine(shift=-1.0),
        settings=POINTMAZE,
        failure_reward=0.0,
        environment_id=environment_id,
    )


def pendulum_task(
    name: str, description: str, make: Callable[[int, int], Dataset], budget: Mapping[str, Any]
) -> Task:
    return Task(
        name=name,
        family="pendulum",
        description=description,
        environment=pendulum.make_environment,
        dataset=partial(cache_dataset, name, partial(make, PENDULUM_ROWS)),
        horizon=PENDULUM_HORIZON,
        score=SWUNG_UP,
        # Brings values from hundreds to tens, where IQL's weights exp(beta A) are not all cut.
        reward=Affine(scale=0.1),
        # PROTO's trust region opens over the whole online phase.
        settings=merge_settings(
            PENDULUM, {"run": budget, "proto": {"decay_steps": budget["online_steps"]}}
        ),
        environment_id=pendulum.ENVIRONMENT_ID,
    )


EMBEDDED_TASKS = (
    maze_task(
        "pointmaze-umaze-random",
        "Push a ball round a U-shaped maze to a goal, after 20,000 steps of a random walk.",
        *(UMAZE, UMAZE_HORIZON, pointmaze.walk),
    ),
    maze_task(
        "pointmaze-umaze-play",
        "The same maze, after 20,000 steps of a controller that strolls from place to place.",
        *(UMAZE, UMAZE_HORIZON, pointmaze.play),
    ),
    maze_task(
        "pointmaze-medium-play",
        "A larger maze with dead ends, after 20,000 steps of the strolling controller.",
        *(MEDIUM, MEDIUM_HORIZON, pointmaze.play),
    ),
    pendulum_task(
        "pendulum-mixed",
        "Swing a pendulum up with no pretraining; 30 % of the data knows how, 70 % is random.",
        pendulum.mixed,
        {"offline_steps": 0, "online_steps": 4_000, "evaluate_every": 400},
    ),
    pendulum_task(
        "pendulum-flipped",
        "Swing a pendulum up against data that misleads on purpose: its actions are negated.",
        pendulum.flipped,
        {"offline_steps": 5_000, "online_steps": 5_000, "evaluate_every": 500},
    ),
)

PAPER_TASKS = (*antmaze.TASKS, *locomotion.TASKS, *kitchen.TASKS, *adroit.TASKS)
LISTED_TASKS = (*PAPER_TASKS, *antmaze_minari.TASKS)

# Small networks and few steps ask for inputs of one size; the paper's own tasks are not touched.
TASKS: Mapping[str, Task] = MappingProxyType(
    {task.name: standardise(task) for task in EMBEDDED_TASKS}
    | {task.name: task for task in LISTED_TASKS}
)
"""Every listed task, by its name."""
DEFAULT_TASK = "pointmaze-umaze-random"
"""What ``road train`` alone runs."""


def find_task(name: str) -> Task:
    return find_name(usual_spelling(name), TASKS, "task")


def as_logged(name: str) -> Task | None:
    """A listed task in the units of its logs, which for an embedded one are not standardised."""
    known = {task.name: task for task in (*EMBEDDED_TASKS, *PAPER_TASKS)}
    return known.get(usual_spelling(name))


def usual_spelling(name: str) -> str:
    """A task's name here, from the name it has elsewhere (``Hopper_Medium-v2``); else as it was."""
    bare = re.sub(r"-v\d+$", "", name.lower().replace("_", "-"))
    return bare if bare in TASKS else name


def find_custom_task(name: str, overrides: TaskOverrides, allowed: tuple[str, ...] = ()) -> Task:
    """A listed task with overrides, or the task around an environment of the user."""
    if overrides.env is not None:
        return registered_task(overrides, allowed)
    task = find_task(name)
    for embedded in EMBEDDED_TASKS:
        # Standardised again, by the user's data.
        if embedded.name == task.name:
            return standardise(override_task(embedded, overrides))
    return override_task(task, overrides)
