"""Logged experience: rows in time order, checked where they enter the library."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.errors import DataError

RANKS = {"observation": 2, "action": 2, "next_observation": 2}
"""Axes of each array; those not named have one, the row."""
FLAGS = ("terminated", "truncated")
"""Arrays of truth values; all others hold float32."""


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

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_layout(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Whether every array has its type, its number of axes and as many rows as the others."""
    rows = len(arrays["reward"]) if arrays["reward"].ndim else 0
    if rows == 0:
        raise DataError("dataset: reward has no rows; at least one transition is needed")
    for name, array in arrays.items():
        dtype = np.dtype(np.bool_ if name in FLAGS else np.float32)
        if array.dtype != dtype:
            raise DataError(f"dataset: {name} is {array.dtype}; convert it to {dtype}")
        rank = RANKS.get(name, 1)
        if array.ndim != rank:
            raise DataError(
                f"dataset: {name} has shape {array.shape}; give it {rank} axes, rows first"
            )
        if len(array) != rows:
            raise DataError(
                f"dataset: {name} has {len(array)} rows where reward has {rows}; "
                "every array needs one entry per transition"
            )
    check_widths(arrays)


def check_widths(arrays: Mapping[str, NDArray[Any]]) -> None:
    now, then = arrays["observation"].shape, arrays["next_observation"].shape
    if now != then:
        raise DataError(
            f"dataset: next_observation has shape {then} where observation has {now}; "
            "both describe the same space"
        )
    for name in ("observation", "action"):
        if arrays[name].shape[1] == 0:
            raise DataError(f"dataset: {name} has shape {arrays[name].shape}; it needs columns")


def check_values(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Whether every number is finite and every action inside the box."""
    for name, array in arrays.items():
        if name not in FLAGS:
            refuse(name, array, ~np.isfinite(array), "drop the row or repair the log")
    action = arrays["action"]
    refuse("action", action, np.abs(action) > 1.0, "rescale the actions to [-1, 1]")


def refuse(name: str, array: NDArray[Any], wrong: NDArray[np.bool_], advice: str) -> None:
    if not wrong.any():
        return
    row, *column = (int(place) for place in np.argwhere(wrong)[0])
    where = f"row {row}, column {column[0]}" if column else f"row {row}"
    value = array[(row, *column)]
    raise DataError(
        f"dataset: {name} holds {value} at {where} ({int(wrong.sum())} such in all); {advice}"
    )
