"""Tasks around a user's environment or data, and listed tasks with other settings."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import gymnasium

from road.data.dataset import Dataset
from road.errors import UsageError
from road.secrets import holds_secret, without_secrets
from road.tasks.closing import close_all
from road.tasks.datasets import read_dataset
from road.tasks.defaults import OWN
from road.tasks.environments import AnyEnvironment, make_registered
from road.tasks.fixes import unchanged
from road.tasks.task import Affine, Environment, ScoreReference, Task
from road.tasks.wrappers import Box, action_box, as_vectors, check_actions

RAW_RETURN = ScoreReference(minimum=0.0, maximum=100.0)
"""Where no references are known the score is the raw return."""


def check_finite(name: str, value: float | None) -> None:
    if value is not None and not math.isfinite(value):
        raise UsageError(f"{name} must be a finite number, got {value}")


def check_no_secret(data: str | None) -> None:
    if data is not None and holds_secret(data):
        raise UsageError(
            f"data {without_secrets(data)!r} looks as if it held a password or a token, which "
            "would be stored with the run; log in outside of road, or name a local copy"
        )


@dataclass(frozen=True)
class TaskOverrides:
    """What a user sets otherwise than a listed task; all None leaves it as it is."""

    env: str | None = None
    """An environment instead of a task: its Gymnasium id, or MODULE:ID (see --allow-import)."""
    data: str | None = None
    """Data instead of the task's own: file:PATH, d4rl:NAME, minari:ID or stored:FOLDER."""
    action_units: Literal["environment", "unit"] | None = None
    """With --env, units of the actions in --data where it does not say so itself: the environment's
    own (None means so too), or [-1, 1] ('unit')."""
    horizon: int | None = None
    """Steps after which an episode is cut: at most the environment's own limit, if it has one."""
    score_min: float | None = None
    """Raw return that scores 0; without references the score is the raw return."""
    score_max: float | None = None
    """Raw return that scores 100."""
    reward_scale: float | None = None
    """Factor on every reward that is learnt from; evaluation sees raw returns."""
    reward_shift: float | None = None
    """Added to every reward that is learnt from, after the factor."""

    def __post_init__(self) -> None:
        if self.horizon is not None and self.horizon < 1:
            raise UsageError(f"horizon must be 1 or more, got {self.horizon}")
        for name in ("score_min", "score_max", "reward_scale", "reward_shift"):
            check_finite(name, getattr(self, name))
        if self.reward_scale == 0.0:
            raise UsageError("reward_scale must not be 0: every reward would be the same")
        if (self.score_min is None) != (self.score_max is None):
            raise UsageError("score_min and score_max belong together: give both or neither")
        check_no_secret(self.data)
        if self.env is not None and self.data is None:
            raise UsageError(f"--env {self.env} needs data to begin with: give --data SOURCE")

    def score(self, usual: ScoreReference) -> ScoreReference:
        if self.score_min is None or self.score_max is None:
            return usual
        if not self.score_min < self.score_max:
            raise UsageError(
                f"score_min must lie below score_max, got {self.score_min} and {self.score_max}"
            )
        return ScoreReference(self.score_min, self.score_max)

    @property
    def reward(self) -> Affine | None:
        """The transform that was asked for, if one was."""
        if self.reward_scale is None and self.reward_shift is None:
            return None
        scale = 1.0 if self.reward_scale is None else self.reward_scale
        return Affine(scale, self.reward_shift or 0.0)


def registered_task(overrides: TaskOverrides, allowed: tuple[str, ...]) -> Task:
    """A task around an environment that Gymnasium knows, or will know after an allowed import."""
    assert overrides.env is not None
    assert overrides.data is not None
    make = partial(make_registered, overrides.env, allowed)
    read = custom_data(overrides.data, make, overrides.env, overrides)
    return replace(custom_task(overrides.env, make, read, overrides), source=overrides.data)


def custom_data(
    source: str, make: Callable[[], AnyEnvironment], name: str, overrides: TaskOverrides
) -> Callable[[], Dataset]:
    """Reads a source; actions in the units of the environment are rescaled to [-1, 1]."""
    box = None if overrides.action_units == "unit" else partial(read_action_box, make, name)
    return partial(read_dataset, source, unchanged, box)


def custom_task(
    name: str,
    make: Callable[[], AnyEnvironment],
    read: Callable[[], Dataset],
    overrides: TaskOverrides,
) -> Task:
    return Task(
        name=name,
        family="custom",
        description="An environment of the user.",
        environment=partial(vector_environment, make, name, overrides.horizon),
        dataset=read,
        horizon=overrides.horizon,
        score=overrides.score(RAW_RETURN),
        reward=overrides.reward or Affine(),
        settings=OWN,
        environment_id=name,
    )


def override_task(task: Task, overrides: TaskOverrides) -> Task:
    """A listed task with what the user sets otherwise."""
    if overrides.action_units is not None:
        raise UsageError(
            f"--action-units belongs to --env: the data of {task.name} has actions in [-1, 1]"
        )
    if overrides.data is not None:
        read = partial(read_dataset, overrides.data, task.mend)
        task = replace(task, source=overrides.data, dataset=read)
    if overrides.horizon is not None:
        check_horizon(overrides.horizon, task.horizon, task.name)
        task = replace(
            task,
            horizon=overrides.horizon,
            environment=partial(shorten, task.environment, overrides.horizon),
            judge=None if task.judge is None else partial(shorten, task.judge, overrides.horizon),
        )
    if overrides.reward is not None:
        task = replace(task, reward=overrides.reward, rewards={})
    return replace(task, score=overrides.score(task.score))


def vector_environment(
    make: Callable[[], AnyEnvironment], name: str, horizon: int | None
) -> Environment:
    environment: Any = make()  # a caller's function may give anything
    if not isinstance(environment, gymnasium.Env):
        raise UsageError(f"{name} makes {type(environment).__name__}, no Gymnasium environment")
    limit = None if environment.spec is None else environment.spec.max_episode_steps
    if horizon is not None:
        check_horizon(horizon, limit, name)
        environment = gymnasium.wrappers.TimeLimit(environment, horizon)
    elif limit is None:
        raise UsageError(
            f"{name} has no time limit, so its episodes might never end; give --horizon STEPS, or "
            "horizon=STEPS in Python"
        )
    return as_vectors(environment, name)


def check_horizon(horizon: int, limit: int | None, name: str) -> None:
    if limit is not None and horizon > limit:
        raise UsageError(f"{name} ends an episode after {limit} steps: horizon {horizon} is more")


def shorten(make: Callable[[], Environment], horizon: int) -> Environment:
    return gymnasium.wrappers.TimeLimit(make(), horizon)


def read_action_box(make: Callable[[], AnyEnvironment], name: str) -> Box:
    environment = make()
    try:
        check_actions(environment.action_space, name)
        return action_box(environment)
    finally:
        close_all([environment])  # what trains is made later, and its faults are reported
