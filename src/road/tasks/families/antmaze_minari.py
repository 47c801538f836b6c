"""The ant mazes as Minari logged them again, with Gymnasium's ant.

Its steps are half as long as those of D4RL's ant, its torques five times as large, and the goal is
reached within 0.45 m. Start and goal are D4RL's cells, each with noise. The goal is part of the
observation, since in the logs it varies and the reward speaks of it.
"""

from dataclasses import replace
from functools import partial

from road.tasks.datasets import read_dataset
from road.tasks.families import antmaze
from road.tasks.families.antmaze import SIZES, STYLES, end_at_goal, make_maze
from road.tasks.task import Environment, Task
from road.tasks.wrappers import as_vectors


def make_environment(size: str) -> Environment:
    """Pays 1 in the step that reaches the goal, where the episode ends."""
    maze = make_maze(size, turned=False, continuing_task=False)
    return as_vectors(maze, SIZES[size][0])


def maze_task(style: str) -> Task:
    size, what = STYLES[style]
    source = f"minari:D4RL/antmaze/{style}-v1"
    return replace(
        antmaze.maze_task(style),
        name=f"antmaze-{style}-minari",
        description=f"Minari's: Gymnasium's ant in the {size} maze, after {what}.",
        environment=partial(make_environment, size),
        dataset=partial(read_dataset, source, end_at_goal),
        source=source,
        mend=end_at_goal,
    )


TASKS = tuple(maze_task(style) for style in STYLES)
