"""All tasks, as data. No other room knows a family or an environment by name."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from road.data.dataset import Dataset
from road.naming import find_name
from road.tasks.cache import cached
from road.tasks.families import adroit, antmaze, kitchen, locomotion
from road.tasks.own import Own, adapted, registered_task
from road.tasks.scores import ScoreReference
from road.tasks.settings import PENDULUM, POINTMAZE, merged
from road.tasks.sources import pendulum, pointmaze
from road.tasks.standardise import standardised
from road.tasks.task import Task
from road.tasks.transforms import Affine

MAZE_ROWS = 20_000
PENDULUM_ROWS = 10_000

UMAZE, UMAZE_HORIZON = "PointMaze_UMaze-v3", 300
MEDIUM, MEDIUM_HORIZON = "PointMaze_Medium-v3", 600
PENDULUM_HORIZON = 200

REACHED = ScoreReference(minimum=0.0, maximum=1.0)
"""An episode returns 1 where the goal is reached, so the score is the share of successes."""

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
        dataset=partial(cached, name, partial(make, environment_id, MAZE_ROWS)),
        horizon=horizon,
        score=REACHED,
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
        dataset=partial(cached, name, partial(make, PENDULUM_ROWS)),
        horizon=PENDULUM_HORIZON,
        score=SWUNG_UP,
        # Brings values from hundreds to tens, where IQL's weights exp(beta A) are not all cut.
        reward=Affine(scale=0.1),
        # PROTO's trust region opens over the whole online phase.
        settings=merged(
            PENDULUM, {"run": budget, "proto": {"decay_steps": budget["online_steps"]}}
        ),
        environment_id=pendulum.ENVIRONMENT_ID,
    )


AS_LOGGED = (
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

OF_THE_PAPER = (*antmaze.TASKS, *locomotion.TASKS, *kitchen.TASKS, *adroit.TASKS)

# Small networks and few steps ask for inputs of one size; the paper's own tasks are not touched.
TASKS: Mapping[str, Task] = MappingProxyType(
    {task.name: standardised(task) for task in AS_LOGGED}
    | {task.name: task for task in OF_THE_PAPER}
)
DEFAULT_TASK = "pointmaze-umaze-random"


def find_task(name: str) -> Task:
    return find_name(usual_spelling(name), TASKS, "task")


def usual_spelling(name: str) -> str:
    """A task's name here, from the name it has elsewhere (``Hopper_Medium-v2``); else as it was."""
    bare = re.sub(r"-v\d+$", "", name.lower().replace("_", "-"))
    return bare if bare in TASKS else name


def find_own_task(name: str, own: Own, allowed: tuple[str, ...] = ()) -> Task:
    """A listed task as the user wants it, or the task around an environment of the user's."""
    if own.env is not None:
        return registered_task(own, allowed)
    task = find_task(name)
    for embedded in AS_LOGGED:
        # Standardised anew, by the data that the user brought.
        if embedded.name == task.name:
            return standardised(adapted(embedded, own))
    return adapted(task, own)
