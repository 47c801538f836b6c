"""Who acts in a log: chance, a controller, or a policy; each with its noise."""

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.collecting.levels import HUMAN, PLAY
from road.collecting.place import Place
from road.collecting.wanted import Noise, Wanted
from road.collecting.weights import Weights, read_weights
from road.errors import UsageError
from road.tasks.controllers import (
    CONTROLLERS,
    REPLAYS,
    Controller,
    Walker,
    read_demonstrations,
)  # fmt: skip
from road.tasks.own import import_allowed
from road.tasks.record import Behaviour, Policy
from road.tasks.task import Environment

CONTROLLER = "controller"
"""Asks for the controller of the task."""


@dataclass(frozen=True)
class Actor:
    """Whose episodes a log holds."""

    origin: str
    """In words, for whoever reads the log's description."""
    behaviour_in: Callable[[Environment], Behaviour]


def chance(place: Place) -> Actor:
    """Uniform actions, drawn anew at every step."""

    def begin(episode: int, rng: np.random.Generator) -> Policy:
        del episode
        return lambda _: rng.uniform(-1.0, 1.0, place.actions)

    return Actor("uniform random actions", lambda _: begin)


def find_actors(part: str, place: Place, wanted: Wanted) -> list[Actor] | None:
    """Who acts; None if somebody has to learn it first."""
    named, noise = wanted.policies.get(part, ()), wanted.noise.get(part, 0.0)
    if part == HUMAN:
        return [demonstrators(place, named)]
    if named:
        return [named_actor(part, each, place, noise, wanted.allowed) for each in named]
    if part == "random":
        return [chance(place)]
    controller = CONTROLLERS.get(place.task.family, {}).get(part)
    if controller is not None and controller.walker is None:
        return [controlled(controller, None, noise)]
    if part == PLAY:  # nobody learns to play: somebody has to know the way
        refuse_to_play(place, controller)
    return None


def refuse_to_play(place: Place, controller: Controller | None) -> None:
    """Say what is missing."""
    if controller is None:
        raise UsageError(f"{place.name} has no controller; give a policy for {PLAY}")
    find_controller(PLAY, place)


def demonstrators(place: Place, named: tuple[str, ...]) -> Actor:
    """People, whose demonstrations stand in a file; they do not act by themselves."""
    if place.task.family not in REPLAYS:
        raise UsageError(f"demonstrations cannot be replayed in {place.name}")
    if len(named) != 1:
        raise UsageError(
            "the level human needs one file of demonstrations: --policy human=PATH.npz"
        )
    path = Path(named[0]).expanduser()
    read_demonstrations(path)

    def nobody(environment: Environment) -> Behaviour:
        raise AssertionError(f"demonstrations are replayed, not acted in {environment}")

    return Actor(f"demonstrations of {name_of(path)}", nobody)


def name_of(path: Path) -> str:
    """A file by its name and the beginning of its checksum."""
    return f"{path.name} (sha256 {hashlib.sha256(path.read_bytes()).hexdigest()[:16]})"


def named_actor(
    level: str, named: str, place: Place, noise: Noise, allowed: tuple[str, ...]
) -> Actor:
    """Who acts by ``controller``, ``PATH.npz`` or ``MODULE:FUNCTION``."""
    if named == CONTROLLER:
        return controlled(find_controller(level, place), None, noise)
    if named.endswith(".npz"):
        return from_file(level, Path(named).expanduser(), place, noise)
    if ":" in named:
        return from_function(named, place, noise, allowed)
    raise UsageError(
        f"the policy {named!r} of {level} is none of PATH.npz, MODULE:FUNCTION or {CONTROLLER!r}"
    )


def find_controller(level: str, place: Place) -> Controller:
    known = CONTROLLERS.get(place.task.family, {})
    controller = known.get(level) or known.get("expert")
    if controller is None:
        raise UsageError(f"{place.name} has no controller; give a policy for {level}")
    if controller.walker is not None:
        raise UsageError(
            f"the controller of {place.name} needs a policy that walks: "
            f"give --policy {level}=PATH.npz with {controller.walker[0]} inputs"
        )
    return controller


def controlled(controller: Controller, walker: Walker | None, noise: Noise) -> Actor:
    if noise == "own" and walker is None:
        raise UsageError("a controller has no noise of its own; give a number as its noise")
    added = 0.0 if noise == "own" else noise
    return Actor(
        f"{controller.origin}, noise {noise}",
        lambda environment: with_noise(controller.behaviour(environment, walker), added),
    )


def from_file(level: str, path: Path, place: Place, noise: Noise) -> Actor:
    """The policy in a file of the plain weight format, or the walker of a controller."""
    weights = read_weights(path)
    if noise == "own" and not weights.has_noise:
        raise UsageError(f"{path} has no noise of its own; give a number as its noise")
    name = name_of(path)
    controller = CONTROLLERS.get(place.task.family, {}).get(level)
    if controller is not None and controller.walker == (weights.inputs, weights.outputs):
        actor = controlled(controller, partial(walked, weights, noise), noise)
        return Actor(f"{name}, {actor.origin}", actor.behaviour_in)
    check_widths(str(path), weights, place)
    behaviour = acting(weights, place, noise)
    return Actor(f"{name}, noise {noise}", lambda _: behaviour)


def walked(
    weights: Weights, noise: Noise, observation: NDArray[np.floating], rng: np.random.Generator
) -> NDArray[np.floating]:
    return weights.sample(observation, 1.0, rng) if noise == "own" else weights.act(observation)


def check_widths(name: str, weights: Weights, place: Place) -> None:
    has, wanted = (weights.inputs, weights.outputs), (place.observations, place.actions)
    if has != wanted:
        raise UsageError(
            f"{name} takes {has[0]} observations and gives {has[1]} actions, where {place.name} "
            f"has {wanted[0]} and {wanted[1]}; choose the environment that it was trained in"
        )


def acting(weights: Weights, place: Place, noise: Noise) -> Behaviour:
    """Episodes of a network, which is told how much time remains if it asks."""
    if weights.time_feature and place.horizon is None:
        raise UsageError(f"a policy asks for the time that remains, and {place.name} has no limit")
    horizon = place.horizon or 1

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
            return disturbed(chosen if weights.is_unit else place.to_unit(chosen), noise, rng)

        return act

    return begin


def disturbed(
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
        return lambda observation: disturbed(policy(observation), noise, rng)

    return begin


def from_function(name: str, place: Place, noise: Noise, allowed: tuple[str, ...]) -> Actor:
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
    policy = partial(called, call, name, place)
    file = getattr(sys.modules[module], "__file__", None)
    code = "" if file is None else f" of {name_of(Path(file))}"
    return Actor(f"{name}{code}, noise {noise}", lambda _: with_noise(lambda *_: policy, noise))


def called(
    call: Callable[[Any], Any], name: str, place: Place, observation: NDArray[np.float32]
) -> NDArray[np.floating]:
    """What the user's function answers, if that is an action."""
    try:
        action = np.asarray(call(observation), np.float64)
    except Exception as error:
        raise UsageError(f"{name} raised {type(error).__name__}: {error}") from error
    if action.shape != (place.actions,) or not np.isfinite(action).all():
        raise UsageError(
            f"{name} gave an action of shape {action.shape}, {str(action)[:60]}; {place.name} "
            f"takes {place.actions} finite numbers"
        )
    return place.to_unit(action)
