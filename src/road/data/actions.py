"""Actions in [-1, 1], whatever the unit of the actuator."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import finding_on
from road.data.log import Box, Log
from road.data.memory import blocks, rows_where
from road.errors import DataError, UsageError

Limit: TypeAlias = NDArray[np.float64]

OVERSHOOT = 1e-3
"""Rounding may leave the box by this much of its half width; more is a wrong box or a wrong log."""


def fit_actions(log: Log, box: Box | None) -> None:
    """Rescale the actions from the box in place; edges stay exact, rounding beyond them is cut."""
    low, high = limits(log, box)
    check_overshoot(log, low, high)
    to_unit(log.action, low, high)
    beyond = rows_where(log.action, lambda action: np.abs(action) > 1.0)
    if beyond.any():
        for block in blocks(len(log.action)):
            np.clip(log.action[block], -1.0, 1.0, out=log.action[block])
        text = " with actions just outside of the box"
        log.notes += finding_on(beyond, "warning", "clipped", text)


def to_unit(action: NDArray[np.float32], low: Limit, high: Limit) -> None:
    if (low == -1.0).all() and (high == 1.0).all():
        return
    half = (high - low) / 2
    for block in blocks(len(action)):
        # Rounded to float32 at the end, so that both edges come out as exactly -1 and 1.
        action[block] = (action[block] - (low + half)) / half


def limits(log: Log, box: Box | None) -> tuple[Limit, Limit]:
    """Lowest and highest action of every column; what the source says about itself counts most."""
    chosen = log.action_box if log.action_box is not None else box
    low, high = chosen if chosen is not None else (-1.0, 1.0)
    width = log.action.shape[1]
    try:
        wide = tuple(
            np.broadcast_to(np.asarray(edge, np.float64), (width,)) for edge in (low, high)
        )
    except ValueError:
        has = f"{width} actions in a row, where the action box has {np.size(low)}"
        raise DataError(
            f"{log.where}: {has}; choose the environment, or the box, that it was logged in"
        ) from None
    if not (np.isfinite(wide).all() and (wide[0] < wide[1]).all()):
        raise UsageError(
            f"{log.where}: the action box must be finite and not empty, got {low} to {high}"
        )
    return wide[0], wide[1]


def overshooting_rows(log: Log, low: Limit, high: Limit) -> NDArray[np.bool_]:
    """Rows whose action lies outside of the box by more than rounding explains."""
    slack = OVERSHOOT * (high - low) / 2
    return rows_where(log.action, lambda a: (a < low - slack) | (a > high + slack))


def check_overshoot(log: Log, low: Limit, high: Limit) -> None:
    wrong = overshooting_rows(log, low, high)
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    column = worst_column(log.action[row], low, high)
    raise DataError(
        f"{log.where}: action holds {log.action[row, column]:g} at row {row}, column {column}, "
        f"outside of [{low[column]:g}, {high[column]:g}] ({int(wrong.sum()):,} such rows); "
        "give the box of the actuators as action_box"
    )


def worst_column(action: NDArray[np.float32], low: Limit, high: Limit) -> int:
    """The number of a row that is farthest outside, by the width of its box."""
    return int(np.argmax(np.maximum(low - action, action - high) / (high - low)))
