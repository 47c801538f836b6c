"""A pendulum with too little torque to be lifted at once, and data of two kinds about it.

Needs no more than gymnasium itself.
"""

import math
from contextlib import closing
from dataclasses import replace

import gymnasium
import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.tasks.environments import make_quietly
from road.tasks.record import Behaviour, Policy, random_walk, record
from road.tasks.task import Environment

ENVIRONMENT_ID = "Pendulum-v1"

UPRIGHT_ENERGY = 15.0
"""Of rest at the top, in units where the speed counts as half its square: 3 g / (2 l) = 15."""
CATCH_COSINE = 0.9
"""Within 26 degrees of the top the torque suffices to hold the pendulum."""
STIFFNESS, DAMPING = 5.0, 1.0
"""Of the catch, in actions per radian and per radian a second: half of the torque's."""
PUMPING = 0.5
"""Action per unit of missing energy and of speed: nearly always the full torque."""

PERSISTENCE = 0.9
"""Ten steps to an action on average: half a second, a third of a small swing."""
NOISE = 0.3
"""Standard deviation of what is added to the controller's action in the data."""
SCRIPTED, EPISODES = 3, 10
"""Of every ten episodes three follow the controller."""


def make_environment() -> Environment:
    environment = make_quietly(ENVIRONMENT_ID)
    return gymnasium.wrappers.RescaleAction(environment, np.float32(-1.0), np.float32(1.0))


def mixed(rows: int, seed: int) -> Dataset:
    """Three tenths a noisy controller that swings the pendulum up, the rest a random walk."""
    return gather(alternate, rows, seed)


def flipped(rows: int, seed: int) -> Dataset:
    """A random walk that claims the opposite of every action it took."""
    walked = gather(walk, rows, seed)
    return replace(walked, action=-walked.action)


def gather(behaviour: Behaviour, rows: int, seed: int) -> Dataset:
    with closing(make_environment()) as environment:
        return record(environment, behaviour, rows, seed)


def alternate(episode: int, rng: np.random.Generator) -> Policy:
    begin = swing if episode % EPISODES < SCRIPTED else walk
    return begin(episode, rng)


def walk(episode: int, rng: np.random.Generator) -> Policy:
    del episode
    return random_walk(1, PERSISTENCE, rng)


def swing(episode: int, rng: np.random.Generator) -> Policy:
    del episode
    return lambda observation: np.clip(
        swing_up(observation) + rng.normal(scale=NOISE, size=1), -1.0, 1.0
    )


def swing_up(observation: NDArray[np.float32]) -> NDArray[np.floating]:
    """Pumps energy until it suffices for the top, then holds the pendulum there."""
    cosine, sine, speed = (float(number) for number in observation)
    if cosine > CATCH_COSINE:
        push = -STIFFNESS * math.atan2(sine, cosine) - DAMPING * speed
    else:
        missing = UPRIGHT_ENERGY * (1.0 - cosine) - 0.5 * speed**2
        push = PUMPING * missing * speed
    return np.clip([push], -1.0, 1.0)
