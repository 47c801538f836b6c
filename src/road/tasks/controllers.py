"""Behaviours that need no learning, by family of tasks and by the level of what they log.

A maze has a way to its goal that can be read off its map. A ball is pushed along it; an ant needs
a policy that knows how to walk and takes the ant's own observation and the direction to
go in.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.tasks.families import kitchen
from road.tasks.record import Behaviour, Step
from road.tasks.sources import pendulum, pointmaze
from road.tasks.sources.pointmaze import Vector, Ways
from road.tasks.task import Environment
from road.tasks.walking import ANT_SIZES, Walker, walk_about, walk_to_goal


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
