"""From a log to a dataset: the one path that every source takes."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from road.data.actions import fit_actions
from road.data.dataset import FLAGS, Dataset, finding_on, refuse
from road.data.episodes import add_successors, mark_ends
from road.data.log import Box, Log
from road.data.memory import Allocate, in_memory, not_finite, rows_where
from road.errors import DataError, UsageError


@dataclass(frozen=True)
class Reading:
    """How a log is to be read where it does not say so itself."""

    action_box: Box | None = None
    """Lowest and highest action, where the source does not say; None is [-1, 1]."""
    horizon: int | None = None
    """Steps after which an episode was cut, for logs that do not mark it."""
    terminals: Literal["ends", "timeouts"] = "ends"
    """What a terminal flag means: a true end, or (in some logs) no more than a time limit."""
    drop_nonfinite: bool = False
    """Leave out rows that hold NaN or inf, instead of refusing the log."""

    def __post_init__(self) -> None:
        if self.horizon is not None and self.horizon < 1:
            raise UsageError(f"horizon must be 1 or more, got {self.horizon}")


AS_LOGGED = Reading()
"""Nothing but what the log says."""


def interpret(log: Log, reading: Reading, allocate: Allocate = in_memory) -> Dataset:
    """The dataset that a log holds; what was assumed, changed or left out is in its notes.

    The arrays of the log are used up.

    Raises:
        DataError: a value cannot be learnt from, or nothing is left.
    """
    bad = bad_rows(log, drop=reading.drop_nonfinite)
    fit_actions(log, reading.action_box)
    if reading.terminals == "timeouts":
        log.truncated |= log.terminated
        log.terminated = np.zeros_like(log.terminated)
    mark_ends(log, bad, reading.horizon)
    add_successors(log, bad, allocate)
    if not len(log.reward):
        raise DataError(
            f"{log.where}: no row is left that has a successor; log longer episodes, "
            "or sort the rows by episode"
        )
    return Dataset(**log.arrays(), notes=tuple(log.notes))


def bad_rows(log: Log, *, drop: bool) -> NDArray[np.bool_]:
    """Rows that are not finite: refused, or overwritten and marked to be left out."""
    bad = np.zeros(len(log.reward), np.bool_)
    numbers = {name: array for name, array in log.arrays().items() if name not in FLAGS}
    for name, array in numbers.items():
        if not drop:
            refuse(f"{log.where}: {name}", array, not_finite, "repair it or drop such rows")
        else:
            bad |= rows_where(array, not_finite)
    if bad.any():
        log.notes += finding_on(bad, "warning", "left out", " with NaN or inf")
        for array in numbers.values():  # with a row that is sound: zero may be outside of the box
            array[bad] = 0.0 if bad.all() else array[np.argmin(bad)]
    return bad
