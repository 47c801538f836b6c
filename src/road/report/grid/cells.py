"""The cells of a results table before any markup: texts, the best, the best fixed ratio."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.records.journal import Floats
from road.report.draw.format import UNKNOWN, counted, rounded

DIGITS = 2
"""Digits after the point, as in the paper."""


@dataclass(frozen=True)
class Results:
    """Means and deviations ``[task, method]``; NaN where there is none."""

    tasks: tuple[str, ...]
    methods: tuple[str, ...]
    means: Floats
    deviations: Floats
    fixed: tuple[int, ...] = ()
    """Which of the methods are constant ratios."""
    counts: NDArray[np.intp] | None = None
    """How many runs each cell is of; a cell of fewer than the others says so."""

    @property
    def whole(self) -> NDArray[np.bool_]:
        """The tasks that no method lacks, of those methods that have any."""
        known = np.isfinite(self.means)
        return np.all(known[:, np.any(known, axis=0)], axis=1)

    def aligned(self, tasks: Sequence[str], methods: Sequence[str]) -> "Results":
        """The same for other tasks and methods; what is not known of them is NaN."""
        means, deviations = (
            np.array([[self.look_up(cells, task, method) for method in methods] for task in tasks])
            for cells in (self.means, self.deviations)
        )
        constants = {self.methods[index] for index in self.fixed}
        fixed = tuple(index for index, name in enumerate(methods) if name in constants)
        return Results(tuple(tasks), tuple(methods), means, deviations, fixed)

    def look_up(self, cells: Floats, task: str, method: str) -> float:
        if task not in self.tasks or method not in self.methods:
            return np.nan
        return float(cells[self.tasks.index(task), self.methods.index(method)])


@dataclass(frozen=True)
class Cell:
    """A cell of a table, before any markup."""

    text: str
    best: bool = False
    best_fixed: bool = False


@dataclass(frozen=True)
class Line:
    """A row: its task, its source (empty if all results are ours), and its cells."""

    name: str
    source: str
    cells: tuple[Cell, ...]
    average: bool = False
    """Whether it is one over several tasks."""

    @property
    def known(self) -> bool:
        """Whether there is anything in it."""
        return any(cell.text != UNKNOWN for cell in self.cells)


def lines_of(ours: Results, paper: Results | None = None, digits: int = DIGITS) -> list[Line]:
    """Every task, then the average over those tasks that every method has.

    With the paper, a task that it has nothing on is ours alone. Averages beside each other are over
    the tasks that both have: others would invite a comparison that means nothing.
    """
    if paper is None:
        return list(lines_from(ours, "", ours.whole, digits))
    theirs = paper.aligned(ours.tasks, ours.methods)
    shared = ours.whole & theirs.whole
    pairs = zip(
        lines_from(ours, "ours", shared, digits),
        lines_from(theirs, "paper", shared, digits),
        strict=True,
    )
    beside = [line for pair in pairs for line in pair if line.known]
    if (shared == ours.whole).all():
        return beside
    *_, average = lines_from(ours, "ours", ours.whole, digits)
    return [*beside, average]


def lines_from(
    results: Results, source: str, averaged: NDArray[np.bool_], digits: int
) -> Iterable[Line]:
    for row, task in enumerate(results.tasks):
        texts = [
            format_cell(mean, deviation, digits) + few(results.counts, row, column)
            for column, (mean, deviation) in enumerate(
                zip(results.means[row].tolist(), results.deviations[row].tolist(), strict=True)
            )
        ]
        yield Line(task, source, mark_best(texts, results.means[row], results.fixed, digits))
    count = int(averaged.sum())
    average = (
        results.means[averaged].mean(axis=0) if count else np.full_like(results.means[0], np.nan)
    )
    name = "Average" + ("" if count == len(results.tasks) else f" of {counted(count, 'task')}")
    texts = [format_cell(mean, np.nan, digits) for mean in average.tolist()]
    yield Line(name, source, mark_best(texts, average, results.fixed, digits), average=True)


def mark_best(
    texts: Sequence[str], means: Floats, fixed: Sequence[int], digits: int
) -> tuple[Cell, ...]:
    """Means that are printed alike are marked alike."""
    printed = np.round(means, digits)
    best, best_fixed = greatest(printed), greatest(printed[list(fixed)])
    return tuple(
        Cell(text, best=value == best, best_fixed=index in fixed and value == best_fixed)
        for index, (text, value) in enumerate(zip(texts, printed.tolist(), strict=True))
    )


def greatest(values: Floats) -> float:
    """NaN, which equals nothing, if no value is known."""
    return float(np.nanmax(values)) if np.isfinite(values).any() else np.nan


def format_cell(mean: float, deviation: float, digits: int) -> str:
    if not np.isfinite(mean):
        return UNKNOWN
    spread = f" ± {deviation:.{digits}f}" if np.isfinite(deviation) else ""
    return rounded(mean, digits) + spread


def few(counts: NDArray[np.intp] | None, row: int, column: int) -> str:
    """Whether a cell is of fewer runs than the table's fullest."""
    if counts is None or not 0 < counts[row, column] < counts.max():
        return ""
    return f" (n = {counts[row, column]})"
