"""Worlds that differ from an environment by one knob, to make logs in: an older robot, a simulator.

    gain=G       actions in [-1, 1] are multiplied by G before the environment sees them
    rotation=D   actions of two numbers are turned by D degrees
    gravity=F    gravity is multiplied by F
    gear=F       the torque that a MuJoCo motor makes of its control is multiplied by F

A factor of 1, and a rotation by 0, is the environment itself, to the last bit.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from road.errors import UsageError
from road.names import find_name
from road.tasks.record import Behaviour, Policy
from road.tasks.task import Environment

Action: TypeAlias = NDArray[np.floating]
ChangedAction: TypeAlias = Callable[[float, Action], Action]


@dataclass(frozen=True)
class Shift:
    """A knob and its value; as text ``gain=-0.5``."""

    knob: str
    value: float

    def __post_init__(self) -> None:
        find_name(self.knob, KNOBS, "knob")
        if not math.isfinite(self.value):
            raise UsageError(f"shift {self.knob} must be a finite number, got {self.value}")

    def __str__(self) -> str:
        return f"{self.knob}={self.value:g}"


def parse_shift(text: str) -> Shift:
    """From ``KNOB=NUMBER``."""
    knob, _, value = text.partition("=")
    try:
        return Shift(knob, float(value))
    except ValueError:
        raise UsageError(f"a shift is written KNOB=NUMBER, as in gain=-0.5; got {text!r}") from None


def shifted_environment(make: Callable[[], Environment], shift: Shift) -> Environment:
    """The environment with its knob turned; takes actions in [-1, 1] as before."""
    return KNOBS[shift.knob].turn(make(), shift.value)


def compensate(shift: Shift, behaviour: Behaviour) -> Behaviour:
    """The same behaviour by someone who knows the shifted world.

    Where the knob changes what actions do, each action is replaced by the one that does there, as
    far as the box allows, what it was meant to do. So logs of all settings are of like quality.
    """
    undo = KNOBS[shift.knob].undo

    def begin(episode: int, rng: np.random.Generator) -> Policy:
        policy = behaviour(episode, rng)
        return lambda observation: undo(shift.value, policy(observation))

    return begin


class ChangedActions(gymnasium.ActionWrapper[Any, Any, Any]):
    """Hands on other actions than it is given, inside the same box."""

    def __init__(self, environment: Environment, change: ChangedAction, value: float) -> None:
        super().__init__(environment)
        self._change, self._value = change, value

    def action(self, action: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.clip(self._change(self._value, action), -1.0, 1.0).astype(np.float32)


def multiply(gain: float, action: Action) -> Action:
    return gain * action


def divide(gain: float, action: Action) -> Action:
    """At a gain of 0 no action does anything, so any will do."""
    return action if gain == 0.0 else np.clip(action / gain, -1.0, 1.0)


def rotate(degrees: float, action: Action) -> Action:
    angle = math.radians(degrees)
    cosine, sine = math.cos(angle), math.sin(angle)
    x, y = action[0], action[1]
    return np.array([cosine * x - sine * y, sine * x + cosine * y])


def rotate_back(degrees: float, action: Action) -> Action:
    return np.clip(rotate(-degrees, action), -1.0, 1.0)


def keep(value: float, action: Action) -> Action:
    """Nothing in the action can make up for the knob."""
    del value
    return action


def turn_gain(environment: Environment, gain: float) -> Environment:
    return ChangedActions(environment, multiply, gain)


def turn_rotation(environment: Environment, degrees: float) -> Environment:
    shape = environment.action_space.shape
    if shape != (2,):
        raise UsageError(f"only actions of two numbers can be rotated, not of shape {shape}")
    return ChangedActions(environment, rotate, degrees)


def turn_gravity(environment: Environment, factor: float) -> Environment:
    physics: Any = environment.unwrapped
    if isinstance(getattr(physics, "g", None), float):  # Pendulum
        physics.g *= factor
    else:
        mujoco_model(physics, "gravity").opt.gravity[:] *= factor
    return environment


def turn_gear(environment: Environment, factor: float) -> Environment:
    mujoco_model(environment.unwrapped, "gear").actuator_gear[:] *= factor
    return environment


def mujoco_model(physics: Any, knob: str) -> Any:
    model = getattr(physics, "model", None)
    if model is None:
        raise UsageError(f"{type(physics).__name__} has no {knob} to change: no MuJoCo model")
    return model


@dataclass(frozen=True)
class Knob:
    """How an environment is changed, and what an action becomes that makes up for it."""

    turn: Callable[[Environment, float], Environment]
    undo: ChangedAction


KNOBS: Mapping[str, Knob] = MappingProxyType(
    {
        "gain": Knob(turn_gain, divide),
        "rotation": Knob(turn_rotation, rotate_back),
        "gravity": Knob(turn_gravity, keep),
        "gear": Knob(turn_gear, divide),
    }
)
