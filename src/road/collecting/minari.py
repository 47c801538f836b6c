"""The same levels as Minari datasets, with the returns that score 0 and 1."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import gymnasium

from road.collecting.ladder import Level, file_name
from road.collecting.place import Place
from road.data.loading import load
from road.data.sources.minari import dataset_folder
from road.data.writing import write_minari
from road.errors import UsageError


def minari_id(place: Place, level: str) -> str:
    """Minari takes no dots in a namespace."""
    return f"road/{file_name(place.name).lower().replace('.', '-')}/{level}-v0"


def check_minari(place: Place, levels: tuple[str, ...], out: Path) -> None:
    """Before anything is made: whether Minari is there and none of the ids is taken.

    An id may be taken if the level's file is in the folder too: then both were made before.
    """
    if importlib.util.find_spec("minari") is None:
        raise UsageError("--minari needs the package; run pip install 'road-rl[minari]'")
    for level in levels:
        folder = dataset_folder(minari_id(place, level))
        if folder.exists() and not (out / f"{file_name(place.name)}-{level}.hdf5").exists():
            raise UsageError(f"minari:{minari_id(place, level)} is taken, at {folder}; remove it")


def write_minari_levels(levels: list[Level], place: Place) -> Iterator[Path]:
    """Every level that is not there yet."""
    score_range = known_range(levels, place)
    for level in levels:
        name = minari_id(place, level.name)
        folder = dataset_folder(name)
        if not folder.exists():
            write_minari(
                load(f"file:{level.path}"),
                name,
                environment=noted_environment(place),
                score_range=score_range,
            )
        yield folder


def noted_environment(place: Place) -> str | None:
    """The id, where Minari can write it down: not if it was registered as a Python object."""
    name = place.environment_id.rpartition(":")[2]
    try:
        gymnasium.spec(name).to_json()
    except (gymnasium.error.Error, ValueError):
        return None
    return name


def known_range(levels: list[Level], place: Place) -> tuple[float, float] | None:
    """Of a listed task its own references, else the mean returns of random and expert."""
    if place.score is not None:
        return place.score.minimum, place.score.maximum
    means = {level.name: float(level.told["came"]["return_mean"]) for level in levels}
    low, high = means.get("random"), means.get("expert")
    return (low, high) if low is not None and high is not None and low < high else None
