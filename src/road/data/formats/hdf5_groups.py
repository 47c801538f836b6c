"""Observations that are a dict: arrays of an HDF5 group laid side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.formats.hdf5 import find_array, read_array, step_into


def side_by_side(path: Path, group: Any, keys: Sequence[str]) -> NDArray[np.float32]:
    """One vector per row: the arrays of these names below a group, in this order."""
    parts = [read_array(path, group, key, key) for key in keys]
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


def array_names(path: Path, group: Any, above: str = "") -> list[str]:
    """Names of all arrays below a group, in alphabetical order, ``group/key`` for nested ones."""
    import h5py

    found: list[str] = []
    for name in sorted(group):
        member = step_into(path, group, name)
        if isinstance(member, h5py.Group):
            found += array_names(path, member, f"{above}{name}/")
        else:
            find_array(path, group, name)
            found.append(f"{above}{name}")
    return found
