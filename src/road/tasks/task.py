"""A task: everything that differs between environments, in one value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.errors import DataError
from road.tasks.defaults import Settings
from road.tasks.fixes import unchanged

Reward = TypeVar("Reward", float, NDArray[np.float32])
Environment: TypeAlias = gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]
"""Flat float32 observations, actions in [-1, 1], raw reward.

Its episodes are a pure function of the seed given to ``reset`` and of the actions.
"""


@dataclass(frozen=True)
class ScoreReference:
    """The two undiscounted raw returns that score 0 and 100.

    Scores are not cut: worse than the lower reference is negative, better than the upper one is
    above 100.
    """

    minimum: float
    maximum: float

    def __post_init__(self) -> None:
        if not self.minimum < self.maximum:
            raise ValueError(f"minimum {self.minimum} must lie below maximum {self.maximum}")

    def normalise(self, raw_return: float) -> float:
        return 100.0 * (raw_return - self.minimum) / (self.maximum - self.minimum)


SHARE_OF_SUCCESSES = ScoreReference(minimum=0.0, maximum=1.0)
"""Where an episode returns 1 if it succeeds and 0 if not."""


@dataclass(frozen=True)
class Affine:
    """r becomes scale · r + shift, in the dataset and in the environment alike."""

    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, reward: Reward) -> Reward:
        return self.scale * reward + self.shift

    def fit(self, dataset: Dataset) -> "Affine":
        del dataset
        return self


CENTRED = {name: Affine(scale=10.0, shift=-5.0) for name in ("cql", "cal-ql", "wsrl")}
"""What CQL and its descendants learn from where a step pays 0 or 1: -5 and 5."""


@dataclass(frozen=True)
class ReturnRange:
    """Scales rewards so that the dataset's worst and best episode return lie ``width`` apart."""

    width: float = 1000.0

    def fit(self, dataset: Dataset) -> Affine:
        starts = np.append(0, np.flatnonzero(dataset.episode_ends)[:-1] + 1)
        returns = np.add.reduceat(dataset.reward, starts, dtype=np.float64)
        spread = float(np.ptp(returns))
        if spread == 0.0:
            raise DataError(
                f"dataset: all {len(returns)} episodes return {returns[0]:g}, so rewards cannot be "
                "scaled by their range; give --reward-scale"
            )
        return Affine(scale=self.width / spread)


@dataclass(frozen=True)
class Task:
    """An environment, the data logged in it, and how both are to be used."""

    name: str
    family: str
    description: str
    """One plain sentence that helps to choose."""
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
    """Makes the environment of evaluations, where the score is no sum of the training rewards."""
    environment_id: str = ""
    """As Gymnasium knows it."""
    source: str | None = None
    """Where the data is read from (see ``road.data``); None for a task that makes its own."""
    mend: Callable[[Dataset], Dataset] = unchanged
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
