"""Offline rows and periods in another library: checks of rows against spaces, ends of periods."""

import warnings
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from road.errors import DataError, UsageError

ARRAYS = ("observation", "action", "reward", "next_observation", "terminated")
"""What offline rows consist of; the rows are the first axis of each."""

UNATTENDED = 1000
"""Steps after which a callback would have ended a period."""

Rows = dict[str, NDArray[np.float32]]


@runtime_checkable
class Box(Protocol):
    """A space with edges."""

    low: NDArray[Any]
    high: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]: ...


def check_boxes(*spaces: object) -> None:
    """Whether rows of these spaces are vectors of numbers between edges."""
    if not all(isinstance(space, Box) for space in spaces):
        got = " and ".join(type(space).__name__ for space in spaces)
        raise UsageError(f"ROAD mixes rows of Box spaces, got {got}; flatten observations first")


def rows_of(offline: Any, observations: Box, actions: Box) -> Rows:
    """The arrays of a mapping, with actions in the environment's units, or of an object that has
    them as attributes, with actions in [-1, 1]; out they come in [-1, 1].

    Raises:
        DataError: an array is missing, empty, misshapen or not finite, or an action leaves its box.
    """
    if isinstance(offline, Mapping):
        found = {name: offline.get(name) for name in ARRAYS}
    else:
        found = {name: getattr(offline, name, None) for name in ARRAYS}
    if absent := [name for name, array in found.items() if array is None]:
        raise DataError(f"offline rows lack {', '.join(absent)}; they need {', '.join(ARRAYS)}")
    rows = {name: np.asarray(array, np.float32) for name, array in found.items()}
    check_rows(rows, observations.shape, actions.shape)
    rows["action"] = in_unit_box(rows["action"], actions, scaled=not isinstance(offline, Mapping))
    return rows


def check_rows(rows: Rows, observation: tuple[int, ...], action: tuple[int, ...]) -> None:
    """Whether the arrays have the shapes that the spaces ask for, and finite numbers."""
    count = rows["reward"].size
    if count == 0:
        raise DataError("offline rows: there are none; without offline data no ratio is needed")
    shapes = {"observation": observation, "next_observation": observation, "action": action}
    for name, array in rows.items():
        needed = (count, *shapes.get(name, ()))
        if array.shape != needed:
            raise DataError(f"offline rows: {name} has shape {array.shape}; needed is {needed}")
        if not np.isfinite(array).all():
            row = int(np.argwhere(~np.isfinite(array))[0, 0])
            raise DataError(f"offline rows: {name} is not finite in row {row}; leave that row out")


def in_unit_box(action: NDArray[np.float32], box: Box, *, scaled: bool) -> NDArray[np.float32]:
    low, high = (-1.0, 1.0) if scaled else (box.low, box.high)
    unit = 2.0 * (action - low) / (high - low) - 1.0
    distance = np.abs(unit).reshape(len(unit), -1).max(axis=1)
    row = int(distance.argmax())
    if distance[row] > 1.0 + 1e-4:
        raise DataError(
            f"offline rows: action {action[row]} of row {row} lies outside [{low}, {high}]; give "
            "arrays in the environment's units, datasets in [-1, 1]"
        )
    return np.clip(unit, -1.0, 1.0).astype(np.float32)


def check_period(period: Any) -> None:
    """Refuse what is neither a number of steps nor ``"episode"``, such as 1e3."""
    if period != "episode" and (not isinstance(period, int) or period < 1):
        raise ValueError(f"period must be 1 or more steps, or 'episode', got {period!r}")


def is_over(period: int | str, steps: int, *, ended: bool) -> bool:
    """After so many steps of it; ``ended`` says whether an episode has just ended."""
    return ended if isinstance(period, str) else steps >= period


def warn_without_callback(steps: int, periods: int) -> bool:
    """Warn if so many steps were trained on and no period has ended; gives whether it did."""
    if steps < UNATTENDED or periods:
        return False
    warnings.warn(
        f"{steps} steps and no period has ended, so the ratio never changes: give the training a "
        "RoadCallback, or call end_period of the buffer's controller",
        stacklevel=3,
    )
    return True
