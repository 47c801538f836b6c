"""The environment that a log is made in: that of a task, or one of the user."""

from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.errors import UsageError
from road.tasks.catalogue import EMBEDDED_TASKS, TASKS, usual_spelling
from road.tasks.custom import TaskOverrides, custom_task
from road.tasks.environments import make_registered
from road.tasks.shifts import Shift, shifted_environment
from road.tasks.task import Affine, Environment, ScoreReference, Task
from road.training.rollout import guarded


@dataclass(frozen=True)
class EnvironmentInfo:
    """An environment as logs know it: its own observations and rewards, actions in [-1, 1]."""

    task: Task
    """Its data is not touched; rewards are the environment's own."""
    observations: int
    actions: int
    low: NDArray[np.float64]
    """Least action, in the environment's units."""
    high: NDArray[np.float64]
    horizon: int | None
    score: ScoreReference | None
    """The returns that score 0 and 100, where the catalogue knows them."""
    shift: Shift | None = None
    """How it differs from the environment of that name."""

    @property
    def label(self) -> str:
        """The name, and the shift if there is one: what files are called by."""
        return self.name if self.shift is None else f"{self.name} {self.shift}"

    @property
    def name(self) -> str:
        return self.task.name

    @property
    def environment_id(self) -> str:
        return self.task.environment_id

    def environment(self) -> Environment:
        return guarded("make", 0, self.task.environment)

    def to_unit(self, action: NDArray[np.floating]) -> NDArray[np.floating]:
        """From the units of the environment to [-1, 1]."""
        half = (self.high - self.low) / 2
        return (action - (self.low + half)) / half


def find_environment(
    name: str,
    allowed: tuple[str, ...] = (),
    horizon: int | None = None,
    shift: Shift | None = None,
) -> EnvironmentInfo:
    """The environment of a listed task, or one by its Gymnasium id or MODULE:ID, shifted or not."""
    listed = raw_task(name)
    own = TaskOverrides(horizon=horizon)
    if listed is not None and horizon is not None:
        raise UsageError(
            f"{name} is cut after {listed.horizon} steps; --horizon is for other environments"
        )
    task = listed or custom_task(name, partial(make_registered, name, allowed), no_data, own)
    # Where a judge pays otherwise than the environment, a sum of rewards is no score.
    score = None if listed is None or listed.judge is not None else listed.score
    # The environment's rewards are logged; an agent that learns from them transforms them.
    task = replace(task, reward=Affine(), rewards={}, judge=None)
    if shift is not None:
        task = replace(task, environment=partial(shifted_environment, task.environment, shift))
    return replace(measure_environment(task, score), shift=shift)


def raw_task(name: str) -> Task | None:
    """A listed task with observations as the environment gives them; None if it is not listed."""
    known = usual_spelling(name)
    return next((task for task in EMBEDDED_TASKS if task.name == known), TASKS.get(known))


def no_data() -> Dataset:
    raise AssertionError("an environment to collect in has no data yet")


def measure_environment(task: Task, score: ScoreReference | None) -> EnvironmentInfo:
    """A task with the sizes and limits that its environment has."""
    with closing(guarded("make", 0, task.environment)) as environment:
        observations, actions = environment.observation_space.shape, environment.action_space.shape
        assert observations is not None
        assert actions is not None
        inner = environment.unwrapped.action_space
        assert isinstance(inner, Box)  # the wrappers take nothing else
        limit = environment.spec.max_episode_steps if environment.spec is not None else None
        return EnvironmentInfo(
            task, *observations, *actions,
            low=inner.low.astype(np.float64), high=inner.high.astype(np.float64),
            horizon=limit if task.horizon is None else task.horizon, score=score,
        )  # fmt: skip
