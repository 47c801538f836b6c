"""Behaviours that need no learning, by family of tasks and by the level of what they log.

A maze has a way to its goal that can be read off its map. A ball is pushed along it; an ant needs
a policy that knows how to walk and takes the ant's own observation and the direction to
go in.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.tasks.families import kitchen
from road.tasks.record import Behaviour, Policy, Step
from road.tasks.sources import pendulum, pointmaze
from road.tasks.sources.pointmaze import Cell, Vector, Ways
from road.tasks.task import Environment

Walker: TypeAlias = Callable[[NDArray[np.floating], np.random.Generator], NDArray[np.floating]]
"""From a body's observation and a direction, side by side, to an action in [-1, 1]."""

ANT_DIRECTION = 10.0
"""Length to which the way ahead is scaled, as D4RL's walking policy was trained."""
ANT_STRENGTH, ANT_REPEATS = 0.2, 2
"""D4RL's ant has weaker joints and steps twice as long as Gymnasium's."""
ANT_POSITION, ANT_GOAL, ANT_BODY = slice(0, 2), slice(2, 4), slice(4, 31)
"""Their numbers in an observation of the maze."""
ANT_ARRIVAL = 1.0
"""Metres from the middle of a cell, which is four metres wide, at which it counts as visited."""


@dataclass(frozen=True)
class Controller:
    """A way to act in a task."""

    origin: str
    behaviour: Callable[[Environment, Walker | None], Behaviour]
    walker: tuple[int, int] | None = None
    """Numbers that the policy which it needs takes and gives; None if it needs none."""


def swing_up(environment: Environment, walker: Walker | None) -> Behaviour:
    del environment, walker
    return lambda *_: pendulum.swing_up


def swing_or_walk(environment: Environment, walker: Walker | None) -> Behaviour:
    del environment, walker
    return pendulum.alternate


def push_about(environment: Environment, walker: Walker | None) -> Behaviour:
    del walker
    return pointmaze.wander_along_ways(environment.get_wrapper_attr("maze"))


def push_to_goal(environment: Environment, walker: Walker | None) -> Behaviour:
    """Along the shortest way, and from its last cell straight to the goal."""
    del walker
    ways = Ways(environment.get_wrapper_attr("maze"))

    def act(observation: NDArray[np.float32]) -> Vector:
        ahead = ways.ahead(observation[:2], observation[4:6])
        return np.clip(pointmaze.push(observation, ahead), -1.0, 1.0)

    return lambda *_: act


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
        elif np.linalg.norm(ways.middle(self._cell) - position) < ANT_ARRIVAL:
            self._before, self._cell = self._cell, ways.after(self._cell, goal)
        return target if self._cell == goal else ways.middle(self._cell)


def walk_to_goal(environment: Environment, walker: Walker | None) -> Behaviour:
    ways = Ways(environment.get_wrapper_attr("maze"))
    return partial(walk_towards, walker, ways, lambda observation, _: observation[ANT_GOAL])


def walk_about(environment: Environment, walker: Walker | None) -> Behaviour:
    """From one random cell to the next, whatever the goal."""
    ways = Ways(environment.get_wrapper_attr("maze"))

    def begin(episode: int, rng: np.random.Generator) -> Policy:
        target = ways.random_cell(rng)

        def choose(observation: Vector, rng: np.random.Generator) -> Vector:
            nonlocal target
            if np.linalg.norm(ways.middle(target) - observation[ANT_POSITION]) < ANT_ARRIVAL:
                target = ways.random_cell(rng)
            return ways.middle(target)

        return walk_towards(walker, ways, choose, episode, rng)

    return begin


def walk_towards(
    walker: Walker | None,
    ways: Ways,
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
        if step % ANT_REPEATS == 0:
            position = observation[ANT_POSITION]
            ahead = waypoints.ahead(position, choose(observation, rng)) - position
            direction = ANT_DIRECTION * ahead / (np.linalg.norm(ahead) + 1e-8)
            held = ANT_STRENGTH * walker(np.append(observation[ANT_BODY], direction), rng)
        step += 1
        return held

    return act


ANT_SIZES = (ANT_BODY.stop - ANT_BODY.start + 2, 8)

CONTROLLERS: Mapping[str, Mapping[str, Controller]] = MappingProxyType(
    {
        "pendulum": {
            "expert": Controller("a controller that swings up and holds", swing_up),
            "play": Controller(
                "a noisy controller in 3 of 10 episodes, else a walk", swing_or_walk
            ),
        },
        "pointmaze": {
            "expert": Controller("a controller that knows the way to the goal", push_to_goal),
            "play": Controller("a noisy controller that strolls about", push_about),
        },
        "antmaze": {
            "expert": Controller("waypoints to the goal", walk_to_goal, ANT_SIZES),
            "play": Controller(
                "waypoints to one random cell after the other", walk_about, ANT_SIZES
            ),
        },
    }
)

Demonstrations: TypeAlias = list[NDArray[np.float32]]
REPLAYS: Mapping[str, Callable[[Environment, Demonstrations, int], Iterator[Step]]] = (
    MappingProxyType({"kitchen": kitchen.replay})
)
"""How demonstrations of people are put into the environment of a family."""
read_demonstrations = kitchen.read_demonstrations
