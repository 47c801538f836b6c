"""The paper's example: a chain from S to T in steps of 1 or 2, and 120 ways to read its text.

The paper gives: Q-learning, learning rate 1e-3, discount 0.9, 1000 offline and 1000 online steps,
ratios 0.1 and 0.5, lower-quality data of a sub-optimal policy and higher-quality data with an equal
blend of it and the optimal one. ``Reading`` holds what it leaves open.
"""

from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from jaxtyping import Float

from road.theory.mdp import MDP, StateAction

Reward = Literal["goal", "step"]
Initial = Literal["zero", "normal", "pessimistic"]
Suboptimal = Literal["ones", "noisy"]
DataQuality = Literal["low", "high"]

DISCOUNT = 0.9
LEARNING_RATE = 1e-3
PHASE = 1000
"""Steps of the offline phase, and of the online phase."""
RATIOS = (0.1, 0.5)
DATA: tuple[DataQuality, DataQuality] = ("low", "high")


@dataclass(frozen=True)
class Reading:
    """What the paper does not say about its example."""

    length: int = 10
    """Places before T."""
    reward: Reward = "goal"
    """'goal': 1 on reaching T. 'step': -1 for every step."""
    initial: Initial = "zero"
    """Q at the very start: 0, drawn with standard deviation 0.01, or -10."""
    epsilon: float = 0.3
    """Chance of a random action while exploring."""
    samples: int = 1
    """Rows in each update; each moves its entry of the table."""
    suboptimal: Suboptimal = "ones"
    """The lesser policy: always a step of 1, or of 2 in a fifth of the cases."""


DEMO = Reading()
"""The most defensible reading: the plainest choice everywhere."""


def all_readings() -> list[Reading]:
    """120 of them; small random values make no sense beside rewards of -1 per step."""
    starts: list[tuple[Reward, Initial]] = [
        ("goal", "zero"), ("goal", "normal"), ("goal", "pessimistic"),
        ("step", "zero"), ("step", "pessimistic"),
    ]  # fmt: skip
    noise: tuple[Suboptimal, ...] = ("ones", "noisy")
    return [
        Reading(length, reward, initial, epsilon, samples, suboptimal)
        for (reward, initial), samples, length, epsilon, suboptimal in product(
            starts, (1, 32), (5, 10, 20), (0.1, 0.3), noise
        )
    ]


def chain_mdp(reading: Reading) -> MDP:
    """The chain as tensors; T is the last state, which leads to itself and pays nothing."""
    size = reading.length + 1
    transition = np.zeros((size, 2, size))
    reward = np.zeros((size, 2))
    for place, action in product(range(reading.length), (0, 1)):
        after = min(place + action + 1, reading.length)
        transition[place, action, after] = 1.0
        reward[place, action] = pay(reading, after)
    transition[-1, :, -1] = 1.0
    return MDP(transition, reward, np.eye(size)[0], DISCOUNT)


def pay(reading: Reading, after: int) -> float:
    if reading.reward == "step":
        return -1.0
    return 1.0 if after == reading.length else 0.0


def visits(reading: Reading, quality: DataQuality) -> StateAction:
    """How often an episode of the data visits each pair; T is left out."""
    slow = episode_visits(reading.length, 0.2 if reading.suboptimal == "noisy" else 0.0)
    return slow if quality == "low" else 0.5 * slow + 0.5 * episode_visits(reading.length, 1.0)


def episode_visits(length: int, chance_of_two: float) -> Float[np.ndarray, "state action"]:
    here = np.zeros(length + 2)
    here[0] = 1.0
    for place in range(length):
        here[place + 1] += here[place] * (1.0 - chance_of_two)
        here[min(place + 2, length)] += here[place] * chance_of_two
    return here[:length, None] * np.array([1.0 - chance_of_two, chance_of_two])
