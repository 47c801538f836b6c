"""Episodes written down, row by row, into arrays of the right size."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.collecting.environment import EnvironmentInfo
from road.collecting.policies import Actor
from road.collecting.request import HUMAN, Request, level_seed
from road.data.dataset import ARRAYS, FLAGS, Dataset
from road.tasks.controllers import REPLAYS, read_demonstrations
from road.tasks.record import Step, run_episode
from road.training.rollout import guarded

ReportRows: TypeAlias = Callable[[int], None]
"""Called with the number of rows so far."""
EVERY = 500
"""Rows between two reports."""


def roll_out(
    info: EnvironmentInfo, actor: Actor, rows: int, seed: int, report: ReportRows
) -> Dataset:
    """That many rows of episode after episode; the last is cut where the rows are full.

    Fewer rows of the same seed are the first of more.
    """
    with closing(info.environment()) as environment:
        behaviour = actor.behaviour_in(environment)
        episodes = (
            guarded_steps(run_episode(environment, behaviour, seed, index), index)
            for index in itertools.count()
        )
        return collect_rows(itertools.chain.from_iterable(episodes), info, rows, report)


def guarded_steps(steps: Iterator[Step], episode: int = 0) -> Iterator[Step]:
    """The same; what the environment raises becomes one line."""
    while (step := guarded("a step", episode, next, steps, None)) is not None:
        yield step


def collect_rows(
    steps: Iterator[Step], info: EnvironmentInfo, rows: int, report: ReportRows
) -> Dataset:
    """The first of the steps, as many as rows are asked for, or all if there are fewer."""
    widths: dict[str, tuple[int, ...]] = {
        "observation": (info.observations,),
        "action": (info.actions,),
        "next_observation": (info.observations,),
    }
    arrays: dict[str, NDArray[Any]] = {
        name: np.empty((rows, *widths.get(name, ())), np.bool_ if name in FLAGS else np.float32)
        for name in ARRAYS
    }
    filled = 0
    for filled, step in enumerate(itertools.islice(steps, rows), start=1):
        for name, value in zip(Step._fields, step, strict=True):
            arrays[name][filled - 1] = value
        if filled % EVERY == 0:
            report(filled)
    report(filled)
    arrays = {name: array[:filled] for name, array in arrays.items()}
    # An end is one or the other, and the last row is an end.
    arrays["truncated"] &= ~arrays["terminated"]
    arrays["truncated"][-1] |= ~arrays["terminated"][-1]
    return Dataset(**arrays, notes=())


def count_demonstrations(path: Path, rows: int | None) -> int:
    """Rows that a file of demonstrations gives, if no more than so many are asked for."""
    there = sum(map(len, read_demonstrations(path)))
    return there if rows is None else min(rows, there)


def replay_demonstrations(
    info: EnvironmentInfo, path: Path, request: Request, report: ReportRows
) -> Dataset:
    """Demonstrations in the environment at hand."""
    rows, seed = count_demonstrations(path, request.rows), level_seed(request.seed, HUMAN)
    with closing(info.environment()) as environment:
        again = REPLAYS[info.task.family](environment, read_demonstrations(path), seed)
        return collect_rows(guarded_steps(again), info, rows, report)


def concatenate(*pieces: Dataset) -> Dataset:
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


def whole_returns(dataset: Dataset, horizon: int | None) -> NDArray[np.float64]:
    """Of every episode but a last one that was cut before its time."""
    returns = dataset.episode_returns
    before = np.flatnonzero(dataset.episode_ends[:-1])
    length = len(dataset) - (before[-1] + 1 if before.size else 0)
    return returns if dataset.terminated[-1] or length == horizon else returns[:-1]


def mean_return(info: EnvironmentInfo, actor: Actor, count: int, seed: int) -> float:
    """Mean return of some whole episodes."""
    total = 0.0
    with closing(info.environment()) as environment:
        behaviour = actor.behaviour_in(environment)
        for episode in range(count):
            steps = run_episode(environment, behaviour, seed, episode)
            total += sum(float(step.reward) for step in guarded_steps(steps, episode))
    return total / count
