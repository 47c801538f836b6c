"""Runs, and where each stands in its grid."""

from dataclasses import dataclass

from road.report.load import RunRecord
from road.report.summary import Summary


@dataclass(frozen=True)
class PlacedRun:
    """A run and where it stands in the grid."""

    task: str
    method: str
    seed: int
    record: RunRecord
    area: float | None = None
    """Mean score over the online phase; None if it was not evaluated there."""


@dataclass(frozen=True)
class Axes:
    """Every task, method and seed that the grid asks for, whether its runs are there or not."""

    tasks: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...]


Judged = tuple[PlacedRun, Summary]
