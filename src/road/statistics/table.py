"""Scores of many runs in one array, and which of them are missing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Scores and what is computed of them."""
Run: TypeAlias = tuple[str, str, int, float]
"""Task, method, seed, score."""
Axis: TypeAlias = Literal["tasks", "methods", "seeds"]
AXES: tuple[Axis, ...] = get_args(Axis)

MOST_NAMED = 5
"""Missing runs that a message names one by one."""


@dataclass(frozen=True)
class Cells:
    """Mean and spread over seeds of each task and method, as a results table prints them."""

    mean: Floats
    """NaN where there is no run."""
    deviation: Floats
    """Sample standard deviation, sqrt(1/(n-1) sum (x - mean)²); NaN where there is one run."""
    count: NDArray[np.intp]
    """How many runs the two are of."""


def cells_of(scores: Floats) -> Cells:
    """Mean ± standard deviation over the seeds that are there, and how many those are.

    The divisor is n - 1. The paper does not name its own; three cells of its IQL table are possible
    with n - 1 and with no whole scores by n (``docs/statistics.md``).
    """
    known = np.isfinite(scores)
    count = known.sum(axis=-1)
    total = np.where(known, scores, 0.0).sum(axis=-1)
    mean = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    square = np.where(known, (scores - mean[..., None]) ** 2, 0.0).sum(axis=-1)
    variance = np.where(count > 1, square / np.maximum(count - 1, 1), np.nan)
    return Cells(mean, np.sqrt(variance), count)


@dataclass(frozen=True)
class ScoreTable:
    """``scores[task, method, seed]`` with its names; NaN where there is no run."""

    tasks: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    scores: Floats

    def __post_init__(self) -> None:
        expected = (len(self.tasks), len(self.methods), len(self.seeds))
        if self.scores.shape != expected:
            raise ValueError(f"names ask for scores of shape {expected}, got {self.scores.shape}")

    @classmethod
    def of(cls, runs: Iterable[Run]) -> "ScoreTable":
        """From one row per run; tasks and methods in the order in which they appear first.

        Raises:
            ValueError: a run appears twice, or has a score that is not a number.
        """
        rows = list(runs)
        tasks = tuple(dict.fromkeys(task for task, _, _, _ in rows))
        methods = tuple(dict.fromkeys(method for _, method, _, _ in rows))
        seeds = tuple(sorted({seed for _, _, seed, _ in rows}))
        scores = np.full((len(tasks), len(methods), len(seeds)), np.nan)
        for task, method, seed, score in rows:
            at = tasks.index(task), methods.index(method), seeds.index(seed)
            if not np.isfinite(score):
                raise ValueError(f"{named(task, method, seed)} has the score {score}")
            if np.isfinite(scores[at]):
                raise ValueError(f"{named(task, method, seed)} is there twice")
            scores[at] = score
        return cls(tasks, methods, seeds, scores)

    @property
    def cells(self) -> Cells:
        return cells_of(self.scores)

    def missing(self) -> list[str]:
        """The runs that are not there, task by task."""
        return [
            named(self.tasks[task], self.methods[method], self.seeds[seed])
            for task, method, seed in np.argwhere(~np.isfinite(self.scores)).tolist()
        ]

    def complete(self, without: Axis | None = None) -> "ScoreTable":
        """A table with nothing missing.

        Args:
            without: what to leave out wherever a run is missing: its task, its method or its seed.
                Without it a missing run is an error.

        Raises:
            ValueError: a run is missing, or nothing would be left.
        """
        missing = self.missing()
        if not missing:
            return self
        if without is None:
            shown = "; ".join(missing[:MOST_NAMED])
            more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
            raise ValueError(
                f"{len(missing)} of {self.scores.size} runs are missing: {shown}{more}; run them, "
                "or leave out their 'tasks', 'methods' or 'seeds'"
            )
        others = tuple(at for at, axis in enumerate(AXES) if axis != without)
        kept = np.flatnonzero(np.isfinite(self.scores).all(axis=others))
        if not kept.size:
            raise ValueError(f"each of the {without} lacks a run; none would be left")
        return self.only(without, kept.tolist())

    def only(self, axis: Axis, kept: Sequence[int]) -> "ScoreTable":
        """The table of some tasks, methods or seeds, given by their indices."""
        names = {axis: tuple(getattr(self, axis)[each] for each in kept)}
        return replace(self, **names, scores=np.take(self.scores, kept, axis=AXES.index(axis)))

    def method(self, name: str) -> int:
        """The index of a method."""
        if name not in self.methods:
            raise ValueError(f"there is no method {name!r}; there are {', '.join(self.methods)}")
        return self.methods.index(name)


def named(task: str, method: str, seed: int) -> str:
    return f"{task}, {method}, seed {seed}"


def require_complete(scores: Floats) -> None:
    """Refuse what has not three axes, has no run, or lacks a score."""
    if scores.ndim != 3:
        raise ValueError(f"scores must be scores[task, method, seed], got {scores.ndim} axes")
    if not scores.size:
        raise ValueError(f"scores hold no run: tasks, methods and seeds are {scores.shape}")
    missing = np.argwhere(~np.isfinite(scores))
    if len(missing):
        task, method, seed = missing[0].tolist()
        raise ValueError(
            f"{len(missing)} of {scores.size} scores are missing, the first of task {task}, method "
            f"{method}, seed {seed}; ScoreTable.complete says which and leaves out what you choose"
        )


def require_methods(scores: Floats, methods: Sequence[int], purpose: str) -> None:
    """Refuse incomplete scores, no method at all, and an index that names none."""
    require_complete(scores)
    if len(methods) == 0:
        raise ValueError(f"{purpose} needs at least one method, got none")
    for method in methods:
        if not 0 <= method < scores.shape[1]:
            raise ValueError(f"there is no method {method}; scores have {scores.shape[1]}")
