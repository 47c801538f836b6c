"""Actions in [-1, 1], whatever the unit of the actuator."""

import numpy as np
from numpy.typing import NDArray

from road.data.blocks import blocks, rows_where
from road.data.findings import Finding
from road.data.log import Box, Log
from road.errors import DataError, UsageError

OVERSHOOT = 1e-3
"""Rounding may leave the box by this much of its half width; more is a wrong box or a wrong log."""


def fit_actions(log: Log, box: Box | None) -> None:
    """Rescale the actions from the box in place; edges stay exact, rounding beyond them is cut."""
    low, high = limits(log, box)
    if not ((low == -1.0).all() and (high == 1.0).all()):
        half = (high - low) / 2
        for block in blocks(len(log.action)):
            # The middle first: both edges then come out as exactly -1 and 1.
            log.action[block] = (log.action[block] - (low + half)) / half
    check_overshoot(log, low, high)
    beyond = rows_where(log.action, lambda action: np.abs(action) > 1.0)
    if beyond.any():
        for block in blocks(len(log.action)):
            np.clip(log.action[block], -1.0, 1.0, out=log.action[block])
        told = f"{int(beyond.sum()):,} rows had actions just outside of the box; they were clipped"
        log.notes.append(Finding("warning", told, int(np.argmax(beyond))))


def limits(log: Log, box: Box | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest action of every column."""
    chosen = box if box is not None else log.action_box
    low, high = chosen if chosen is not None else (-1.0, 1.0)
    width = log.action.shape[1]
    try:
        wide = tuple(
            np.broadcast_to(np.asarray(edge, np.float64), (width,)) for edge in (low, high)
        )
    except ValueError:
        shapes = np.shape(low), np.shape(high)
        raise UsageError(f"{log.where}: an action box {shapes} for {width} actions") from None
    if not (np.isfinite(wide).all() and (wide[0] < wide[1]).all()):
        raise UsageError(
            f"{log.where}: the action box must be finite and not empty, got {low} to {high}"
        )
    return wide[0], wide[1]


def check_overshoot(log: Log, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
    wrong = rows_where(log.action, lambda action: np.abs(action) > 1.0 + OVERSHOOT)
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    column = int(np.argmax(np.abs(log.action[row])))
    middle, half = (low + high)[column] / 2, (high - low)[column] / 2
    value = float(log.action[row, column]) * half + middle
    raise DataError(
        f"{log.where}: action holds {value:g} at row {row}, column {column}, outside of "
        f"[{low[column]:g}, {high[column]:g}] ({int(wrong.sum()):,} such rows); "
        "give the box of the actuators as action_box"
    )
