"""RLDS: folders of episodes as TensorFlow Datasets writes them, read without TensorFlow.

features.json describes the steps, *.tfrecord* files hold an episode per record. A step has an
observation, the action taken there and the reward it earned, ``is_last`` and ``is_terminal``; of
the last step only the observation counts, it is the successor of the one before. Texts and images
are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Finding
from road.data.formats.arrays import make_episode_log
from road.data.formats.metadata import read_metadata
from road.data.formats.tfrecord import Values, parse_example, read_records
from road.data.log import Log
from road.errors import DataError

FEATURES = "features.json"
RECORDS = "*.tfrecord*"
NUMBERS = ("float16", "float32", "float64", "bool", "int8", "int16", "int32", "int64", "uint8")
STEPS, TERMINAL = "steps", "steps/is_terminal"
MOST_DEPTH = 20


@dataclass(frozen=True)
class Parts:
    """Names of features and how many numbers each has per step."""

    observation: Mapping[str, int]
    action: Mapping[str, int]
    left_out: Sequence[str]

    @property
    def names(self) -> frozenset[str]:
        return frozenset({*self.observation, *self.action, "steps/reward", TERMINAL})


def is_rlds(folder: Path) -> bool:
    return (folder / FEATURES).is_file()


def read_rlds(folder: Path, keys: Sequence[str] | None) -> Log:
    """All episodes of all splits, in the order of the file names.

    Raises:
        DataError: it is no such dataset, or a record of it is damaged.
    """
    files = sorted(folder.glob(RECORDS))
    if not files:
        raise DataError(f"{folder}: there are no {RECORDS} files; download it again")
    parts = find_parts(folder / FEATURES, keys)
    log = make_episode_log(str(folder), read_episodes(files, parts))
    if parts.left_out:
        text = f"left out {', '.join(parts.left_out)[:160]}: images and texts are not read"
        log.notes.append(Finding("note", text))
    return log


def find_parts(path: Path, keys: Sequence[str] | None) -> Parts:
    """What to read of a step, by the description of the dataset."""
    features = dict(flatten(path, read_metadata(path), ""))
    observed = {n: w for n, w in features.items() if within(n, f"{STEPS}/observation")}
    action = {n: w for n, w in features.items() if within(n, f"{STEPS}/action")}
    vectors = {name: width for name, width in observed.items() if width is not None}
    if keys is not None:
        named = {f"{STEPS}/observation/{key}": key for key in keys}
        absent = [key for name, key in named.items() if name not in vectors]
        if absent:
            held = ", ".join(name.removeprefix(f"{STEPS}/observation/") for name in vectors)
            raise DataError(f"{path}: no observation {absent[0]!r} of numbers; it has {held[:160]}")
        vectors = {name: vectors[name] for name in named}
    numbers = {name: width for name, width in action.items() if width is not None}
    for name, found in (("observation", vectors), ("action", numbers)):
        if not found:
            raise DataError(f"{path}: {STEPS}/{name} has no vectors of numbers")
    if features.get("steps/reward") is None:
        raise DataError(f"{path}: there is no array for reward among the steps")
    return Parts(vectors, numbers, [name for name, width in observed.items() if width is None])


def within(name: str, above: str) -> bool:
    return name == above or name.startswith(f"{above}/")


def flatten(
    path: Path, feature: Any, above: str, depth: int = 0
) -> Iterator[tuple[str, int | None]]:
    """Every feature by its full name: how many numbers it has, None if it holds something else."""
    if depth > MOST_DEPTH or not isinstance(feature, dict):
        raise DataError(f"{path}: damaged metadata (at {above[:60]!r}); get it again")
    described = cast("dict[str, Any]", feature)
    listed = described.get("featuresDict")
    if isinstance(listed, dict):
        members: Any = cast("dict[str, Any]", listed).get("features")
        for name in sorted(members) if isinstance(members, dict) else ():
            below = f"{above}/{name}" if above else str(name)
            yield from flatten(path, members[name], below, depth + 1)
    elif isinstance(described.get("sequence"), dict):
        yield from flatten(path, described["sequence"].get("feature"), above, depth + 1)
    else:
        yield above, width_of(described.get("tensor"))


def width_of(tensor: Any) -> int | None:
    """Numbers per step, of a scalar or a vector that is stored as it is."""
    if not isinstance(tensor, dict):
        return None
    described = cast("dict[str, Any]", tensor)
    plain = described.get("encoding", "none") == "none" and described.get("dtype") in NUMBERS
    shape: Any = described.get("shape")
    lengths: Any = shape.get("dimensions", []) if isinstance(shape, dict) else None
    if not plain or not isinstance(lengths, list) or len(lengths) > 1:
        return None
    text = str(lengths[0]) if lengths else "1"
    return int(text) if text.isdigit() and 0 < int(text) < 2**31 else None


def read_episodes(
    files: Sequence[Path], parts: Parts
) -> Iterator[tuple[str, dict[str, NDArray[Any]]]]:
    """Every episode with what messages call it, one observation more than it has actions."""
    for file in files:
        for index, record in enumerate(read_records(file)):
            where = f"{file.name}, record {index}"
            try:
                values = parse_example(record, parts.names)
                episode = episode_of(values, parts)
            except (ValueError, KeyError) as error:
                raise DataError(
                    f"{file}: record {index} is not what {FEATURES} says ({error}); get it again"
                ) from error
            if len(episode["rewards"]):
                yield where, episode


def episode_of(values: Mapping[str, Values], parts: Parts) -> dict[str, NDArray[Any]]:
    steps = len(values["steps/reward"])
    terminal = values.get(TERMINAL, np.zeros(steps, np.int64))
    if len(terminal) != steps:
        raise ValueError(f"{len(terminal)} is_terminal for {steps} rewards")
    return {
        "observations": beside(values, parts.observation, steps),
        "actions": beside(values, parts.action, steps)[:-1],
        "rewards": values["steps/reward"][:-1],
        "terminals": np.asarray(bool(terminal.any())),
    }


def beside(values: Mapping[str, Values], widths: Mapping[str, int], steps: int) -> NDArray[Any]:
    """The features side by side."""
    for name, width in widths.items():
        if len(values[name]) != steps * width:
            raise ValueError(f"{name} has {len(values[name])} numbers for {steps} steps of {width}")
    return np.concatenate([values[name].reshape(steps, -1) for name in widths], axis=1)
