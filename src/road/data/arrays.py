"""Datasets from arrays in memory: a whole log, episodes one by one, or a replay buffer."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import FLAGS, Dataset
from road.data.log import Log, find_names, make_log
from road.data.reading import AS_LOGGED, Reading, understand
from road.errors import DataError


def from_arrays(arrays: Mapping[str, Any], reading: Reading = AS_LOGGED) -> Dataset:
    """A dataset of rows in time order, under the names of D4RL, Minari or this library.

    ``observations``, ``actions`` and ``rewards`` are needed; ``terminals`` and ``timeouts`` mark
    the ends of episodes, ``next_observations`` may be left out. The arrays are copied.

    Raises:
        DataError: the arrays cannot be learnt from; the message names array, row and value.
    """
    copies = {name: np.array(array) for name, array in arrays.items()}
    return understand(log_of("arrays", copies), reading)


def log_of(where: str, arrays: Mapping[str, NDArray[Any]]) -> Log:
    """A log of the arrays that have a known name; they are used up."""
    names = find_names(where, arrays)
    return make_log(where, {field: arrays[name] for field, name in names.items()})


def from_episodes(episodes: Iterable[Mapping[str, Any]], reading: Reading = AS_LOGGED) -> Dataset:
    """A dataset of whole episodes, each with one observation more than it has actions.

    Where ``next_observations`` are given instead, there are as many of each. The flags may be one
    per step or one per episode; without any, an episode is taken as cut.
    """
    return understand(log_of_episodes("episodes", episodes), reading)


def log_of_episodes(where: str, episodes: Iterable[Mapping[str, Any]]) -> Log:
    rows = [episode_rows(f"{where}: episode {i}", each) for i, each in enumerate(episodes)]
    if not rows:
        raise DataError(f"{where}: there is no episode; at least one is needed")
    check_alike(where, rows)
    return make_log(
        where, {name: np.concatenate([each[name] for each in rows]) for name in rows[0]}
    )


def check_alike(where: str, rows: list[dict[str, NDArray[Any]]]) -> None:
    """Whether observations and actions of all episodes have the same columns."""
    for name in ("observation", "action"):
        shapes = [each[name].shape[1:] for each in rows]
        other = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
        if other is not None:
            raise DataError(
                f"{where}: {name} of episode {other} has shape {shapes[other]} per row where "
                f"episode 0 has {shapes[0]}; all episodes come from one space"
            )


def episode_rows(where: str, episode: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """The rows of one episode, its last one marked as its end."""
    names = find_names(where, episode)
    found = {field: np.asarray(episode[name]) for field, name in names.items()}
    steps = len(found["reward"]) if found["reward"].ndim else 0
    if steps == 0:
        raise DataError(f"{where} has no rewards; leave out empty episodes")
    observation = found["observation"]
    if "next_observation" not in found:
        if len(observation) != steps + 1:
            raise DataError(
                f"{where} has {len(observation)} observations for {steps} rewards "
                f"(needs {steps + 1}: one more than steps)"
            )
        found["observation"], found["next_observation"] = observation[:-1], observation[1:]
    flags = {name: flag_per_step(found.get(name, False), steps) for name in FLAGS}
    flags["truncated"][-1] |= not flags["terminated"][-1]
    return {**found, **flags}


def flag_per_step(flag: Any, steps: int) -> NDArray[np.bool_]:
    """One flag for the whole episode is about its last step."""
    given = np.asarray(flag)
    if given.ndim:
        return given.reshape(-1) != 0
    marks = np.zeros(steps, np.bool_)
    marks[-1] = bool(given)
    return marks
