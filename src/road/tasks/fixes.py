"""What logs get wrong about ends and rewards, put right before anything is learnt from them.

A task hands out one function from a dataset to a dataset, made of these. Its environment keeps the
same rules, so that old rows and new ones speak of one and the same problem.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset, Finding
from road.errors import DataError

Flags = NDArray[np.bool_]
Notes = tuple[Finding, ...]


def unchanged(dataset: Dataset) -> Dataset:
    return dataset


def ending_at(dataset: Dataset, success: Flags) -> Dataset:
    """Success ends an episode and nothing else does.

    Logs that go on after a success hold rows that begin where an episode is already over: they go.
    So do rows that claim another end: what came after them was never logged, so it cannot be
    bootstrapped from.
    """
    begins_over = np.zeros(len(dataset), np.bool_)
    begins_over[1:] = success[:-1] & ~dataset.episode_ends[:-1]
    claims_an_end = dataset.terminated & ~success
    return keep_rows(
        {**dataset.arrays(), "terminated": success},
        ~(begins_over | claims_an_end),
        dataset.notes,
    )


def never_ending(dataset: Dataset) -> Dataset:
    """No episode truly ends; a row that claims so goes, since what came after it was not logged."""
    nowhere = np.zeros(len(dataset), np.bool_)
    return ending_at(dataset, nowhere)


def keep_rows(arrays: Mapping[str, NDArray[Any]], keep: Flags, notes: Notes) -> Dataset:
    """The rows that are kept; one whose successor is gone becomes the end of its episode."""
    rows = np.flatnonzero(keep)
    if len(rows) == 0:
        raise DataError(
            "dataset: no row is left once those that begin after an end, or claim a false one, "
            "are dropped; check its terminals"
        )
    if len(rows) < len(keep):
        dropped = f"{len(keep) - len(rows)} rows that begin after an end or claim a false one"
        notes = (*notes, Finding("note", f"dropped {dropped}", int(np.argmin(keep))))
    chosen = {name: array[rows] for name, array in arrays.items()}
    successor_gone = np.diff(rows, append=len(keep) + 1) > 1
    chosen["truncated"] = (chosen["truncated"] | successor_gone) & ~chosen["terminated"]
    return Dataset(**chosen, notes=notes)
