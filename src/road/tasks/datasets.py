"""How a task gets its dataset: made once and cached on disk, or read from a source.

The cache is a shortcut: it may be missing, damaged or read-only at any time.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from road.data.dataset import ARRAYS, Dataset
from road.data.on_disk import data_folder
from road.errors import DataError
from road.files import replacing
from road.tasks.wrappers import Box

FORMAT = 1
"""Raised whenever the layout of the file or the way any dataset is made changes."""


def cache_dataset(name: str, make: Callable[[int], Dataset], seed: int = 0) -> Dataset:
    """The dataset of that name and seed, made at most once per cache folder."""
    key = f"{name}-seed{seed}-format{FORMAT}"
    path = data_folder() / f"{key}.npz"
    try:
        return read_cache(path, key)
    except Exception:  # absent, damaged or foreign: there is no end to what a parser can raise
        dataset = make(seed)
    # A full disk or a read-only folder costs the next run a few seconds, not this run.
    with contextlib.suppress(OSError):
        write_cache(path, key, dataset)
    return dataset


def read_cache(path: Path, key: str) -> Dataset:
    """Reads every byte, so the zip's own checksums find what has rotted."""
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        if archive["key"].item() != key:
            raise DataError(f"{path}: holds another dataset than {key}")
        return Dataset(**{name: archive[name] for name in ARRAYS})


def write_cache(path: Path, key: str, dataset: Dataset) -> None:
    with replacing(path) as file:
        np.savez(file, allow_pickle=False, key=np.array(key), **dataset.arrays())


def read_dataset(
    source: str, mend: Callable[[Dataset], Dataset], action_box: Callable[[], Box] | None = None
) -> Dataset:
    """The dataset of a source, mended; its actions are in that box if it does not say itself."""
    from road.data import load  # file formats are heavy, and only runs need them

    return mend(load(source, action_box=None if action_box is None else action_box()))
