"""robomimic's HDF5 files: a group per demonstration, read without robomimic.

data/demo_0/actions, rewards, dones, obs/KEY …, and next_obs/KEY … where they were written. Images
are left out unless they are asked for by ``keys``. robomimic marks the last row of every
demonstration as done, whether the task ended there or not; ``terminals="timeouts"`` undoes that.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from road.data.dataset import Finding
from road.data.formats.episode_rows import make_rows_log
from road.data.formats.hdf5 import find_array, names, read_array, step_into
from road.data.formats.hdf5_groups import array_names, side_by_side
from road.data.log import Log
from road.data.memory import check_declared
from road.errors import DataError

DEMONSTRATION = re.compile(r"demo_\d+")
ARRAYS = {"action": "actions", "reward": "rewards", "terminated": "dones"}


def is_robomimic(path: Path, file: Any) -> bool:
    return "data" in names(file) and bool(demonstrations(path, file))


def demonstrations(path: Path, file: Any) -> list[str]:
    """Their names, by number."""
    import h5py

    group = step_into(path, file, "data")
    held = names(group) if isinstance(group, h5py.Group) else []
    found = [name for name in held if DEMONSTRATION.fullmatch(name)]
    return sorted(found, key=lambda name: int(name.removeprefix("demo_")))


def read_robomimic(path: Path, file: Any, keys: Sequence[str] | None) -> Log:
    """All demonstrations of an open file, in the order of their numbers."""
    listed = demonstrations(path, file)
    group = step_into(path, file, "data")
    first = step_into(path, group, listed[0])
    chosen, left = choose_keys(path, step_into(path, first, "obs"), keys)
    budget = Budget(path)
    log = make_rows_log(
        str(path),
        ((name, budget.count(read_demonstration(path, group, name, chosen))) for name in listed),
    )
    if left:
        log.notes.append(Finding("note", f"left out the images {', '.join(left)[:160]}"))
    return log


def choose_keys(path: Path, group: Any, keys: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The parts of an observation to read, and those left out: images, unless they are named."""
    held = array_names(path, group)
    if keys is not None:
        return list(keys), []
    vectors = [name for name in held if len(find_array(path, group, name).shape) <= 2]
    if not vectors:
        raise DataError(f"{path}: observations hold no vectors, only {', '.join(held)[:160]}")
    return vectors, [name for name in held if name not in vectors]


def read_demonstration(
    path: Path, group: Any, name: str, keys: Sequence[str]
) -> dict[str, NDArray[Any]]:
    demonstration = step_into(path, group, name)
    rows: dict[str, NDArray[Any]] = {
        field: read_array(path, demonstration, array, field)
        for field, array in ARRAYS.items()
        if field != "terminated" or array in demonstration
    }
    rows["observation"] = side_by_side(path, step_into(path, demonstration, "obs"), keys)
    if "next_obs" in demonstration:
        following = step_into(path, demonstration, "next_obs")
        rows["next_observation"] = side_by_side(path, following, keys)
    return rows


class Budget:
    """How much has come out of a file so far."""

    def __init__(self, path: Path) -> None:
        self._path, self._held = path, 0

    def count(self, rows: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The same rows, once they are known to be no more than the file may unpack to.

        Raises:
            DataError: they are more.
        """
        self._held += sum(array.nbytes for array in rows.values())
        check_declared(str(self._path), self._held, self._path.stat().st_size)
        return rows
