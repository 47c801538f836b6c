"""A policy in one NPZ file: plain arrays, and a line of JSON about observations and actions.

A file of one network is also a policy for ``road data collect``; one of several (PEX) has the name
of each before its arrays, as in ``critic.0.w_1``.
"""

import json
from pathlib import Path
from typing import Any, cast

import numpy as np

from road.data.formats.npz import read_arrays
from road.errors import DataError, StorageError
from road.files import replacing, storage_errors
from road.policies.arrays import Arrays
from road.policies.saved import Saved, describe_origin
from road.policies.spaces import spaces_from
from road.records.interface import FORMAT

DESCRIPTION = "road"
"""Name of the array that holds the JSON."""


def write_policy_file(saved: Saved, path: Path) -> Path:
    """Write all that ``load_policy`` needs; the file appears whole or not at all."""
    arrays = {DESCRIPTION: np.array(describe_origin(saved))}
    for name, network in saved.networks.items():
        arrays |= {f"{name}.{key}" if name else key: array for key, array in network.items()}
    with storage_errors(f"write {path}"), replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)
    return path


def read_policy_file(path: Path) -> Saved:
    """The inverse of ``write_policy_file``.

    Raises:
        DataError: it is not such a file.
    """
    arrays = dict(read_arrays(path))
    described = description(path, arrays)
    try:
        sharpness = described.get("sharpness")
        saved = Saved(
            split(arrays),
            spaces_from(described),
            str(described.get("name", path.name)),
            path,
            None if sharpness is None else float(sharpness),
        )
        saved.network()
    except (StorageError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} is damaged: {error}; export it again") from error
    return saved


def description(path: Path, arrays: Arrays) -> dict[str, Any]:
    if DESCRIPTION not in arrays:
        raise DataError(f"{path} is no policy that `road export numpy` wrote")
    try:
        described = json.loads(str(arrays.pop(DESCRIPTION)))
        form = described.get("format")
    except (ValueError, AttributeError, RecursionError) as error:
        raise DataError(f"{path} is damaged: what it says of itself cannot be read") from error
    if form != FORMAT:
        raise DataError(f"{path} has format {form!r}, this version of road reads {FORMAT}")
    return cast("dict[str, Any]", described)


def split(arrays: Arrays) -> dict[str, Arrays]:
    """The arrays of each network."""
    networks: dict[str, Arrays] = {}
    for key, array in arrays.items():
        name, _, own = key.rpartition(".")
        networks.setdefault(name, {})[own] = array
    return networks
