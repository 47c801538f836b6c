"""Small environments that tests and the guide's readers might bring, good and bad."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class Cart(gymnasium.Env[Any, Any]):
    """A point on a line that is pushed to the middle; actions in [-2, 2]."""

    def __init__(self) -> None:
        self.observation_space: Any = spaces.Box(-np.inf, np.inf, (2,), np.float64)
        self.action_space: Any = spaces.Box(-2.0, 2.0, (1,), np.float64)
        self.closed = False

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed, options=options)
        self.place, self.speed = self.np_random.uniform(-1.0, 1.0), 0.0
        return self.seen(), {}

    def step(self, action: Any) -> Any:
        self.pushed = float(action[0])
        self.speed = 0.9 * self.speed + 0.1 * self.pushed
        self.place += 0.1 * self.speed
        return self.seen(), -abs(self.place), abs(self.place) > 3.0, False, {}

    def seen(self) -> Any:
        return np.array([self.place, self.speed])

    def close(self) -> None:
        self.closed = True


class DictCart(Cart):
    """The same, telling its numbers by name."""

    def __init__(self) -> None:
        super().__init__()
        line = spaces.Box(-np.inf, np.inf, (1,), np.float64)
        self.observation_space = spaces.Dict({"speed": line, "place": line})

    def seen(self) -> Any:
        return {"speed": np.array([self.speed]), "place": np.array([self.place])}


class DiscreteCart(Cart):
    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Discrete(3)


class UnboundedCart(Cart):
    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Box(-np.inf, np.inf, (1,), np.float32)


class ImageCart(Cart):
    def __init__(self) -> None:
        super().__init__()
        self.observation_space = spaces.Box(0, 255, (8, 8, 3), np.uint8)


class TalkingCart(Cart):
    def __init__(self) -> None:
        super().__init__()
        self.observation_space = spaces.Sequence(spaces.Box(-1.0, 1.0, (1,)))


class BrokenCart(Cart):
    def step(self, action: Any) -> Any:
        del action
        raise OSError("the cable is out")


class UnpaidCart(Cart):
    def step(self, action: Any) -> Any:
        observation, _, *rest = super().step(action)
        return observation, float("nan"), *rest


class LostCart(Cart):
    def seen(self) -> Any:
        return np.array([np.nan, self.speed])
