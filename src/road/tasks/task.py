"""A task: everything that differs between environments, in one value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.tasks.mending import as_logged
from road.tasks.scores import ScoreReference
from road.tasks.settings import Settings
from road.tasks.transforms import Affine, ReturnRange

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
    horizon: int | None
    """Steps after which an episode is cut; None leaves it to the environment."""
    score: ScoreReference
    reward: Affine
    """For learning only, from data and environment alike; evaluation sees raw returns."""
    settings: Settings
    failure_reward: float | None = None
    """What a step without success pays, raw, where success is all that counts; else None."""
    rewards: Mapping[str, Affine | ReturnRange] = field(default_factory=dict[str, Affine])
    """What an agent learns from instead of ``reward``, by the agent's name, where papers differ."""
    judge: Callable[[], Environment] | None = None
    """Makes the environment to be judged in, where the score is no sum of the rewards learnt."""
    environment_id: str = ""
    """As Gymnasium knows it."""
    source: str | None = None
    """Where the data is read from (see ``road.data``); None for a task that makes its own."""
    mend: Callable[[Dataset], Dataset] = as_logged
    """Puts right what logs of this task get wrong, whichever file they come from."""

    @property
    def failure(self) -> float | None:
        """The same, transformed for learning."""
        return None if self.failure_reward is None else float(self.reward(self.failure_reward))

    @property
    def judged(self) -> "Task":
        """The task as it is evaluated."""
        return self if self.judge is None else replace(self, environment=self.judge)

    def learnt_by(self, agent_name: str, dataset: Dataset) -> "Task":
        """The task with the reward that this agent learns from."""
        return replace(self, reward=self.rewards.get(agent_name, self.reward).fit(dataset))
