"""``minari:`` ids: Minari's folders, read without Minari.

The stored description of an environment can name code to run, so nothing of it is used but the
two spaces. Dict observations are laid side by side: the chosen keys in the given order, or all of
them in alphabetical order, ``group/key`` for nested ones.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.formats.arrays import make_episode_log
from road.data.formats.hdf5 import names, open_hdf5, read_array, step_into
from road.data.formats.hdf5_groups import array_names, side_by_side
from road.data.log import Box, Log
from road.errors import DataError, UsageError

ID = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*-v\d+")
LARGEST_METADATA = 16 * 2**20
MAIN = "main_data.hdf5"


def dataset_folder(name: str) -> Path:
    """Where Minari keeps a dataset; an id never leads out of its root."""
    if not ID.fullmatch(name):
        raise UsageError(f"minari:{name} is not an id; ids look like D4RL/door/human-v2")
    chosen = os.environ.get("MINARI_DATASETS_PATH")
    return (Path(chosen) if chosen else Path.home() / ".minari" / "datasets") / name


def read_minari(name: str, keys: Sequence[str] | None = None) -> Log:
    """A dataset that is on this machine.

    Raises:
        DataError: it is not, or it cannot be read.
    """
    folder = dataset_folder(name) / "data"
    path = folder / MAIN
    if not path.is_file() and folder.is_dir():
        raise DataError(
            f"{folder}: there is no {MAIN}: half a download, or a dataset in Arrow's format, which "
            "is not read here; remove the folder and download it again, or convert it with minari"
        )
    if not path.is_file():
        raise DataError(
            f"minari:{name} is not on this machine: run `road data download minari:{name}`, "
            f"or put its folder at {folder.parent}"
        )
    box = action_box(folder / "metadata.json")
    with open_hdf5(path) as file:
        episodes = ((name, read_episode(path, file, name, keys)) for name in episode_names(file))
        log = make_episode_log(str(path), episodes)
    log.action_box = box
    return log


def episode_names(file: Any) -> list[str]:
    """The episodes by their number, not by their name."""
    found = [name for name in names(file) if re.fullmatch(r"episode_\d+", name)]
    return sorted(found, key=lambda name: int(name.removeprefix("episode_")))


def read_episode(path: Path, file: Any, name: str, keys: Sequence[str] | None) -> dict[str, Any]:
    episode = step_into(path, file, name)
    parts = ("actions", "rewards", "terminations", "truncations")
    arrays = {part: read_array(path, episode, part, part) for part in parts}
    return {"observations": observations(path, episode, keys), **arrays}


def observations(path: Path, episode: Any, keys: Sequence[str] | None) -> NDArray[np.float32]:
    """Flat observations: one array, or the chosen parts of a dict side by side."""
    import h5py

    found = step_into(path, episode, "observations")
    if isinstance(found, h5py.Dataset):
        if keys is not None:
            raise UsageError(f"{path}: its observations have no keys; leave them out")
        return read_array(path, episode, "observations", "observations")
    chosen = list(array_names(path, found)) if keys is None else list(keys)
    if not chosen:
        raise DataError(f"{path}: observations of {episode.name} hold no arrays")
    return side_by_side(path, found, chosen)


def action_box(path: Path) -> Box | None:
    """The edges of the action space, if the metadata has them."""
    space = space_of(path, "action_space")
    if space is None:
        return None
    if space.get("type") != "Box":
        raise DataError(
            f"{path}: the actions are {space.get('type')}; only continuous actions can be learnt"
        )
    try:
        edges = [np.asarray(space.get(edge), np.float64).reshape(-1) for edge in ("low", "high")]
    except (ValueError, TypeError) as error:
        raise DataError(f"{path}: damaged metadata ({error}); get it again") from error
    # An action space without edges says nothing about the actions in the log.
    return (edges[0], edges[1]) if np.isfinite(edges).all() else None


def space_of(path: Path, name: str) -> Mapping[str, Any] | None:
    """A space as Minari writes it: JSON inside of JSON."""
    try:
        if path.stat().st_size > LARGEST_METADATA:
            raise DataError(f"{path}: {path.stat().st_size:,} bytes of metadata; get it again")
        written = json.loads(path.read_text("utf-8")).get(name)
        space = None if written is None else json.loads(written)
        if not isinstance(space, dict | None):
            raise ValueError(f"{name} is no table of names and values")
        return space
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise DataError(f"{path}: damaged metadata ({error}); get it again") from error
