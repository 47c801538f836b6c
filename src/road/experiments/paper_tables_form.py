"""What a printed table is made of."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FIXED = tuple(f"Fixed {ratio:g}" for ratio in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
"""The constants of the paper, by the names that reports give them."""
STRATEGIES = (*FIXED, "Uniform", "Decreasing", "BR", "ROAD")
"""The ten columns of the paper's two large tables, in its order."""


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
        """Which of the methods are constants."""
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
