"""What is done to a reward before it is learnt from."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.errors import DataError

Reward = TypeVar("Reward", float, NDArray[np.float32])


@dataclass(frozen=True)
class Affine:
    """r becomes scale · r + shift, in the dataset and in the environment alike."""

    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, reward: Reward) -> Reward:
        return self.scale * reward + self.shift

    def fit(self, dataset: Dataset) -> "Affine":
        del dataset
        return self


@dataclass(frozen=True)
class ReturnRange:
    """Scales rewards so that the dataset's worst and best episode return lie ``width`` apart."""

    width: float = 1000.0

    def fit(self, dataset: Dataset) -> Affine:
        starts = np.append(0, np.flatnonzero(dataset.episode_ends)[:-1] + 1)
        returns = np.add.reduceat(dataset.reward, starts, dtype=np.float64)
        spread = float(np.ptp(returns))
        if spread == 0.0:
            raise DataError(
                f"dataset: all {len(returns)} episodes return {returns[0]:g}, so rewards cannot be "
                "scaled by their range; give --reward-scale"
            )
        return Affine(scale=self.width / spread)
