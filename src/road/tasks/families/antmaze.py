"""An ant that has to find its way through a maze, as D4RL's v2 tasks have it; the paper's tasks.

Gymnasium's ant becomes D4RL's by its model alone: steps of 0.1 s, torques of 30, softer contacts.
An observation is the ant's 15 positions and 14 velocities; x and y begin at 0 in the first cell
and grow with the column and the row. The goal is not observed: it stays in one cell. Within 0.5 m
of it a step pays 1 and ends the episode.
"""

from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from road.data.dataset import Dataset, Finding
from road.tasks.datasets import read_dataset
from road.tasks.defaults import settings_of
from road.tasks.environments import AnyEnvironment, import_robotics, make_quietly
from road.tasks.fixes import ending_at
from road.tasks.task import CENTRED, SHARE_OF_SUCCESSES, Affine, Environment, Task
from road.tasks.wrappers import unit_actions

Cell = tuple[int, int]
"""Row and column, from the upper left."""
Vector = NDArray[np.float64]
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

CELL = 4.0
"""Metres."""
REACHED = 0.5
"""Metres from the goal at which it is reached; Minari's mazes have 0.45."""
TIMESTEP, TORQUE, SOFTNESS = 0.02, 30.0, (0.8, 0.8, 0.01)
"""Of D4RL's ant, where Gymnasium's has 0.01 s, 150 and MuJoCo's usual contacts; each of its steps
is five of the simulator's."""
RESET_NOISE = 0.1
GOAL_NOISE = (1.0, 0.5)
"""D4RL moves the goal twice, each time by so much at most, away from the start."""
NUMBERS = 29


class D4RLAnt(gymnasium.Wrapper[Any, Any, Any, Any]):
    """D4RL's ant and its rules, around a maze whose rows run upwards."""

    def __init__(self, environment: gymnasium.Env[Any, Any], goal_cell: Cell) -> None:
        super().__init__(environment)
        self.observation_space = spaces.Box(-np.inf, np.inf, (NUMBERS,), np.float32)
        maze: Any = environment.unwrapped
        self._maze, self._goal_cell = maze, goal_cell
        rows = maze.maze.map_length
        self.origin: Vector = maze.maze.cell_rowcol_to_xy((rows - 1 - START[0], START[1]))
        """Where x and y are 0, in the coordinates of the maze."""
        as_d4rls(maze.ant_env.model)

    @property
    def goal(self) -> Vector:
        """Its place, as observations name places."""
        return self._maze.goal - self.origin

    def reset(self, **options: Any) -> tuple[NDArray[np.float32], dict[str, Any]]:
        _, info = self.env.reset(**options)
        maze, rng = self._maze, self._maze.np_random
        steps = np.array(self._goal_cell[::-1]) - START[::-1]
        noise = sum(rng.uniform(0.0, most, 2) for most in GOAL_NOISE)
        maze.goal = self.origin + CELL * steps + noise
        maze.update_target_site_pos()
        ant = maze.ant_env
        joints = ant.init_qpos.copy()
        joints[:2] = self.origin
        joints += rng.uniform(-RESET_NOISE, RESET_NOISE, joints.shape)
        ant.set_state(joints, ant.init_qvel + RESET_NOISE * rng.normal(size=ant.model.nv))
        return self._observe(), {**info, "success": False}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        _, _, _, truncated, info = self.env.step(action)
        position = self._maze.ant_env.data.qpos[:2]
        reached = bool(np.linalg.norm(position - self._maze.goal) <= REACHED)
        return self._observe(), float(reached), reached, truncated, {**info, "success": reached}

    def _observe(self) -> NDArray[np.float32]:
        data = self._maze.ant_env.data
        return np.concatenate([data.qpos[:2] - self.origin, data.qpos[2:], data.qvel], dtype="f4")


def as_d4rls(model: Any) -> None:
    """Change the model of Gymnasium's ant to D4RL's."""
    model.opt.timestep = TIMESTEP
    model.actuator_gear[:, 0] = TORQUE
    model.geom_solimp[:, : len(SOFTNESS)] = SOFTNESS


def make_environment(size: str) -> Environment:
    """D4RL's maze: Gymnasium-Robotics numbers rows downwards, so its map is turned over."""
    environment_id, _, goal, _ = SIZES[size]
    maze = make_maze(size, turned=True, continuing_task=True)
    return D4RLAnt(unit_actions(maze, environment_id), goal)


def make_maze(size: str, *, turned: bool, continuing_task: bool) -> AnyEnvironment:
    """Gymnasium-Robotics' maze with D4RL's start and goal."""
    environment_id, map_name, goal, horizon = SIZES[size]
    import_robotics()
    from gymnasium_robotics.envs.maze import maps

    maze = [list(row) for row in getattr(maps, map_name)]
    maze[START[0]][START[1]], maze[goal[0]][goal[1]] = maps.RESET, maps.GOAL
    environment = make_quietly(
        environment_id,
        maze_map=maze[::-1] if turned else maze,
        reward_type="sparse",
        continuing_task=continuing_task,
        max_episode_steps=horizon,
    )
    # The maze's MuJoCo model has been read by now; its maker leaves it in the temporary folder.
    Path(environment.get_wrapper_attr("tmp_xml_file_path")).unlink(missing_ok=True)
    return environment


def end_at_goal(dataset: Dataset) -> Dataset:
    """The logs go on after the goal; the task does not."""
    return ending_at(dataset, dataset.reward > 0.0)


def mend(size: str, dataset: Dataset) -> Dataset:
    """The same, and a note on places that this maze does not have."""
    return end_at_goal(note_foreign_places(size, dataset))


def note_foreign_places(size: str, dataset: Dataset) -> Dataset:
    """Logs whose coordinates begin elsewhere can be read, but not learnt from for this maze."""
    if dataset.observation.shape[1] != NUMBERS:
        return dataset
    goal = SIZES[size][2]
    far = CELL * (max(goal[0], goal[1]) + 1)
    places = dataset.observation[:, :2]
    outside = np.flatnonzero(((places < -CELL / 2) | (places > far)).any(axis=1))
    if len(outside) == 0:
        return dataset
    text = (
        f"{len(outside)} rows lie outside of the maze, whose x and y are 0 in its first cell: "
        "their coordinates begin elsewhere"
    )
    note = Finding("warning", text, int(outside[0]))
    return Dataset(**dataset.arrays(), notes=(*dataset.notes, note))


def maze_task(style: str) -> Task:
    size, what = STYLES[style]
    environment_id, _, _, horizon = SIZES[size]
    source = f"d4rl:antmaze-{style}-v2"
    return Task(
        name=f"antmaze-{style}",
        family="antmaze",
        description=f"D4RL's ant in the {size} maze, to a goal it does not see, after {what}.",
        environment=partial(make_environment, size),
        dataset=partial(read_dataset, source, partial(mend, size)),
        horizon=horizon,
        score=SHARE_OF_SUCCESSES,
        # IQL, PEX, RLPD and PROTO: every step costs 1 until the goal.
        reward=Affine(shift=-1.0),
        rewards=CENTRED,
        settings=settings_of("antmaze"),
        failure_reward=0.0,
        environment_id=environment_id,
        source=source,
        mend=partial(mend, size),
    )


TASKS = tuple(maze_task(style) for style in STYLES)
