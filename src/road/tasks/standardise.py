"""Observations in units of the dataset's own spread: for tasks whose numbers differ in size."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from gymnasium.spaces import Box
from gymnasium.wrappers import TransformObservation
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.tasks.task import Environment, Task

LEAST_SPREAD = 1e-3
"""Added to every standard deviation: a column that hardly varies is not blown up."""


@dataclass(frozen=True)
class Standardiser:
    """Subtracts a mean and divides by a spread, column by column."""

    mean: NDArray[np.float32]
    spread: NDArray[np.float32]

    def __call__(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        return (observation - self.mean) / self.spread


def standardiser(dataset: Dataset) -> Standardiser:
    mean = dataset.observation.mean(axis=0, dtype=np.float64)
    spread = dataset.observation.std(axis=0, dtype=np.float64) + LEAST_SPREAD
    return Standardiser(mean.astype(np.float32), spread.astype(np.float32))


def standardised(task: Task) -> Task:
    """The same task, its observations standardised by its dataset in data and environment alike."""
    # Measured once: a run makes a dozen environments, and the data may be large.
    scale = cache(lambda: standardiser(task.dataset()))
    return replace(
        task,
        dataset=partial(standardised_dataset, task),
        environment=partial(standardised_environment, task.environment, scale),
    )


def standardised_dataset(task: Task) -> Dataset:
    dataset = task.dataset()
    scale = standardiser(dataset)
    return replace(
        dataset,
        observation=scale(dataset.observation),
        next_observation=scale(dataset.next_observation),
    )


def standardised_environment(
    make: Callable[[], Environment], scale: Callable[[], Standardiser]
) -> Environment:
    environment = make()
    space = environment.observation_space
    assert isinstance(space, Box)  # every task's environment has flat observations
    wide = Box(-np.inf, np.inf, space.shape, np.float32)
    return TransformObservation(environment, scale(), wide)
