"""An ant that has to find its way through a maze, after logs of an ant that strolled through it.

Start and goal are D4RL's: always the same two cells, each with a little noise. The goal is part of
the observation, since in the logs it varies and the reward speaks of it.
"""

from functools import partial
from pathlib import Path

from road.data.dataset import Dataset
from road.tasks.datasets import read_dataset
from road.tasks.defaults import settings_of
from road.tasks.environments import import_robotics, make_quietly
from road.tasks.fixes import ending_at
from road.tasks.task import CENTRED, SHARE_OF_SUCCESSES, Affine, Environment, Task
from road.tasks.wrappers import as_vectors

Cell = tuple[int, int]
"""Row and column, from the upper left."""
START: Cell = (1, 1)

SIZES: dict[str, tuple[str, str, Cell, int]] = {
    "U-shaped": ("AntMaze_UMaze-v4", "U_MAZE", (3, 1), 700),
    "medium": ("AntMaze_Medium-v4", "MEDIUM_MAZE", (6, 6), 1000),
    "large": ("AntMaze_Large-v4", "LARGE_MAZE", (7, 9), 1000),
}
"""By size: environment, map, goal, horizon."""

STYLES = {
    "umaze": ("U-shaped", "walks from one start to one goal"),
    "umaze-diverse": ("U-shaped", "walks between random places"),
    "medium-play": ("medium", "walks between hand-picked places"),
    "medium-diverse": ("medium", "walks between random places"),
    "large-play": ("large", "walks between hand-picked places"),
    "large-diverse": ("large", "walks between random places"),
}
"""By dataset: the size of its maze, and what was logged there."""


def make_environment(size: str) -> Environment:
    """Pays 1 in the step that reaches the goal, where the episode ends."""
    environment_id, map_name, goal, horizon = SIZES[size]
    import_robotics()
    from gymnasium_robotics.envs.maze import maps

    maze = [list(row) for row in getattr(maps, map_name)]
    maze[START[0]][START[1]], maze[goal[0]][goal[1]] = maps.RESET, maps.GOAL
    environment = make_quietly(
        environment_id,
        maze_map=maze,
        reward_type="sparse",
        continuing_task=False,
        max_episode_steps=horizon,
    )
    # The maze's MuJoCo model has been read by now; its maker leaves it in the temporary folder.
    Path(environment.get_wrapper_attr("tmp_xml_file_path")).unlink(missing_ok=True)
    return as_vectors(environment, environment_id)


def mend(dataset: Dataset) -> Dataset:
    """The logs go on after the goal; the task does not."""
    return ending_at(dataset, dataset.reward > 0.0)


def maze_task(style: str) -> Task:
    size, what = STYLES[style]
    environment_id, _, _, horizon = SIZES[size]
    source = f"minari:D4RL/antmaze/{style}-v1"
    return Task(
        name=f"antmaze-{style}",
        family="antmaze",
        description=f"Walk an ant through the {size} maze to its goal, after {what}.",
        environment=partial(make_environment, size),
        dataset=partial(read_dataset, source, mend),
        horizon=horizon,
        score=SHARE_OF_SUCCESSES,
        # IQL, PEX, RLPD and PROTO: every step costs 1 until the goal.
        reward=Affine(shift=-1.0),
        rewards=CENTRED,
        settings=settings_of("antmaze"),
        failure_reward=0.0,
        environment_id=environment_id,
        source=source,
        mend=mend,
    )


TASKS = tuple(maze_task(style) for style in STYLES)
