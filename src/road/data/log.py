"""A log as it was found: rows in the order of the file, before it is interpreted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import FLAGS, Finding, check_layout
from road.errors import DataError

Edge: TypeAlias = int | float | Sequence[Any] | NDArray[Any]
Box: TypeAlias = tuple[Edge, Edge]
"""Lowest and highest action, for all columns or for each."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "observation": ("observation", "observations", "obs", "state", "states"),
    "action": ("action", "actions", "act", "acts"),
    "reward": ("reward", "rewards", "rew"),
    "next_observation": (
        "next_observation",
        "next_observations",
        "next_obs",
        "next_state",
        "next_states",
        "obs_next",
    ),
    "terminated": ("terminated", "terminals", "terminations", "terminal", "dones", "done"),
    "truncated": ("truncated", "timeouts", "truncations", "timeout"),
}
"""What the arrays are called: here, in D4RL's files, and elsewhere."""
REQUIRED = ("observation", "action", "reward")


@dataclass
class Log:
    """Rows as they were logged; the reader may change them in place."""

    where: str
    """The file, for messages."""
    observation: NDArray[np.float32]
    action: NDArray[np.float32]
    reward: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    next_observation: NDArray[np.float32] | None = None
    """None if it is the row that follows."""
    action_box: Box | None = None
    """Where the actions lie, if the file says so."""
    notes: list[Finding] = field(default_factory=list[Finding])

    def arrays(self) -> dict[str, NDArray[Any]]:
        named = {name: getattr(self, name) for name in ALIASES}
        return {name: array for name, array in named.items() if array is not None}


def find_names(where: str, present: Iterable[str]) -> dict[str, str]:
    """Which of the names that are present means which array."""
    known = set(present)
    found = {
        field: next(alias for alias in aliases if alias in known)
        for field, aliases in ALIASES.items()
        if known & set(aliases)
    }
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        shown = ", ".join(sorted(known))[:160] or "nothing"
        raise DataError(f"{where}: there is no array for {missing[0]}; it holds {shown}")
    return found


def make_log(where: str, arrays: Mapping[str, NDArray[Any]]) -> Log:
    """A log of arrays under our own names, in their shapes and types.

    Raises:
        DataError: an array is not of numbers, or its shape does not fit the others.
    """
    plain = {name: convert_array(f"{where}: {name}", name, array) for name, array in arrays.items()}
    rows = len(plain["reward"])
    for name in FLAGS:
        plain.setdefault(name, np.zeros(rows, np.bool_))
    check_layout(plain, where)
    unmarked = Finding("warning", "no array marks where an episode ends")
    notes = [] if set(FLAGS) & set(arrays) else [unmarked]
    return Log(where, **plain, action_box=None, notes=notes)


def convert_array(where: str, name: str, array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "biuf":
        raise DataError(f"{where} holds {array.dtype}, not numbers; save it as float32")
    if name in ("reward", *FLAGS) and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if name == "action" and array.ndim == 1:
        raise DataError(
            f"{where} has shape {array.shape}, one number per row as discrete actions have; "
            "only continuous actions can be learnt, with 2 axes, rows first"
        )
    if name in FLAGS:
        return as_flags(where, array)
    with np.errstate(over="ignore"):  # what does not fit becomes inf, and is refused as such
        return np.ascontiguousarray(array, np.float32)


def as_flags(where: str, array: NDArray[Any]) -> NDArray[np.bool_]:
    """Truth values; a number that is neither 0 nor 1 does not say whether an episode ended."""
    true = array == 1
    strange = np.flatnonzero(~(true | (array == 0)))
    if strange.size:
        row = int(strange[0])
        raise DataError(f"{where} holds {array.reshape(-1)[row]} at row {row}; write 0 or 1")
    return true
