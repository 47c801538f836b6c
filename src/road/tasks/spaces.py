"""What a policy has to know of its task's environment, as plain data.

Observations and actions are described as they are outside of the wrappers that the agents need: a
dict is still a dict, nothing is standardised, and actions have the environment's own units.
"""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import RescaleAction, TransformObservation

from road.tasks.wrappers import FlatObservations, Standardiser, UnitActions


def describe_spaces(environment: gymnasium.Env[Any, Any]) -> dict[str, Any]:
    """The observation, the normaliser (None for none) and the action."""
    layers = list(wrappers(environment))
    scale = next((each for each in map(standardiser, layers) if each is not None), None)
    flat = next((each for each in layers if isinstance(each, FlatObservations)), None)
    unit = next((each for each in layers if isinstance(each, UnitActions | RescaleAction)), None)
    seen = environment if flat is None else flat.env
    box: Any = environment.action_space if unit is None else unit.env.action_space
    return {
        "observation": describe_space(seen.observation_space),
        "normaliser": None if scale is None else describe_scale(scale),
        "action": {
            "low": np.asarray(box.low, np.float64).tolist(),
            "high": np.asarray(box.high, np.float64).tolist(),
            "dtype": str(box.dtype),
        },
    }


def wrappers(environment: gymnasium.Env[Any, Any]) -> Iterator[gymnasium.Env[Any, Any]]:
    """From the outermost one to the environment itself."""
    while True:
        yield environment
        if not isinstance(environment, gymnasium.Wrapper):
            return
        environment = environment.env


def standardiser(environment: gymnasium.Env[Any, Any]) -> Standardiser | None:
    if not isinstance(environment, TransformObservation):
        return None
    return environment.func if isinstance(environment.func, Standardiser) else None


def describe_scale(scale: Standardiser) -> dict[str, list[float]]:
    return {"mean": scale.mean.tolist(), "spread": scale.spread.tolist()}


def describe_space(space: spaces.Space[Any]) -> dict[str, Any]:
    """The parts that ``gymnasium.spaces.flatten`` lays side by side, in its order."""
    match space:
        case spaces.Dict():
            parts = [[name, describe_space(part)] for name, part in space.spaces.items()]
            return {"kind": "dict", "parts": parts}
        case spaces.Tuple():
            parts = [[index, describe_space(part)] for index, part in enumerate(space.spaces)]
            return {"kind": "tuple", "parts": parts}
        case spaces.Discrete():
            return discrete([int(space.n)], [int(space.start)], [])
        case spaces.MultiDiscrete():
            counts, starts = space.nvec.reshape(-1).tolist(), space.start.reshape(-1).tolist()
            return discrete(counts, starts, list(space.nvec.shape))
        case spaces.Box() | spaces.MultiBinary():
            return {"kind": "box", "shape": list(space.shape)}
        case _:  # a rare one: the policy takes its vector
            return {"kind": "box", "shape": [spaces.flatdim(space)]}


def discrete(counts: list[int], starts: list[int], shape: list[int]) -> dict[str, Any]:
    return {"kind": "discrete", "counts": counts, "starts": starts, "shape": shape}
