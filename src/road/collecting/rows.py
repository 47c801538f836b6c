"""Episodes written down, row by row, into arrays of the right size."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.collecting.levels import HUMAN, level_seed
from road.collecting.place import Place
from road.collecting.policies import Actor
from road.collecting.wanted import Wanted
from road.data.dataset import ARRAYS, Dataset
from road.tasks.controllers import REPLAYS, read_demonstrations
from road.tasks.record import Behaviour, Step, acting_rng, reset_seed, run_episode
from road.tasks.task import Environment
from road.training.rollout import guarded

Tell: TypeAlias = Callable[[int], None]
"""Told how many rows there are so far."""
EVERY = 500
"""Rows between two words to whoever watches."""


def silent(rows: int) -> None:
    del rows


def roll_out(place: Place, actor: Actor, rows: int, seed: int, tell: Tell = silent) -> Dataset:
    """That many rows of episode after episode; the last is cut where the rows are full.

    Fewer rows of the same seed are the first of more.
    """
    environment = place.environment()
    try:
        steps = episodes(environment, actor.behaviour_in(environment), seed)
        return written_down(itertools.islice(steps, rows), place, rows, tell)
    finally:
        environment.close()


def episodes(environment: Environment, behaviour: Behaviour, seed: int) -> Iterator[Step]:
    for episode in itertools.count():
        policy = behaviour(episode, acting_rng(seed, episode))
        yield from guarded_steps(
            run_episode(environment, policy, reset_seed(seed, episode)), episode
        )


def guarded_steps(steps: Iterator[Step], episode: int = 0) -> Iterator[Step]:
    """The same; what the environment raises becomes one line."""
    while (step := guarded("a step", episode, next, steps, None)) is not None:
        yield step


def written_down(steps: Iterator[Step], place: Place, rows: int, tell: Tell) -> Dataset:
    widths: dict[str, tuple[int, ...]] = {
        "observation": (place.observations,),
        "action": (place.actions,),
        "next_observation": (place.observations,),
    }
    flags = ("terminated", "truncated")
    arrays: dict[str, NDArray[Any]] = {
        name: np.empty((rows, *widths.get(name, ())), np.bool_ if name in flags else np.float32)
        for name in ARRAYS
    }
    filled = 0
    for filled, step in enumerate(steps, start=1):
        for name, value in zip(Step._fields, step, strict=True):
            arrays[name][filled - 1] = value
        if filled % EVERY == 0:
            tell(filled)
    tell(filled)
    arrays = {name: array[:filled] for name, array in arrays.items()}
    # An end is one or the other, and the last row is an end.
    arrays["truncated"] &= ~arrays["terminated"]
    arrays["truncated"][-1] |= ~arrays["terminated"][-1]
    return Dataset(**arrays, notes=())


def demonstrated(path: Path, rows: int | None) -> int:
    """Rows that a file of demonstrations gives, if no more than so many are wanted."""
    there = sum(map(len, read_demonstrations(path)))
    return there if rows is None else min(rows, there)


def replayed(place: Place, path: Path, wanted: Wanted, tell: Tell) -> Dataset:
    """Demonstrations in the environment at hand."""
    rows, seed = demonstrated(path, wanted.rows), level_seed(wanted.seed, HUMAN)
    environment = place.environment()
    try:
        again = REPLAYS[place.task.family](environment, read_demonstrations(path), seed)
        return written_down(itertools.islice(guarded_steps(again), rows), place, rows, tell)
    finally:
        environment.close()


def joined(*pieces: Dataset) -> Dataset:
    """One after the other."""
    arrays = [piece.arrays() for piece in pieces]
    return Dataset(
        **{name: np.concatenate([each[name] for each in arrays]) for name in ARRAYS}, notes=()
    )


def head(dataset: Dataset, rows: int) -> Dataset:
    """The first rows, the last of them an end."""
    arrays = {name: array[:rows].copy() for name, array in dataset.arrays().items()}
    arrays["truncated"][-1] |= ~arrays["terminated"][-1]
    return Dataset(**arrays, notes=())


def episode_returns(dataset: Dataset) -> NDArray[np.float64]:
    stops = np.flatnonzero(dataset.episode_ends) + 1
    starts = np.concatenate([[0], stops[:-1]])
    return np.add.reduceat(dataset.reward.astype(np.float64), starts)


def whole_returns(dataset: Dataset, horizon: int | None) -> NDArray[np.float64]:
    """Of every episode but a last one that was cut before its time."""
    returns = episode_returns(dataset)
    before = np.flatnonzero(dataset.episode_ends[:-1])
    length = len(dataset) - (before[-1] + 1 if before.size else 0)
    return returns if dataset.terminated[-1] or length == horizon else returns[:-1]


def mean_return(place: Place, actor: Actor, count: int, seed: int) -> float:
    """Mean return of some whole episodes."""
    environment = place.environment()
    total = 0.0
    try:
        behaviour = actor.behaviour_in(environment)
        for episode in range(count):
            policy = behaviour(episode, acting_rng(seed, episode))
            steps = run_episode(environment, policy, reset_seed(seed, episode))
            total += sum(float(step.reward) for step in guarded_steps(steps, episode))
    finally:
        environment.close()
    return total / count
