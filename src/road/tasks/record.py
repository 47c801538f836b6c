"""Runs a scripted behaviour in an environment and writes down the rows.

Every random number comes from (seed, episode), so an episode can be made again without those
before it and a dataset has the same bytes wherever the same simulator runs.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.tasks.task import Environment

Policy: TypeAlias = Callable[[NDArray[np.float32]], NDArray[np.floating]]
"""From an observation to an action in [-1, 1]."""

Behaviour: TypeAlias = Callable[[int, np.random.Generator], Policy]
"""Begins an episode: from its index and its own random numbers to the policy that it follows."""

RECORDING = 0xDA7A
"""Sets these random numbers apart from those of a training run with the same seed."""
RESETTING, ACTING = 0, 1


class Step(NamedTuple):
    """One row; the fields are those of ``Dataset``."""

    observation: NDArray[np.float32]
    action: NDArray[np.float32]
    reward: np.float32
    next_observation: NDArray[np.float32]
    terminated: bool
    truncated: bool


def record(environment: Environment, behaviour: Behaviour, rows: int, seed: int) -> Dataset:
    """Episode after episode; the last is cut where the rows are full."""
    episodes = (run_episode(environment, behaviour, seed, index) for index in itertools.count())
    steps = itertools.islice(itertools.chain.from_iterable(episodes), rows)
    columns = [np.array(column) for column in zip(*steps, strict=True)]
    arrays = dict(zip(Step._fields, columns, strict=True))
    arrays["truncated"][-1] |= ~arrays["terminated"][-1]
    return Dataset(**arrays, notes=())


def run_episode(
    environment: Environment, behaviour: Behaviour, seed: int, episode: int
) -> Iterator[Step]:
    policy = behaviour(episode, acting_rng(seed, episode))
    observation, _ = environment.reset(seed=reset_seed(seed, episode))
    ended = False
    while not ended:
        # Rounded before it acts, so that the stored action is the one that was applied.
        action = policy(observation).astype(np.float32)
        following, reward, terminated, truncated, _ = environment.step(action)
        yield Step(observation, action, np.float32(reward), following, terminated, truncated)
        observation, ended = following, terminated or truncated


def reset_seed(seed: int, episode: int) -> int:
    entropy = np.random.SeedSequence([seed, RECORDING, episode, RESETTING])
    return int(entropy.generate_state(1)[0])


def acting_rng(seed: int, episode: int) -> np.random.Generator:
    return np.random.default_rng([seed, RECORDING, episode, ACTING])


def random_walk(dimension: int, persistence: float, rng: np.random.Generator) -> Policy:
    """Uniform actions, each kept for another step with probability ``persistence``.

    Keeping an action for a while carries a body much further than fresh noise at every step, and
    every action stays equally likely in every row.
    """
    held = rng.uniform(-1.0, 1.0, dimension)

    def act(observation: NDArray[np.float32]) -> NDArray[np.floating]:
        nonlocal held
        del observation
        if rng.random() >= persistence:
            held = rng.uniform(-1.0, 1.0, dimension)
        return held

    return act
