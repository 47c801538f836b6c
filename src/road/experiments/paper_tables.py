"""Every table of results that the paper prints (arXiv 2605.14497), read from a JSON file.

``paper_tables.json`` was typed from the paper's source by a script; the tests check it against the
averages that the paper prints itself. ``errata`` are numbers that the table itself contradicts,
``notes`` what a reader should know.

The figures of Cal-QL, CQL and RLPD and the heatmaps have no numbers in the source, and none were
read off pictures.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FIXED = tuple(f"Fixed {ratio:g}" for ratio in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
"""The fixed ratios of the paper, by the names that reports give them."""

PART_OF = {"kitchen-complete": "table-iql"}
"""Grids of some rows and columns of a table."""


@dataclass(frozen=True)
class Row:
    """One task: a mean for each method, and a deviation where the paper prints one."""

    means: tuple[float, ...]
    deviations: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Erratum:
    """A printed number that the rest of its table contradicts."""

    where: str
    printed: float
    corrected: float
    reason: str


@dataclass(frozen=True)
class PaperTable:
    """A table of results as the paper prints it, with what is wrong or odd about it."""

    title: str
    methods: tuple[str, ...]
    rows: Mapping[str, Row]
    """By task."""
    seeds: int | None = None
    """None where the paper does not say."""
    printed_averages: tuple[float, ...] | None = None
    """The last row as it is printed, errata and all; ``averages`` is what the rows give."""
    errata: tuple[Erratum, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(self.rows)

    @property
    def fixed(self) -> tuple[int, ...]:
        """Which of the methods are fixed ratios."""
        return tuple(index for index, name in enumerate(self.methods) if name in FIXED)

    @property
    def means(self) -> NDArray[np.float64]:
        """``[task, method]``."""
        return np.array([row.means for row in self.rows.values()])

    @property
    def deviations(self) -> NDArray[np.float64]:
        """``[task, method]``; NaN where none is printed."""
        unknown = (np.nan,) * len(self.methods)
        return np.array([row.deviations or unknown for row in self.rows.values()])

    @property
    def averages(self) -> NDArray[np.float64]:
        """The mean over tasks of each method, computed from the rows."""
        return self.means.mean(axis=0)


@cache
def paper_tables() -> Mapping[str, PaperTable]:
    """Every table, by the name of the grid that repeats it."""
    path = Path(__file__).with_name("paper_tables.json")
    return {name: table_from(data) for name, data in json.loads(path.read_text("utf-8")).items()}


def printed_table(grid: str) -> PaperTable | None:
    """The table of the paper that a grid's cells can be beside; None if there is none."""
    return paper_tables().get(PART_OF.get(grid, grid))


def table_from(data: Mapping[str, Any]) -> PaperTable:
    averages = data.get("printed_averages")
    return PaperTable(
        title=data["title"],
        methods=tuple(data["methods"]),
        rows={
            task: Row(**{name: tuple(numbers) for name, numbers in row.items()})
            for task, row in data["rows"].items()
        },
        seeds=data["seeds"],
        printed_averages=None if averages is None else tuple(averages),
        errata=tuple(Erratum(**slip) for slip in data.get("errata", ())),
        notes=tuple(data["notes"]),
    )
