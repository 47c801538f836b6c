"""Any continuous environment as the agents want it: flat float32 observations, actions in [-1, 1].

What cannot be made so is refused in one line.
"""

from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from road.errors import UsageError
from road.tasks.task import Environment

Box: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Least and greatest action, in the units of the environment."""


class UnitActions(gymnasium.ActionWrapper[Any, Any, Any]):
    """Takes actions in [-1, 1] and hands on the environment's own."""

    def __init__(self, environment: gymnasium.Env[Any, Any]) -> None:
        super().__init__(environment)
        self._low, self._high = action_box(environment)
        self._dtype = environment.action_space.dtype
        self._is_unit = bool((self._low == -1.0).all() and (self._high == 1.0).all())
        self.action_space = spaces.Box(-1.0, 1.0, self._low.shape, np.float32)

    def action(self, action: NDArray[np.float32]) -> NDArray[Any]:
        if self._is_unit:
            return action.astype(self._dtype)
        share = (action.astype(np.float64) + 1.0) / 2.0
        return (self._low + share * (self._high - self._low)).astype(self._dtype)


class FlatObservations(gymnasium.ObservationWrapper[Any, Any, Any]):
    """One float32 vector, whatever the space; a Dict gives its entries in the order of its keys."""

    def __init__(self, environment: gymnasium.Env[Any, Any]) -> None:
        super().__init__(environment)
        self._space = environment.observation_space
        width = spaces.flatdim(self._space)
        self.observation_space = spaces.Box(-np.inf, np.inf, (width,), np.float32)

    def observation(self, observation: Any) -> NDArray[np.float32]:
        """The vector of any observation of the environment within."""
        return np.asarray(spaces.flatten(self._space, observation), np.float32)


def as_vectors(environment: gymnasium.Env[Any, Any], name: str) -> Environment:
    """The environment between the two wrappers, if both its spaces can be vectors."""
    return FlatObservations(unit_actions(environment, name))


def unit_actions(environment: gymnasium.Env[Any, Any], name: str) -> UnitActions:
    """The inner half of that, after both spaces have been looked at."""
    check_actions(environment.action_space, name)
    check_observations(environment.observation_space, name)
    return UnitActions(environment)


def action_box(environment: gymnasium.Env[Any, Any]) -> Box:
    space = environment.action_space
    assert isinstance(space, spaces.Box)  # checked where the environment entered
    return space.low.astype(np.float64), space.high.astype(np.float64)


def check_actions(space: spaces.Space[Any], name: str) -> None:
    if not isinstance(space, spaces.Box) or len(space.shape) != 1:
        raise UsageError(
            f"{name} has the action space {space}; only vectors of real numbers (a Box with one "
            "axis) can be learnt"
        )
    if not space.is_bounded():
        raise UsageError(
            f"{name} has actions without bounds, {space}; wrap it so that every action has a "
            "least and a greatest value"
        )


def check_observations(space: spaces.Space[Any], name: str) -> None:
    if isinstance(space, spaces.Box) and len(space.shape) > 1:
        raise UsageError(
            f"{name} has observations of shape {space.shape}; only vectors can be learnt from: "
            "flatten or encode them in a wrapper"
        )
    if not space.is_np_flattenable:
        raise UsageError(
            f"{name} has the observation space {space}, which has no fixed length; "
            "give it a Box or a Dict of Boxes in a wrapper"
        )
