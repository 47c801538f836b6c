"""Logged experience: rows in time order, checked where they enter the library."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.data.memory import not_finite, rows_where
from road.errors import DataError

ARRAYS = ("observation", "action", "reward", "next_observation", "terminated", "truncated")
"""What a dataset consists of, in the order of its fields."""
RANKS = {"observation": 2, "action": 2, "next_observation": 2}
"""Axes of each array; those not named have one, the row."""
FLAGS = ("terminated", "truncated")
"""Arrays of truth values; all others hold float32."""

Level: TypeAlias = Literal["error", "warning", "note"]
"""An error stops training, a warning is shown before it, a note is only on its card."""


@dataclass(frozen=True)
class Finding:
    """One sentence about the data."""

    level: Level
    text: str
    row: int | None = None
    """The first row that it is about."""

    def __str__(self) -> str:
        return self.text if self.row is None else f"{self.text} (first: row {self.row})"


def rows_of(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


def finding_on(
    rows: NDArray[np.bool_], level: Level, before: str, after: str = ""
) -> Iterator[Finding]:
    """A finding on some rows, if there are any; their number is between the words."""
    count = int(rows.sum())
    if count:
        yield Finding(level, f"{before} {rows_of(count)}{after}", int(np.argmax(rows)))


@dataclass(frozen=True)
class Dataset:
    """Transitions as they were logged: the reward is the environment's own, untransformed."""

    observation: NDArray[np.float32]
    action: NDArray[np.float32]
    """In [-1, 1], whatever the unit of the actuator."""
    reward: NDArray[np.float32]
    next_observation: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    """The episode truly ended here."""
    truncated: NDArray[np.bool_]
    """The episode was cut here, by a time limit or by the end of the log."""
    notes: tuple[Finding, ...] = ()
    """What had to be assumed, changed or left out when the log was read."""

    def __post_init__(self) -> None:
        arrays = self.arrays()
        check_layout(arrays)
        check_values(arrays)
        if not self.episode_ends[-1]:
            raise DataError(
                f"dataset: the last row ({len(self) - 1}) is neither terminated nor truncated; "
                "mark the end of the log as truncated"
            )

    def __len__(self) -> int:
        return len(self.reward)

    @property
    def episode_ends(self) -> NDArray[np.bool_]:
        return self.terminated | self.truncated

    @property
    def episode_returns(self) -> NDArray[np.float64]:
        """Undiscounted sum of the rewards of every episode."""
        starts = np.append(0, np.flatnonzero(self.episode_ends)[:-1] + 1)
        return np.add.reduceat(self.reward.astype(np.float64), starts)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in ARRAYS}


def check_layout(arrays: Mapping[str, NDArray[Any]], where: str = "dataset") -> None:
    """Whether every array has its type, its number of axes and as many rows as the others."""
    rows = len(arrays["reward"]) if arrays["reward"].ndim else 0
    if rows == 0:
        raise DataError(f"{where}: reward has no rows; at least one transition is needed")
    for name, array in arrays.items():
        dtype = np.dtype(np.bool_ if name in FLAGS else np.float32)
        if array.dtype != dtype:
            raise DataError(f"{where}: {name} is {array.dtype}; convert it to {dtype}")
        rank = RANKS.get(name, 1)
        if array.ndim != rank:
            raise DataError(
                f"{where}: {name} has shape {array.shape}; give it {rank} axes, rows first"
            )
        if len(array) != rows:
            raise DataError(
                f"{where}: {name} has {len(array)} rows where reward has {rows}; "
                "every array needs one entry per transition"
            )
    check_widths(arrays, where)


def check_widths(arrays: Mapping[str, NDArray[Any]], where: str = "dataset") -> None:
    now = arrays["observation"].shape
    then = arrays.get("next_observation", arrays["observation"]).shape
    if now != then:
        raise DataError(
            f"{where}: next_observation has shape {then} where observation has {now}; "
            "both describe the same space"
        )
    for name in ("observation", "action"):
        if arrays[name].shape[1] == 0:
            raise DataError(f"{where}: {name} has shape {arrays[name].shape}; it needs columns")


def check_values(arrays: Mapping[str, NDArray[Any]], where: str = "dataset") -> None:
    """Whether every number is finite and every action inside the box."""
    for name, array in arrays.items():
        if name not in FLAGS:
            refuse(f"{where}: {name}", array, not_finite, "drop the row or repair the log")
    refuse(f"{where}: action", arrays["action"], outside, "rescale the actions to [-1, 1]")


def outside(action: NDArray[Any]) -> NDArray[np.bool_]:
    return np.abs(action) > 1.0


def refuse(
    what: str, array: NDArray[Any], test: Callable[[NDArray[Any]], NDArray[np.bool_]], advice: str
) -> None:
    """Name the first value for which the test is true, and how many there are."""
    rows = np.flatnonzero(rows_where(array, test))
    if not rows.size:
        return
    first = int(rows[0])
    column = [int(place) for place in np.argwhere(test(array[first : first + 1]))[0][1:]]
    where = f"row {first}, column {column[0]}" if column else f"row {first}"
    wrong = int(test(array[rows]).sum())
    raise DataError(
        f"{what} holds {array[(first, *column)]} at {where} ({wrong} such in all); {advice}"
    )
