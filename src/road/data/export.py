"""Datasets in the formats of other libraries."""

import shutil
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from road.data.dataset import Dataset
from road.data.formats import need
from road.data.formats.hdf5 import BOX
from road.data.formats.hdf5_file import writing_hdf5
from road.data.log import ALIASES
from road.data.memory import blocks
from road.data.sources.minari import dataset_folder
from road.errors import StorageError, UsageError
from road.files import remove_folder, replacing, storage_errors

D4RL_NAMES = {name: aliases[1] for name, aliases in ALIASES.items()}


def write_d4rl(
    dataset: Dataset, path: Path, attributes: Mapping[str, str] = MappingProxyType({})
) -> Path:
    """A flat HDF5 file in D4RL's layout, packed; it appears whole or not at all.

    Args:
        dataset: Its actions are written in [-1, 1].
        path: The file; one that is there is replaced.
        attributes: Texts to keep with the file, by name.
    """
    with storage_errors(f"write {path}"), replacing(path) as file, writing_hdf5(file) as archive:
        for field, array in dataset.arrays().items():
            chunks = (min(len(array), 16_384), *array.shape[1:])
            kept = archive.create_dataset(
                D4RL_NAMES[field], array.shape, array.dtype,
                chunks=chunks, compression="gzip", compression_opts=4, fletcher32=True,
            )  # fmt: skip
            for block in blocks(len(array)):
                kept[block] = array[block]
        # Whatever the environment's own box is: these are mapped already.
        archive[D4RL_NAMES["action"]].attrs[BOX] = np.array([-1.0, 1.0])
        archive.attrs.update(attributes)
    return path


def write_minari(
    dataset: Dataset,
    name: str,
    *,
    environment: str | None = None,
    score_range: tuple[float, float] | None = None,
) -> Path:
    """A Minari dataset of that id, made by Minari itself (the extra ``minari``).

    Args:
        dataset: Its actions are written in [-1, 1], and so is the action space.
        name: An id such as ``namespace/robot/level-v0``.
        environment: The id of the environment that it was logged in, to be noted.
        score_range: The returns that score 0 and 1.
    """
    from gymnasium.spaces import Box

    minari = need("minari", "minari", "writing Minari datasets")
    folder = dataset_folder(name)
    if folder.exists():
        raise UsageError(f"minari:{name} exists already at {folder}; choose another id")
    low, high = score_range if score_range is not None else (None, None)
    needed = sum(array.nbytes for array in dataset.arrays().values())
    check_space(folder, needed)
    try:
        with storage_errors(f"write {folder}"), warnings.catch_warnings():
            # Minari asks for authors and licences, which a log does not have.
            warnings.simplefilter("ignore", UserWarning)
            minari.create_dataset_from_buffers(
                name, list(episode_buffers(dataset)), environment,
                observation_space=Box(-np.inf, np.inf, dataset.observation.shape[1:], np.float32),
                action_space=Box(-1.0, 1.0, dataset.action.shape[1:], np.float32),
                data_format="hdf5", ref_min_score=low, ref_max_score=high,
            )  # fmt: skip
    except ValueError as error:  # its own rules for ids are narrower
        remove_folder(folder)
        raise UsageError(f"minari:{name}: {error}") from error
    except BaseException:
        remove_folder(folder)
        raise
    return folder


def check_space(folder: Path, needed: int) -> None:
    """Whether a disk has that many bytes left; HDF5 crashes the process where they run out.

    Raises:
        StorageError: it has not.
    """
    existing = next(parent for parent in folder.absolute().parents if parent.exists())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise StorageError(
            f"cannot write {folder}: it needs {needed:,} bytes where {free:,} are free"
        )


def episode_buffers(dataset: Dataset) -> Iterator[Any]:
    """Every episode, with one observation more than it has steps."""
    from minari.data_collector import EpisodeBuffer

    buffer: Any = EpisodeBuffer  # its annotations ask for lists, it takes arrays
    start = 0
    for index, stop in enumerate((np.flatnonzero(dataset.episode_ends) + 1).tolist()):
        steps, start = slice(start, stop), stop
        last = dataset.next_observation[stop - 1 : stop]
        yield buffer(
            id=index,
            observations=np.concatenate([dataset.observation[steps], last]),
            actions=dataset.action[steps],
            rewards=dataset.reward[steps],
            terminations=dataset.terminated[steps],
            truncations=dataset.truncated[steps],
        )
