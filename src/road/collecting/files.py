"""A level as a file in D4RL's layout, with a description of its origin, or as a Minari dataset."""

import importlib.util
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import gymnasium

from road.collecting.environment import EnvironmentInfo
from road.data.dataset import Dataset
from road.data.export import write_d4rl, write_minari
from road.data.formats.hdf5 import open_hdf5
from road.data.load import load
from road.data.sources.minari import dataset_folder
from road.errors import DataError, StorageError, UsageError

DESCRIPTION = "collection"
"""Attribute of the file: JSON with what was asked for and what came out."""


@dataclass(frozen=True)
class Level:
    """A level that is on disk."""

    name: str
    path: Path
    description: Mapping[str, Any]
    """What was ``asked`` for and what ``came`` of it."""
    fresh: bool
    """Whether it was made now."""


def file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)


def write_level(dataset: Dataset, path: Path, asked: Mapping[str, Any], came: Any) -> None:
    """The file with its description; it appears whole or not at all."""
    text = json.dumps({"asked": asked, "came": came}, sort_keys=True)
    write_d4rl(dataset, path, {DESCRIPTION: text})


def description(path: Path) -> dict[str, Any] | None:
    """The description in a file; None if it has none."""
    try:
        with open_hdf5(path) as file:
            found = json.loads(str(file.attrs.get(DESCRIPTION, "null")))
    except (DataError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def is_there(path: Path, asked: Mapping[str, Any]) -> bool:
    """Whether the file is there as it is asked for.

    Raises:
        UsageError: another file has its name.
    """
    if not path.exists():
        return False
    found = description(path)
    if found is None or found.get("asked") != json.loads(json.dumps(asked)):
        raise UsageError(
            f"{path} exists already and was made otherwise; choose another --out or remove it"
        )
    return True


def prepare(folder: Path) -> None:
    """A folder that can be written to, before hours are spent on what goes there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StorageError(f"cannot write to {folder}: {error.strerror or error}") from error


def minari_id(info: EnvironmentInfo, level: str) -> str:
    """Minari takes no dots in a namespace."""
    return f"road/{file_name(info.name).lower().replace('.', '-')}/{level}-v0"


def check_minari(info: EnvironmentInfo, levels: tuple[str, ...], out: Path) -> None:
    """Before anything is made: whether Minari is there and none of the ids is taken.

    An id may be taken if the level's file is in the folder too: then both were made before.
    """
    if importlib.util.find_spec("minari") is None:
        raise UsageError("--minari needs the package; run pip install 'road-o2o[minari]'")
    for level in levels:
        folder = dataset_folder(minari_id(info, level))
        if folder.exists() and not (out / f"{file_name(info.name)}-{level}.hdf5").exists():
            raise UsageError(f"minari:{minari_id(info, level)} is taken, at {folder}; remove it")


def write_minari_levels(levels: list[Level], info: EnvironmentInfo) -> Iterator[Path]:
    """Every level that is not there yet."""
    score_range = known_range(levels, info)
    for level in levels:
        name = minari_id(info, level.name)
        folder = dataset_folder(name)
        if not folder.exists():
            write_minari(
                load(f"file:{level.path}"),
                name,
                environment=noted_environment(info),
                score_range=score_range,
            )
        yield folder


def noted_environment(info: EnvironmentInfo) -> str | None:
    """The id, where Minari can write it down: not if it was registered as a Python object."""
    name = info.environment_id.rpartition(":")[2]
    try:
        gymnasium.spec(name).to_json()
    except (gymnasium.error.Error, ValueError):
        return None
    return name


def known_range(levels: list[Level], info: EnvironmentInfo) -> tuple[float, float] | None:
    """Of a listed task its own references, else the mean returns of random and expert."""
    if info.score is not None:
        return info.score.minimum, info.score.maximum
    means = {level.name: float(level.description["came"]["return_mean"]) for level in levels}
    low, high = means.get("random"), means.get("expert")
    return (low, high) if low is not None and high is not None and low < high else None
