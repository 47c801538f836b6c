"""The work that both sides of the training comparison are given: the paper's locomotion sizes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

OBSERVATION_DIM = 17
ACTION_DIM = 6
ROWS = 1_000_000
EPISODE = 1_000
BATCH = 256
HIDDEN = (256, 256)
LEARNING_RATE = 3e-4
DISCOUNT = 0.99
EXPECTILE = 0.9
INVERSE_TEMPERATURE = 10.0
TARGET_RATE = 0.005
PROPOSALS = 10
"""Actions that CQL draws per state, from each of its three distributions and for its target."""


class Columns(NamedTuple):
    """Episodes of equal length, one after the other; each ends truly at its last step."""

    observation: NDArray[np.float32]
    action: NDArray[np.float32]
    reward: NDArray[np.float32]
    terminated: NDArray[np.float32]


def random_columns(seed: int) -> Columns:
    rng = np.random.default_rng(seed)
    return Columns(
        observation=rng.standard_normal((ROWS, OBSERVATION_DIM), np.float32),
        action=2.0 * rng.random((ROWS, ACTION_DIM), np.float32) - 1.0,
        reward=rng.standard_normal(ROWS, np.float32),
        terminated=(np.arange(1, ROWS + 1) % EPISODE == 0).astype(np.float32),
    )
