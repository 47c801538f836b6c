"""Any continuous environment as the agents take it: flat float32 observations, actions in [-1, 1].

Spaces of any other kind are refused in one line. Embedded tasks are standardised too: observations
in units of the dataset's own spread, since their numbers differ in size.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TransformObservation
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.errors import UsageError
from road.tasks.task import Environment, Task

Box: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Least and greatest action, in the units of the environment."""
LEAST_SPREAD = 1e-3
"""Added to every standard deviation: a column that hardly varies is not blown up."""


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
        """The vector of any observation of the wrapped environment."""
        return np.asarray(spaces.flatten(self._space, observation), np.float32)


def as_vectors(environment: gymnasium.Env[Any, Any], name: str) -> Environment:
    """The environment between the two wrappers, if both its spaces can be vectors."""
    return FlatObservations(unit_actions(environment, name))


def unit_actions(environment: gymnasium.Env[Any, Any], name: str) -> UnitActions:
    """The inner wrapper of the two, after both spaces were checked."""
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


@dataclass(frozen=True)
class Standardiser:
    """Subtracts a mean and divides by a spread, column by column."""

    mean: NDArray[np.float32]
    spread: NDArray[np.float32]

    def __call__(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        return (observation - self.mean) / self.spread


def fit_standardiser(dataset: Dataset) -> Standardiser:
    mean = dataset.observation.mean(axis=0, dtype=np.float64)
    spread = dataset.observation.std(axis=0, dtype=np.float64) + LEAST_SPREAD
    return Standardiser(mean.astype(np.float32), spread.astype(np.float32))


class StandardisedData:
    """A dataset standardised by its own mean and spread, and that scale for the environments.

    A run makes its environment before it takes the data, and both need the dataset: the rows that
    were read for the scale are held until they are taken, once, so that a run reads its source
    once. Later calls read again, since a run packs rows of its own and frees these.
    """

    def __init__(self, read: Callable[[], Dataset]) -> None:
        self._read = read
        self._held: Dataset | None = None
        self._scale: Standardiser | None = None

    def scale(self) -> Standardiser:
        if self._scale is None:
            self._held = self._read()
            self._scale = fit_standardiser(self._held)
        return self._scale

    def dataset(self) -> Dataset:
        dataset = self._read() if self._held is None else self._held
        self._held = None
        self._scale = scale = fit_standardiser(dataset)
        return replace(
            dataset,
            observation=scale(dataset.observation),
            next_observation=scale(dataset.next_observation),
        )


def standardise(task: Task) -> Task:
    """The same task, its observations standardised by its dataset in data and environment alike."""
    data = StandardisedData(task.dataset)
    return replace(
        task,
        dataset=data.dataset,
        environment=partial(standardised_environment, task.environment, data.scale),
    )


def standardised_environment(
    make: Callable[[], Environment], scale: Callable[[], Standardiser]
) -> Environment:
    environment = make()
    space = environment.observation_space
    assert isinstance(space, spaces.Box)  # every task's environment has flat observations
    wide = spaces.Box(-np.inf, np.inf, space.shape, np.float32)
    return TransformObservation(environment, scale(), wide)
