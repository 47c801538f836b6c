"""``d4rl:`` names: the files that D4RL published, read without D4RL.

Fu, Kumar, Nachum, Tucker and Levine, "D4RL: Datasets for Deep Data-Driven Reinforcement Learning"
(2020); the data is under CC BY 4.0.
"""

import os
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from road.data.formats.file import detect_format
from road.data.formats.hdf5 import read_hdf5
from road.data.log import Log
from road.data.memory import Allocate, in_memory
from road.data.on_disk import data_folder
from road.errors import DataError
from road.names import find_name

SERVER = "http://rail.eecs.berkeley.edu/datasets/offline_rl"
"""D4RL's own; ROAD_D4RL_URL names a mirror."""


@dataclass(frozen=True)
class Published:
    """A file as it was published."""

    path: str
    """Below the server."""
    sha256: str | None = None
    """Known only where a genuine copy was at hand."""

    @property
    def url(self) -> str:
        return f"{os.environ.get('ROAD_D4RL_URL', SERVER).rstrip('/')}/{self.path}"

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def locomotion() -> dict[str, Published]:
    robots = ("halfcheetah", "hopper", "walker2d", "ant")
    levels = ("random", "medium", "expert", "medium-replay", "full-replay", "medium-expert")
    return {
        f"{robot}-{level}-v2": Published(f"gym_mujoco_v2/{robot}_{level.replace('-', '_')}-v2.hdf5")
        for robot, level in product(robots, levels)
    }


def mazes() -> dict[str, Published]:
    """Name of the task; maze, whether starts vary, whether goals do."""
    known = {
        "umaze": ("u-maze", False, False),
        "umaze-diverse": ("u-maze", True, True),
        "medium-play": ("big-maze", True, False),
        "medium-diverse": ("big-maze", True, True),
        "large-play": ("hardest-maze", True, False),
        "large-diverse": ("hardest-maze", True, True),
    }
    return {
        f"antmaze-{name}-v2": Published(
            f"ant_maze_v2/Ant_maze_{maze}_noisy_multistart_{starts}_multigoal_{goals}_sparse_fixed.hdf5"
        )
        for name, (maze, starts, goals) in known.items()
    }


def hands() -> dict[str, Published]:
    tasks, levels = ("pen", "door", "hammer", "relocate"), ("human", "cloned", "expert")
    return {
        f"{task}-{level}-v1": Published(f"hand_dapg_v1/{task}-{level}-v1.hdf5")
        for task, level in product(tasks, levels)
    }


KITCHENS = {
    "kitchen-complete-v0": Published(
        "kitchen/mini_kitchen_microwave_kettle_light_slider-v0.hdf5",
        sha256="cd797c38cd52dfbe3f960cef73935cc724847abd189e47a703a7a2315ed60a81",
    ),
    "kitchen-partial-v0": Published("kitchen/kitchen_microwave_kettle_light_slider-v0.hdf5"),
    "kitchen-mixed-v0": Published("kitchen/kitchen_microwave_kettle_bottomburner_light-v0.hdf5"),
}

PUBLISHED = {**locomotion(), **mazes(), **KITCHENS, **hands()}


def find_published(name: str) -> Published:
    return find_name(name, PUBLISHED, "d4rl dataset")


def download_path(file: Published) -> Path:
    """Where a downloaded file is put."""
    return data_folder() / "d4rl" / file.name


def find_copy(file: Published) -> Path | None:
    """A copy on this machine: ours, or the one that the d4rl package has downloaded."""
    theirs = Path(os.environ.get("D4RL_DATASET_DIR", Path.home() / ".d4rl" / "datasets"))
    return next(
        (path for path in (download_path(file), theirs / file.name) if path.is_file()), None
    )


def read_d4rl(name: str, allocate: Allocate = in_memory) -> Log:
    """The rows of a published file that is on this machine.

    Raises:
        DataError: it is not, or it cannot be read.
    """
    file = find_published(name)
    path = find_copy(file)
    if path is None:
        raise DataError(
            f"d4rl:{name} is not on this machine: run `road data download d4rl:{name}`, "
            f"or get {file.url} and put it at {download_path(file)}"
        )
    if detect_format(path) != "hdf5":
        raise DataError(f"{path}: this is not an HDF5 file; remove it and download it again")
    return read_hdf5(path, allocate)
