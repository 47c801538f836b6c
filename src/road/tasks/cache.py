"""Generated datasets on disk: a shortcut that may be missing, damaged or forbidden at any time."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from road.data.dataset import ARRAYS, Dataset
from road.data.folder import data_folder, written_aside
from road.errors import DataError

FORMAT = 1
"""Raised whenever the layout of the file or the way any dataset is made changes."""


def cached(name: str, make: Callable[[int], Dataset], seed: int = 0) -> Dataset:
    """The dataset of that name and seed, made at most once per cache folder."""
    key = f"{name}-seed{seed}-format{FORMAT}"
    path = data_folder() / f"{key}.npz"
    try:
        return read(path, key)
    except Exception:  # absent, damaged or foreign: there is no end to what a parser can raise
        dataset = make(seed)
    # A full disk or a read-only folder costs the next run a few seconds, not this run.
    with contextlib.suppress(OSError):
        write(path, key, dataset)
    return dataset


def read(path: Path, key: str) -> Dataset:
    """Reads every byte, so the zip's own checksums find what has rotted."""
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        if archive["key"].item() != key:
            raise DataError(f"{path}: holds another dataset than {key}")
        return Dataset(**{name: archive[name] for name in ARRAYS})


def write(path: Path, key: str, dataset: Dataset) -> None:
    with written_aside(path) as file:
        np.savez(file, allow_pickle=False, key=np.array(key), **dataset.arrays())
