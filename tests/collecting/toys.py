"""A small environment that is learnt in seconds, and policies for it."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

NAME = "tests.collecting.toys:Reach-v0"
ALLOW = ("--allow-import", "tests.collecting.toys")
BEST = 1.5
"""The action that pays most, in a box from -2 to 2."""


class Reach(gymnasium.Env[Any, Any]):
    """Ten steps; each pays 1 less the distance of the action from the best one."""

    observation_space = Box(-np.inf, np.inf, (2,), np.float32)
    action_space = Box(-2.0, 2.0, (1,), np.float32)

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=options.get("seed"))
        self._state = self.np_random.normal(size=2).astype(np.float32)
        return self._state, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._state = (self._state + self.np_random.normal(size=2)).astype(np.float32)
        return self._state, 1.0 - abs(float(action[0]) - BEST), False, False, {}


class Buttons(Reach):
    action_space = Discrete(3)


class Breaks(Reach):
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        result = super().step(action)
        if self._state[0] > 3.0:
            raise RuntimeError("the motor is hot")
        return result


gymnasium.register("Breaks-v0", Breaks, max_episode_steps=10)
gymnasium.register("Reach-v0", "tests.collecting.toys:Reach", max_episode_steps=10)
gymnasium.register("Buttons-v0", Buttons, max_episode_steps=10)


def best(observation: Any) -> Any:
    assert observation.shape == (2,)
    return np.array([BEST])


def nothing(observation: Any) -> Any:
    del observation
    return np.array([0.0])


def three_numbers(observation: Any) -> Any:
    del observation
    return np.zeros(3)


def write_policy(path: Path, **changes: Any) -> Path:
    """Two inputs, one output: y = tanh(1 x0 + 2 x1 + 0.5)."""
    arrays = {
        "w0": np.array([[1.0, 2.0]], np.float32),
        "b0": np.array([0.5], np.float32),
        "act": np.array("relu"),
        "out": np.array("tanh"),
        **changes,
    }
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path
