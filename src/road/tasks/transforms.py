"""What is done to a reward before it is learnt from."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Reward = TypeVar("Reward", float, NDArray[np.float32])


@dataclass(frozen=True)
class Affine:
    """r becomes scale · r + shift, in the dataset and in the environment alike."""

    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, reward: Reward) -> Reward:
        return self.scale * reward + self.shift
