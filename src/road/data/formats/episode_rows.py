"""Logs whose episodes have a row per step: what follows a row is the next row of its episode."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import FLAGS
from road.data.formats.arrays import check_steps
from road.data.log import Log, as_flags, make_log
from road.errors import DataError

Rows = Mapping[str, NDArray[Any]]
"""Arrays of one episode under our own names, all of one length."""


def make_rows_log(where: str, episodes: Iterable[tuple[str, Rows]]) -> Log:
    """A log of episodes, one after the other; an end that is no true one counts as cut.

    Raises:
        DataError: an episode has arrays of two lengths, or of other shapes than the first.
    """
    parts: list[dict[str, NDArray[Any]]] = []
    for label, rows in episodes:
        steps = len(rows["reward"]) if rows["reward"].ndim else 0
        check_steps(f"{where}: {label}", rows, steps)
        if steps:
            parts.append(marked(f"{where}: {label}", rows, steps))
            check_like(f"{where}: {label}", parts[-1], parts[0])
    if not parts:
        raise DataError(f"{where}: there is no episode; at least one is needed")
    return make_log(where, {name: np.concatenate([p[name] for p in parts]) for name in parts[0]})


def marked(where: str, rows: Rows, steps: int) -> dict[str, NDArray[Any]]:
    """The rows with both flags, the last one an end."""
    flags = {
        name: as_flags(f"{where}: {name}", rows[name].reshape(-1)).copy()
        if name in rows
        else np.zeros(steps, np.bool_)
        for name in FLAGS
    }
    flags["truncated"][-1] |= not flags["terminated"][-1]
    return {**rows, **flags}


def check_like(where: str, rows: Rows, first: Rows) -> None:
    for name in first:
        shape = rows[name].shape[1:] if name in rows else None
        if shape != first[name].shape[1:]:
            raise DataError(
                f"{where}: {name} has shape {shape} per row where the first episode has "
                f"{first[name].shape[1:]}; all episodes come from one space"
            )
