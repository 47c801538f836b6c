"""Rolling out a saved policy: the episodes that ``road eval`` judges, one at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.errors import UsageError
from road.records.folder import CONFIG, read_run_file
from road.rng import NumpyStream, Stream
from road.tasks.custom import vector_environment
from road.tasks.environments import make_registered
from road.tasks.task import Environment
from road.training.config import plan_from_json
from road.training.rollout import checked_observation, checked_reward, guarded

Act = Callable[[NDArray[np.float32]], NDArray[Any]]


@dataclass(frozen=True)
class Played:
    """One episode."""

    episode: int
    raw_return: float
    length: int


def environment_of_run(
    folder: Path, named: str | None, allowed: tuple[str, ...]
) -> Callable[[], Environment]:
    """What makes the environment that a run is judged in, or the one that is named instead.

    Raises:
        UsageError: the run was given its environment as an object, and none is named.
    """
    config = read_run_file(folder, CONFIG)
    if config.get("loop") == "foreign":
        raise UsageError(f"{folder} was saved by a loop of your own, which keeps no agent in it")
    if named is not None:
        horizon = config.get("own", {}).get("horizon")
        return partial(vector_environment, partial(make_registered, named, allowed), named, horizon)
    if "given" in config or "log" in config:
        how = "was given its environment in Python" if "given" in config else "has no environment"
        raise UsageError(
            f"{folder} {how}: name a registered one with --env ID, or use road.load_policy"
        )
    return plan_from_json(config, allowed).task.judged.environment


def play(
    environment: Environment, act: Act, seed: int, episodes: int, look: Callable[[int], None]
) -> Iterator[Played]:
    """Whole episodes; ``look`` is called with the episode's number at each of their moments."""
    seeds = NumpyStream(seed, Stream.EVALUATING)
    shape = environment.observation_space.shape
    for episode in range(episodes):
        start = int(seeds.at(0, episode).integers(2**31))
        observation, _ = guarded("reset", episode, environment.reset, seed=start)
        total, length, over = 0.0, 0, False
        look(episode)
        while not over:
            where = f"episode {episode}, step {length}"
            vector = checked_observation(observation, shape, where)
            action = np.clip(act(vector), -1.0, 1.0).astype(np.float32)
            result = guarded("step", episode, environment.step, action)
            observation, reward, terminated, truncated, _ = result
            total, length = total + checked_reward(reward, where), length + 1
            over = bool(terminated or truncated)
            look(episode)
        yield Played(episode, total, length)
