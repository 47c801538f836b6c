"""What acts in a log: random actions, a controller, or a policy; each with its noise."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.collecting.environment import EnvironmentInfo
from road.collecting.request import HUMAN, PLAY, Noise, Request
from road.errors import UsageError
from road.files import hash_file
from road.policies.weights import Weights, read_weights
from road.tasks.controllers import (
    CONTROLLERS,
    REPLAYS,
    Controller,
    Walker,
    read_demonstrations,
)  # fmt: skip
from road.tasks.environments import import_allowed
from road.tasks.record import Behaviour, Policy
from road.tasks.shifts import Shift, compensate
from road.tasks.task import Environment

CONTROLLER = "controller"
"""Asks for the controller of the task."""


@dataclass(frozen=True)
class Actor:
    """What chooses the actions of a log."""

    origin: str
    """In words, for the log's description."""
    behaviour_in: Callable[[Environment], Behaviour]


def random_actor(info: EnvironmentInfo) -> Actor:
    """Uniform actions, drawn at every step."""

    def begin(episode: int, rng: np.random.Generator) -> Policy:
        del episode
        return lambda _: rng.uniform(-1.0, 1.0, info.actions)

    return Actor("uniform random actions", lambda _: begin)


def find_actors(part: str, info: EnvironmentInfo, request: Request) -> list[Actor] | None:
    """The actors of a part, who know of a shift; None if it has to be learnt first, there."""
    actors, shift = unshifted_actors(part, info, request), info.shift
    # Random actions are random in any world.
    if actors is None or shift is None or (part == "random" and part not in request.policies):
        return actors
    return [compensating(actor, shift) for actor in actors]


def compensating(actor: Actor, shift: Shift) -> Actor:
    return Actor(
        actor.origin, lambda environment: compensate(shift, actor.behaviour_in(environment))
    )


def unshifted_actors(part: str, info: EnvironmentInfo, request: Request) -> list[Actor] | None:
    """The actors of a part as they are where nothing is shifted."""
    named, noise = request.policies.get(part, ()), request.noise.get(part, 0.0)
    if part == HUMAN:
        return [demonstrators(info, named)]
    if named:
        return [named_actor(part, each, info, noise, request.allowed) for each in named]
    if part == "random":
        return [random_actor(info)]
    controller = CONTROLLERS.get(info.task.family, {}).get(part)
    if controller is not None and controller.walker is None:
        return [controller_actor(controller, None, noise)]
    if part == PLAY:  # it is not learnt: a controller has to know the way
        refuse_to_play(info, controller)
    return None


def refuse_to_play(info: EnvironmentInfo, controller: Controller | None) -> None:
    """The error says what is missing."""
    if controller is None:
        raise UsageError(f"{info.name} has no controller; give a policy for {PLAY}")
    find_controller(PLAY, info)


def demonstrators(info: EnvironmentInfo, named: tuple[str, ...]) -> Actor:
    """Demonstrations of people in a file; they are replayed and do not act."""
    if info.task.family not in REPLAYS:
        raise UsageError(f"demonstrations cannot be replayed in {info.name}")
    if len(named) != 1:
        raise UsageError(
            "the level human needs one file of demonstrations: --policy human=PATH.npz"
        )
    path = Path(named[0]).expanduser()
    read_demonstrations(path)

    def refuse(environment: Environment) -> Behaviour:
        raise AssertionError(f"demonstrations are replayed, not acted in {environment}")

    return Actor(f"demonstrations of {describe_file(path)}", refuse)


def describe_file(path: Path) -> str:
    """A file by its name and the beginning of its checksum."""
    return f"{path.name} (sha256 {hash_file(path)[:16]})"


def named_actor(
    level: str, named: str, info: EnvironmentInfo, noise: Noise, allowed: tuple[str, ...]
) -> Actor:
    """The actor that ``controller``, ``PATH.npz`` or ``MODULE:FUNCTION`` names."""
    if named == CONTROLLER:
        return controller_actor(find_controller(level, info), None, noise)
    if named.endswith(".npz"):
        return from_file(level, Path(named).expanduser(), info, noise)
    if ":" in named:
        return from_function(named, info, noise, allowed)
    raise UsageError(
        f"the policy {named!r} of {level} is none of PATH.npz, MODULE:FUNCTION or {CONTROLLER!r}"
    )


def find_controller(level: str, info: EnvironmentInfo) -> Controller:
    known = CONTROLLERS.get(info.task.family, {})
    controller = known.get(level) or known.get("expert")
    if controller is None:
        raise UsageError(f"{info.name} has no controller; give a policy for {level}")
    if controller.walker is not None:
        raise UsageError(
            f"the controller of {info.name} needs a policy that walks: "
            f"give --policy {level}=PATH.npz with {controller.walker[0]} inputs"
        )
    return controller


def controller_actor(controller: Controller, walker: Walker | None, noise: Noise) -> Actor:
    if noise == "own" and walker is None:
        raise UsageError("a controller has no noise of its own; give a number as its noise")
    added = 0.0 if noise == "own" else noise
    return Actor(
        f"{controller.origin}, noise {noise}",
        lambda environment: with_noise(controller.behaviour(environment, walker), added),
    )


def from_file(level: str, path: Path, info: EnvironmentInfo, noise: Noise) -> Actor:
    """The policy in a file of the plain weight format, or the walker of a controller."""
    weights = read_weights(path)
    if noise == "own" and not weights.has_noise:
        raise UsageError(f"{path} has no noise of its own; give a number as its noise")
    name = describe_file(path)
    controller = CONTROLLERS.get(info.task.family, {}).get(level)
    if controller is not None and controller.walker == (weights.inputs, weights.outputs):
        actor = controller_actor(controller, partial(walker_action, weights, noise), noise)
        return Actor(f"{name}, {actor.origin}", actor.behaviour_in)
    check_widths(str(path), weights, info)
    behaviour = network_behaviour(weights, info, noise)
    return Actor(f"{name}, noise {noise}", lambda _: behaviour)


def walker_action(
    weights: Weights, noise: Noise, observation: NDArray[np.floating], rng: np.random.Generator
) -> NDArray[np.floating]:
    return weights.sample(observation, 1.0, rng) if noise == "own" else weights.act(observation)


def check_widths(name: str, weights: Weights, info: EnvironmentInfo) -> None:
    has, needs = (weights.inputs, weights.outputs), (info.observations, info.actions)
    if has != needs:
        raise UsageError(
            f"{name} takes {has[0]} observations and gives {has[1]} actions, where {info.name} "
            f"has {needs[0]} and {needs[1]}; choose the environment that it was trained in"
        )


def network_behaviour(weights: Weights, info: EnvironmentInfo, noise: Noise) -> Behaviour:
    """Episodes of a network, which gets the time that remains if it has that input."""
    if weights.time_feature and info.horizon is None:
        raise UsageError(f"a policy asks for the time that remains, and {info.name} has no limit")
    horizon = info.horizon or 1

    def begin(episode: int, rng: np.random.Generator) -> Policy:
        del episode
        step = 0

        def act(observation: NDArray[np.float32]) -> NDArray[np.floating]:
            nonlocal step
            remaining = 1.0 - step / horizon
            step += 1
            if noise == "own":
                chosen = weights.sample(observation, remaining, rng)
            else:
                chosen = weights.act(observation, remaining)
            return add_noise(chosen if weights.is_unit else info.to_unit(chosen), noise, rng)

        return act

    return begin


def add_noise(
    action: NDArray[np.floating], noise: Noise, rng: np.random.Generator
) -> NDArray[np.floating]:
    """The action with noise, inside the box."""
    if noise != "own" and noise > 0.0:
        action = action + rng.normal(scale=noise, size=action.shape)
    return np.clip(action, -1.0, 1.0)


def with_noise(behaviour: Behaviour, noise: Noise) -> Behaviour:
    """The same, disturbed at every step."""

    def begin(episode: int, rng: np.random.Generator) -> Policy:
        policy = behaviour(episode, rng)
        return lambda observation: add_noise(policy(observation), noise, rng)

    return begin


def from_function(
    name: str, info: EnvironmentInfo, noise: Noise, allowed: tuple[str, ...]
) -> Actor:
    """A function from an observation to an action in the environment's units."""
    module, _, function = name.partition(":")
    if module not in allowed:
        raise UsageError(
            f"the policy {name} would import the module {module!r}, which runs its code; "
            f"if you trust it, add --allow-import {module}"
        )
    if noise == "own":
        raise UsageError(f"{name} has its noise inside; give a number to add more")
    import_allowed(module, allowed)
    call = getattr(sys.modules[module], function, None)
    if not callable(call):
        raise UsageError(f"the module {module!r} has no function {function!r}")
    policy = partial(call_function, call, name, info)
    file = getattr(sys.modules[module], "__file__", None)
    code = "" if file is None else f" of {describe_file(Path(file))}"
    return Actor(f"{name}{code}, noise {noise}", lambda _: with_noise(lambda *_: policy, noise))


def call_function(
    call: Callable[[Any], Any], name: str, info: EnvironmentInfo, observation: NDArray[np.float32]
) -> NDArray[np.floating]:
    """What the user's function returns, if that is an action."""
    try:
        action = np.asarray(call(observation), np.float64)
    except Exception as error:
        raise UsageError(f"{name} raised {type(error).__name__}: {error}") from error
    if action.shape != (info.actions,) or not np.isfinite(action).all():
        raise UsageError(
            f"{name} gave an action of shape {action.shape}, {str(action)[:60]}; {info.name} "
            f"takes {info.actions} finite numbers"
        )
    return info.to_unit(action)
