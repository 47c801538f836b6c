"""A task: everything that differs between environments, in one value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.tasks.scores import ScoreReference
from road.tasks.settings import Settings
from road.tasks.transforms import Affine

Environment: TypeAlias = gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]
"""Flat float32 observations, actions in [-1, 1], raw reward.

Its episodes are a pure function of the seed given to ``reset`` and of the actions.
"""


@dataclass(frozen=True)
class Task:
    """An environment, the data logged in it, and how both are to be used."""

    name: str
    family: str
    description: str
    """One plain sentence for whoever has to choose."""
    environment: Callable[[], Environment]
    """Makes a fresh environment."""
    dataset: Callable[[], Dataset]
    """Makes the dataset, or reads it from the cache: always the same bytes."""
    horizon: int
    """Steps after which an episode is cut."""
    score: ScoreReference
    reward: Affine
    """For learning only, from data and environment alike; evaluation sees raw returns."""
    settings: Settings
    failure_reward: float | None = None
    """What a step without success pays, raw, where success is all that counts; else None."""

    @property
    def failure(self) -> float | None:
        """The same, transformed for learning."""
        return None if self.failure_reward is None else float(self.reward(self.failure_reward))
