"""An ant that is led through a maze: waypoints for a policy that only knows how to walk.

The policy takes the ant's own 27 numbers and the direction to go in. It was trained on D4RL's ant:
where the ant is Gymnasium's, its actions are weakened and held for two steps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.tasks.families.antmaze import NUMBERS
from road.tasks.record import Behaviour, Policy
from road.tasks.sources.pointmaze import Cell, Vector, Ways
from road.tasks.task import Environment

Walker: TypeAlias = Callable[[NDArray[np.floating], np.random.Generator], NDArray[np.floating]]
"""From a body's observation and a direction, side by side, to an action in [-1, 1]."""

DIRECTION = 10.0
"""Length to which the way ahead is scaled, as D4RL's walking policy was trained."""
ARRIVAL = 1.0
"""Metres from the middle of a cell, which is four metres wide, at which it counts as visited."""
ANT_SIZES = (29, 8)
"""Numbers that the walking policy takes and gives."""


@dataclass(frozen=True)
class AntView:
    """Where an observation of a maze has its parts, in the coordinates of the maze."""

    position: Callable[[Vector], Vector]
    goal: Callable[[Vector], Vector]
    body: slice
    strength: float
    """What the walker's action is multiplied by."""
    repeats: int
    """Steps for which it is held."""


def view_of(environment: Environment) -> AntView:
    """D4RL's ant does not observe its goal; Minari's ant is Gymnasium's."""
    if environment.observation_space.shape != (NUMBERS,):
        return AntView(lambda seen: seen[:2], lambda seen: seen[2:4], slice(4, 31), 0.2, 2)
    origin = environment.get_wrapper_attr("origin")
    return AntView(
        lambda seen: seen[:2] + origin,
        lambda _: environment.get_wrapper_attr("goal") + origin,
        slice(2, NUMBERS), 1.0, 1,
    )  # fmt: skip


class Waypoints:
    """The same for a body that is wide: it does not turn before it is in the middle of a cell."""

    def __init__(self, ways: Ways) -> None:
        self._ways = ways
        self._cell: Cell | None = None
        self._before: Cell | None = None

    def ahead(self, position: Vector, target: Vector) -> Vector:
        ways, here, goal = self._ways, self._ways.cell_of(position), self._ways.cell_of(target)
        if self._cell is None or here not in (self._cell, self._before):
            self._before, self._cell = here, ways.after(here, goal)
        elif np.linalg.norm(ways.middle(self._cell) - position) < ARRIVAL:
            self._before, self._cell = self._cell, ways.after(self._cell, goal)
        return target if self._cell == goal else ways.middle(self._cell)


def walk_to_goal(environment: Environment, walker: Walker | None) -> Behaviour:
    ways, view = Ways(environment.get_wrapper_attr("maze")), view_of(environment)
    return partial(walk_towards, walker, ways, view, lambda observation, _: view.goal(observation))


def walk_about(environment: Environment, walker: Walker | None) -> Behaviour:
    """From one random cell to the next, whatever the goal."""
    ways, view = Ways(environment.get_wrapper_attr("maze")), view_of(environment)

    def begin(episode: int, rng: np.random.Generator) -> Policy:
        target = ways.random_cell(rng)

        def choose(observation: Vector, rng: np.random.Generator) -> Vector:
            nonlocal target
            if np.linalg.norm(ways.middle(target) - view.position(observation)) < ARRIVAL:
                target = ways.random_cell(rng)
            return ways.middle(target)

        return walk_towards(walker, ways, view, choose, episode, rng)

    return begin


def walk_towards(
    walker: Walker | None,
    ways: Ways,
    view: AntView,
    choose: Callable[[Vector, np.random.Generator], Vector],
    episode: int,
    rng: np.random.Generator,
) -> Policy:
    """An ant on its way to the target that ``choose`` names."""
    assert walker is not None  # checked where the controller is found
    del episode
    step, held, waypoints = 0, np.zeros(0), Waypoints(ways)

    def act(observation: NDArray[np.float32]) -> Vector:
        nonlocal step, held
        if step % view.repeats == 0:
            position = view.position(observation)
            ahead = waypoints.ahead(position, choose(observation, rng)) - position
            direction = DIRECTION * ahead / (np.linalg.norm(ahead) + 1e-8)
            held = view.strength * walker(np.append(observation[view.body], direction), rng)
        step += 1
        return held

    return act
