"""Runs by their place in the grid, and what a comparison reads off them beside their scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from road.mixing.informedness import MOST_ARMS, SIGNIFICANCE, Informedness, arm_effects
from road.records.credits import credit_pairs
from road.records.journal import Floats, Row, number
from road.records.naming import part_of
from road.records.reader import RunRecord
from road.records.summary import Summary
from road.report.draw.tables import flatten

FEW_SEEDS = 10
TOO_NARROW = (
    "Intervals over few seeds are too narrow: one of 95 % contains the true value in 75 % of cases "
    "with 3 seeds on one task, 83 % with 5 and 90 % with 10; on four tasks in 84 %, 91 % and 93 %."
)
"""As measured (docs/statistics.md)."""
TOO_HARSH = (
    " Of a method that is as good as the best fixed ratio it is claimed in 8 to 18 % that it is "
    "worse."
)
LEFT_OUT = frozenset({"format", "seed", "own.data", "log_every", "checkpoint_every"})
"""What is otherwise in every run, is a local path, or changes no result."""
SAME = 1e-9
"""Shares that differ by less are equal, rounded."""


@dataclass(frozen=True)
class PlacedRun:
    """A run and its place in the grid."""

    task: str
    method: str
    seed: int
    record: RunRecord
    area: float | None = None
    """Mean score over the online phase; None if it was not evaluated there."""


@dataclass(frozen=True)
class KnobSetting:
    """Where a task belongs in a family of tasks that differ by a knob."""

    family: str
    knob: str
    value: float
    identical: float
    """The value at which the world of the log is the task's."""


@dataclass(frozen=True)
class Axes:
    """Every task, method and seed of the grid, whether its runs exist or not."""

    tasks: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...]

    def place(self, run: PlacedRun) -> tuple[int, int]:
        """Of a run in an array ``[method, seed]``."""
        return self.methods.index(run.method), self.seeds.index(run.seed)

    def unknown(self, *more: int) -> Floats:
        """An array ``[method, seed, ...]`` of NaN."""
        return np.full((len(self.methods), len(self.seeds), *more), np.nan)


Judged = tuple[PlacedRun, Summary]


def constants_of(finished: Sequence[Judged], axes: Axes, fixed: Sequence[int]) -> tuple[float, ...]:
    found = {
        run.method: number(part_of(run.record.config, "mixer").get("offline_ratio"))
        for run, _ in finished
    }
    return tuple(found[axes.methods[index]] for index in fixed)


def credits_of(pairs: Sequence[Judged], axes: Axes, constants: Sequence[float]) -> Floats:
    """``[method, seed, constant]``: what periods with that ratio add to the credits of a run."""
    credits = axes.unknown(len(constants))
    for run, _ in pairs:
        ratio, credit = credit_pairs(run.record.periods)
        if len(np.unique(ratio)) > MOST_ARMS:
            continue
        ratios, effects = arm_effects(ratio, credit)
        for place, constant in enumerate(constants):
            if (there := np.isclose(ratios, constant)).any():
                credits[*axes.place(run), place] = effects[there][0]
    return credits


def version_notes(finished: Sequence[Judged]) -> Iterator[str]:
    """Whether the runs come from different versions of this library or of another."""
    found: dict[str, set[str]] = {}
    for run, _ in finished:
        for name, version in part_of(run.record.meta, "versions").items():
            found.setdefault(name, set()).add(str(version))
    different = (
        f"{name} {' and '.join(sorted(versions))}"
        for name, versions in sorted(found.items())
        if len(versions) > 1
    )
    if named := ", ".join(different):
        yield f"Runs were made with different versions: {named}."


def seed_notes(axes: Axes, *, constants: bool) -> Iterator[str]:
    """How accurate intervals and claims about constants are; of one seed there are none."""
    if 2 <= len(axes.seeds) <= FEW_SEEDS:
        yield TOO_NARROW + (TOO_HARSH if constants else "")


@dataclass(frozen=True)
class RunSettings:
    """A run's place and its settings, each by its dotted name."""

    task: str
    method: str
    settings: dict[str, str]


def settings_of(task: str, method: str, config: Row) -> RunSettings:
    found = dict(flatten(config))
    return RunSettings(task, method, {n: v for n, v in found.items() if n not in LEFT_OUT})


@dataclass(frozen=True)
class Informed:
    """A method's runs that could be tested: several ratios, and credits for them."""

    method: str
    runs: int
    significant: int
    epsilon_squared: float
    """The share explained beyond chance, the mean over runs."""
    equal: int
    """Runs whose shares are as equal as they can be."""
    beyond_equal: float


def informed_runs(method: str, judged: Sequence[Informedness | None]) -> list[Informed]:
    """One line about the method, or none if none of its runs can be tested."""
    tested = [one for one in judged if one is not None and one.detrended_p is not None]
    if not tested:
        return []
    return [
        Informed(
            method,
            runs=len(tested),
            significant=sum((one.detrended_p or 0.0) < SIGNIFICANCE for one in tested),
            epsilon_squared=sum(one.detrended_epsilon_squared or 0.0 for one in tested)
            / len(tested),
            equal=sum(one.beyond_equal < SAME for one in tested),
            beyond_equal=sum(one.beyond_equal for one in tested) / len(tested),
        )
    ]
