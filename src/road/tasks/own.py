"""A user's own environment, own data, or both: the same task that the catalogue lists.

Nothing is imported that was not allowed by name: a run's settings may come from somebody else.
"""

import importlib
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import gymnasium

from road.data.dataset import Dataset
from road.errors import UsageError
from road.tasks.logged import logged
from road.tasks.mending import as_logged
from road.tasks.robotics import make_quietly, on_one_line
from road.tasks.scores import ScoreReference
from road.tasks.task import Environment, Task
from road.tasks.transforms import Affine
from road.tasks.vectors import Box, action_box, as_vectors, check_actions

AnyEnvironment: TypeAlias = gymnasium.Env[Any, Any]

RAW_RETURN = ScoreReference(minimum=0.0, maximum=100.0)
"""Where no references are known the score is the raw return."""


def check_finite(name: str, value: float | None) -> None:
    if value is not None and not math.isfinite(value):
        raise UsageError(f"{name} must be a finite number, got {value}")


@dataclass(frozen=True)
class Own:
    """What a user brings along or sets otherwise; all None leaves a listed task as it is."""

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


def registered_task(own: Own, allowed: tuple[str, ...]) -> Task:
    """A task around an environment that Gymnasium knows, or will know after an allowed import."""
    assert own.env is not None
    assert own.data is not None
    make = partial(make_registered, own.env, allowed)
    read = own_data(own.data, make, own.env, own)
    return replace(own_task(own.env, make, read, own), source=own.data)


def own_data(
    source: str, make: Callable[[], AnyEnvironment], name: str, own: Own
) -> Callable[[], Dataset]:
    """Reads a source; actions in the units of the environment are brought to [-1, 1]."""
    box = None if own.action_units == "unit" else partial(own_box, make, name)
    return partial(logged, source, as_logged, box)


def own_task(
    name: str, make: Callable[[], AnyEnvironment], read: Callable[[], Dataset], own: Own
) -> Task:
    return Task(
        name=name,
        family="own",
        description="An environment that the user brought.",
        environment=partial(vector_environment, make, name, own.horizon),
        dataset=read,
        horizon=own.horizon,
        score=own.score(RAW_RETURN),
        reward=own.reward or Affine(),
        settings={},
        environment_id=name,
    )


def adapted(task: Task, own: Own) -> Task:
    """A listed task with what the user sets otherwise."""
    if own.action_units is not None:
        raise UsageError(
            f"--action-units belongs to --env: the data of {task.name} has actions in [-1, 1]"
        )
    if own.data is not None:
        read = partial(logged, own.data, task.mend)
        task = replace(task, source=own.data, dataset=read)
    if own.horizon is not None:
        check_horizon(own.horizon, task.horizon, task.name)
        task = replace(
            task,
            horizon=own.horizon,
            environment=partial(shortened, task.environment, own.horizon),
            judge=None if task.judge is None else partial(shortened, task.judge, own.horizon),
        )
    if own.reward is not None:
        task = replace(task, reward=own.reward, rewards={})
    return replace(task, score=own.score(task.score))


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


def shortened(make: Callable[[], Environment], horizon: int) -> Environment:
    return gymnasium.wrappers.TimeLimit(make(), horizon)


def own_box(make: Callable[[], AnyEnvironment], name: str) -> Box:
    environment = make()
    try:
        check_actions(environment.action_space, name)
        return action_box(environment)
    finally:
        environment.close()


def make_registered(environment_id: str, allowed: tuple[str, ...]) -> AnyEnvironment:
    module, _, name = environment_id.rpartition(":")
    if module:
        import_allowed(module, allowed)
    try:
        return make_quietly(name)
    except gymnasium.error.UnregisteredEnv:
        near = get_close_matches(name, gymnasium.registry, n=2)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        where = (
            f"the module {module!r} does not register it"
            if module
            else "an environment of another package is named --env MODULE:ID --allow-import MODULE"
        )
        raise UsageError(f"unknown environment {name!r}: {hint}{where}") from None
    except gymnasium.error.Error as error:
        raise UsageError(f"environment {name!r} cannot be made: {on_one_line(error)}") from error


def import_allowed(module: str, allowed: tuple[str, ...]) -> None:
    """Run the code of a module that the user named as one to trust, and of no other."""
    if module not in allowed:
        raise UsageError(
            f"the environment would import the module {module!r}, which runs its code; "
            f"if you trust it, add --allow-import {module}"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        importlib.import_module(module)
    except (Exception, SystemExit) as error:  # it may do anything while it is imported
        told = f"{type(error).__name__}: {on_one_line(error)}"
        raise UsageError(
            f"cannot import {module!r} for the environment ({told}); it is looked for in the "
            "current folder and in PYTHONPATH"
        ) from error
