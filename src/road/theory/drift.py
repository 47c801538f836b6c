"""Arms whose means move, and the regret against an oracle that always knows the best one."""

import numpy as np
from jaxtyping import Float

from road.theory.bandits import Bandit

Means = Float[np.ndarray, "time arm"]
"""The mean reward of every arm at every time."""

LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


def abrupt(horizon: int, breaks: int, rng: np.random.Generator) -> Means:
    """The same five means, dealt anew to the arms at each break; the best arm always changes."""
    means = np.empty((horizon, len(LEVELS)))
    best = -1
    for piece in np.array_split(np.arange(horizon), breaks + 1):
        order = rng.permutation(len(LEVELS))
        while order.argmax() == best:
            order = rng.permutation(len(LEVELS))
        best = int(order.argmax())
        means[piece] = np.array(LEVELS)[order]
    return means


def slow(horizon: int, turns: float, rng: np.random.Generator) -> Means:
    """Every arm's mean is a sine; they follow one another."""
    angle = 2.0 * np.pi * (turns * np.arange(horizon)[:, None] / horizon + rng.random())
    arms = len(LEVELS)
    return 0.5 + 0.4 * np.sin(angle + 2.0 * np.pi * np.arange(arms) / arms)


def coin_rewards(means: Means, rng: np.random.Generator) -> Means:
    """A reward of 0 or 1 for every arm at every time."""
    return (rng.random(means.shape) < means).astype(np.float64)


def play(bandit: Bandit, rewards: Means) -> list[int]:
    """The arms that the bandit chooses."""
    pulls, chosen = bandit.init(), []
    for row in rewards.tolist():
        arm = bandit.choose(pulls)
        pulls = bandit.record(pulls, arm, row[arm])
        chosen.append(arm)
    return chosen


def dynamic_regret(means: Means, chosen: list[int]) -> Float[np.ndarray, " time"]:
    """What the oracle has gained more, summed up to each time, in expectation."""
    got = means[np.arange(len(means)), chosen]
    return np.cumsum(means.max(1) - got)


def best_single_arm(means: Means) -> list[int]:
    """The arm that is best over the whole time, pulled for ever."""
    return [int(means.sum(0).argmax())] * len(means)


def growth(horizons: Float[np.ndarray, " size"], regret: Float[np.ndarray, " size"]) -> float:
    """The exponent of regret ~ T^exponent: the slope of a line through the logarithms."""
    return float(np.polyfit(np.log(horizons), np.log(regret), 1)[0])
