"""A ball that is pushed through a maze to a goal, and data of two kinds about it.

The reward is 1 in the step that reaches the goal, where the episode ends, and 0 before, as in
D4RL's mazes. gymnasium-robotics is imported only when an environment is made.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.tasks.environments import import_robotics, make_quietly
from road.tasks.record import Behaviour, Policy, random_walk, record
from road.tasks.task import Environment

Vector: TypeAlias = NDArray[np.floating]
Cell: TypeAlias = tuple[int, int]
"""Row and column, from the upper left."""
Grid: TypeAlias = Sequence[Sequence[Any]]
"""Rows of cells; 1 is a wall."""
WALL = 1

PERSISTENCE = 0.95
"""Twenty steps to an action on average: of 1, 5, 10, 20 and 50 the hold that covers most.

Over 80,000 rows of the U-maze it reaches the goal in 42 % of the episodes; fresh actions at every
step do in 22 %.
"""
STIFFNESS, DAMPING = 3.0, 0.7
"""Of the controller, in full pushes per metre and per metre a second.

A full push accelerates the ball by 24 m/s², which makes this critically damped; stiffer ones push
with all their force most of the time, and then the data holds little but corners of the box.
"""
NOISE = 0.5
"""Standard deviation of what is added to the controller's action."""
ARRIVAL = 0.25
"""Metres from the middle of a cell at which it counts as visited."""


def make_environment(environment_id: str) -> Environment:
    import_robotics()
    environment = make_quietly(environment_id, continuing_task=False, reward_type="sparse")
    # The maze's MuJoCo model has been read by now; its maker leaves it in the temporary folder.
    Path(environment.get_wrapper_attr("tmp_xml_file_path")).unlink(missing_ok=True)
    space = gymnasium.spaces.Box(-np.inf, np.inf, shape=(6,), dtype=np.float32)
    return gymnasium.wrappers.TransformObservation(environment, flatten, space)


def flatten(observation: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float32]:
    """Position, velocity and goal, two numbers each."""
    parts = observation["observation"], observation["desired_goal"]
    return np.concatenate(parts).astype(np.float32)


def walk(environment_id: str, rows: int, seed: int) -> Dataset:
    """A random walk that knows of no goal."""
    return gather(environment_id, lambda _: wander_blindly, rows, seed)


def play(environment_id: str, rows: int, seed: int) -> Dataset:
    """A noisy controller that walks from one random cell to the next and knows of no goal.

    The way from a start to the goal has to be put together from pieces of other ways.
    """
    return gather(environment_id, wander_along_ways, rows, seed)


def gather(
    environment_id: str, behaviour_in: Callable[[Any], Behaviour], rows: int, seed: int
) -> Dataset:
    with closing(make_environment(environment_id)) as environment:
        behaviour = behaviour_in(environment.get_wrapper_attr("maze"))
        return record(environment, behaviour, rows, seed)


def wander_blindly(episode: int, rng: np.random.Generator) -> Policy:
    del episode
    return random_walk(2, PERSISTENCE, rng)


def wander_along_ways(maze: Any) -> Behaviour:
    ways = Ways(maze)

    def begin(episode: int, rng: np.random.Generator) -> Policy:
        del episode
        target = ways.random_cell(rng)

        def act(observation: Vector) -> Vector:
            nonlocal target
            position = observation[:2]
            if np.linalg.norm(ways.middle(target) - position) < ARRIVAL:
                target = ways.random_cell(rng)
            ahead = ways.middle(ways.after(ways.cell_of(position), target))
            return np.clip(push(observation, ahead) + rng.normal(scale=NOISE, size=2), -1.0, 1.0)

        return act

    return begin


def push(observation: Vector, ahead: Vector) -> Vector:
    """What the controller does to get to a place; it may lie outside of the box of actions."""
    position, velocity = observation[:2], observation[2:4]
    return STIFFNESS * (ahead - position) - DAMPING * velocity


class Ways:
    """Shortest ways through a maze, each found once."""

    def __init__(self, maze: Any) -> None:
        self._maze = maze
        self._onward: dict[Cell, dict[Cell, Cell]] = {}
        self._cells = free_cells(maze.maze_map)

    def random_cell(self, rng: np.random.Generator) -> Cell:
        return self._cells[rng.integers(len(self._cells))]

    def cell_of(self, place: Vector) -> Cell:
        row, column = self._maze.cell_xy_to_rowcol(place)
        return int(row), int(column)

    def middle(self, cell: Cell) -> Vector:
        return self._maze.cell_rowcol_to_xy(cell)

    def after(self, cell: Cell, target: Cell) -> Cell:
        """The next cell on the way from one cell to another."""
        if target not in self._onward:
            self._onward[target] = ways_to(target, self._maze.maze_map)
        return self._onward[target].get(cell, target)

    def ahead(self, position: Vector, target: Vector) -> Vector:
        """Where to go next: the middle of the next cell, or the target itself at the last one."""
        goal = self.cell_of(target)
        onward = self.after(self.cell_of(position), goal)
        return target if onward == goal else self.middle(onward)


def free_cells(grid: Grid) -> list[Cell]:
    return [
        (row, column)
        for row, cells in enumerate(grid)
        for column, cell in enumerate(cells)
        if cell != WALL
    ]


def ways_to(target: Cell, grid: Grid) -> dict[Cell, Cell]:
    """For every cell the next one on a shortest way to the target, by breadth-first search."""
    free = set(free_cells(grid))
    onward = {target: target}
    waiting = deque([target])
    while waiting:
        row, column = here = waiting.popleft()
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        found = [cell for cell in around if cell in free and cell not in onward]
        onward.update(dict.fromkeys(found, here))
        waiting.extend(found)
    return onward
