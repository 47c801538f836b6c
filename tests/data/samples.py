"""A small log that all tests of this package use, and ways to write it down."""

import csv
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from road.data import Dataset

Arrays = dict[str, np.ndarray]

LENGTHS = (5, 4, 6)
"""Of three episodes: the first terminates, the others are cut."""


def sample(**changes: Any) -> Arrays:
    """Fifteen rows of three episodes under D4RL's names, with some arrays exchanged."""
    rng = np.random.default_rng(3)
    walks = [rng.normal(size=(length + 1, 3)).astype(np.float32) for length in LENGTHS]
    rows = sum(LENGTHS)
    ends = np.cumsum(LENGTHS) - 1
    return {
        "observations": np.concatenate([walk[:-1] for walk in walks]),
        "actions": rng.uniform(-1, 1, size=(rows, 2)).astype(np.float32),
        "rewards": rng.normal(size=rows).astype(np.float32),
        "next_observations": np.concatenate([walk[1:] for walk in walks]),
        "terminals": np.isin(np.arange(rows), ends[:1]),
        "timeouts": np.isin(np.arange(rows), ends[1:]),
        **changes,
    }


def dataset_of(arrays: Arrays) -> Dataset:
    """The dataset that the log represents: nothing is to be guessed or changed."""
    return Dataset(
        observation=arrays["observations"],
        action=arrays["actions"],
        reward=arrays["rewards"],
        next_observation=arrays["next_observations"],
        terminated=arrays["terminals"],
        truncated=arrays["timeouts"],
    )


def with_value(name: str, place: Any, value: float) -> Arrays:
    arrays = sample()
    arrays[name][place] = value
    return arrays


def assert_same(left: Dataset, right: Dataset) -> None:
    for name, array in left.arrays().items():
        np.testing.assert_array_equal(array, right.arrays()[name], strict=True, err_msg=name)


def write_hdf5(path: Path, arrays: Arrays) -> Path:
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            file.create_dataset(name, data=array, compression="gzip")
    return path


def episodes_of(arrays: Arrays) -> list[Arrays]:
    """One observation more than steps, and flags per step."""
    bounds = np.cumsum(LENGTHS)[:-1]
    parts = {name: np.split(array, bounds) for name, array in arrays.items()}
    return [
        {
            "observations": np.concatenate([obs, following[-1:]]),
            "actions": actions,
            "rewards": rewards,
            "terminals": terminals,
            "timeouts": timeouts,
        }
        for obs, following, actions, rewards, terminals, timeouts in zip(
            parts["observations"],
            parts["next_observations"],
            parts["actions"],
            parts["rewards"],
            parts["terminals"],
            parts["timeouts"],
            strict=True,
        )
    ]


def columns_of(arrays: Arrays) -> dict[str, np.ndarray]:
    """One column per number."""
    wide = {name: array.reshape(len(array), -1) for name, array in arrays.items()}
    return {
        name if array.shape[1] == 1 else f"{name}_{column}": array[:, column]
        for name, array in wide.items()
        for column in range(array.shape[1])
    }


def write_csv(path: Path, arrays: Arrays) -> Path:
    columns = columns_of(arrays)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return path
