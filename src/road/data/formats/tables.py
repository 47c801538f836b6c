"""Tables as logs: one transition per line, in columns of numbers, flags and names of episodes."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Finding
from road.data.log import Log, make_log

TRUE, FALSE = {"1", "1.0", "true", "t", "yes"}, {"0", "0.0", "false", "f", "no", ""}
MOST_SHOWN = 40
"""Characters of a cell in a message."""


def table_log(where: str, arrays: Mapping[str, NDArray[Any]]) -> Log:
    """A log of the columns; where the episode's name changes, the row before is its last."""
    named = {name: array for name, array in arrays.items() if name != "episode"}
    if "episode" not in arrays:
        return make_log(where, named)
    log = make_log(where, {"truncated": np.zeros(len(named["reward"]), np.bool_), **named})
    episode = arrays["episode"].reshape(-1)
    last = np.append(episode[1:] != episode[:-1], True)
    log.truncated |= last & ~log.terminated
    log.notes += find_interrupted(episode, last)
    return log


def find_interrupted(episode: NDArray[Any], last: NDArray[np.bool_]) -> Iterator[Finding]:
    """A warning where the rows of one episode are not contiguous."""
    begins = np.flatnonzero(np.append(True, last[:-1]))
    _, first = np.unique(episode[begins], return_index=True)
    if len(first) < len(begins):
        text = "an episode's name comes back after another's: if it is the same, sort the table"
        again = np.delete(begins, first)[0]
        yield Finding("warning", text, int(again))


def truth_of(cell: str) -> float:
    """1 or 0; what is neither is refused by its row later, as -1."""
    plain = cell.strip().lower()
    return 1.0 if plain in TRUE else 0.0 if plain in FALSE else -1.0


def shown(cell: Any) -> str:
    """A cell in a message."""
    text = repr(cell)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
