"""Datasets from arrays in memory: a whole log, episodes one by one, or a replay buffer."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import FLAGS, Dataset
from road.data.interpret import AS_LOGGED, Reading, interpret
from road.data.log import Log, as_flags, find_names, make_log
from road.errors import DataError


def from_arrays(arrays: Mapping[str, Any], reading: Reading = AS_LOGGED) -> Dataset:
    """A dataset of rows in time order, under the names of D4RL, Minari or this library.

    ``observations``, ``actions`` and ``rewards`` are needed; ``terminals`` and ``timeouts`` mark
    the ends of episodes, ``next_observations`` may be left out. The arrays are copied.

    Raises:
        DataError: the arrays cannot be learnt from; the message names array, row and value.
    """
    copies = {
        name: np.array(as_array("arrays", name, array)) for name, array in named(arrays).items()
    }
    return interpret(make_array_log("arrays", copies), reading)


def named(arrays: Any, where: str = "arrays") -> Mapping[str, Any]:
    """What a caller gave, if it is arrays by their names."""
    if not isinstance(arrays, Mapping):
        raise DataError(
            f"{where}: expected a dict of arrays by name, such as observations, actions and "
            f"rewards, got {type(arrays).__name__}"
        )
    wrong = next((name for name in arrays if not isinstance(name, str)), None)
    if wrong is not None:
        raise DataError(f"{where}: arrays are named by text, got {str(wrong)[:40]!r}")
    return cast("Mapping[str, Any]", arrays)


def as_array(where: str, name: str, given: Any) -> NDArray[Any]:
    """What was given as one array; rows of different lengths are none."""
    try:
        return np.asarray(given)
    except (ValueError, TypeError, OverflowError) as error:
        text = " ".join(str(error).split())[:100]
        raise DataError(f"{where}: {name} is no array of numbers ({text})") from error


def make_array_log(where: str, arrays: Mapping[str, NDArray[Any]]) -> Log:
    """A log of the arrays that have a known name; they are used up."""
    names = find_names(where, arrays)
    return make_log(where, {field: arrays[name] for field, name in names.items()})


def from_episodes(episodes: Iterable[Mapping[str, Any]], reading: Reading = AS_LOGGED) -> Dataset:
    """A dataset of whole episodes, each with one observation more than it has actions.

    Where ``next_observations`` are given instead, there are as many of each. The flags may be one
    per step or one per episode; without any, an episode is taken as cut.
    """
    given: Any = episodes  # a caller's own code may give anything
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise DataError(
            f"episodes: expected a list of episodes, each a dict of arrays, got "
            f"{type(episodes).__name__}"
        )
    labelled = ((f"episode {index}", episode) for index, episode in enumerate(episodes))
    return interpret(make_episode_log("episodes", labelled), reading)


def make_episode_log(where: str, episodes: Iterable[tuple[str, Mapping[str, Any]]]) -> Log:
    """A log of episodes, one after the other; each comes with what messages call it."""
    rows = {label: episode_rows(f"{where}: {label}", episode) for label, episode in episodes}
    if not rows:
        raise DataError(f"{where}: there is no episode; at least one is needed")
    check_alike(where, rows)
    fields = next(iter(rows.values()))
    return make_log(
        where, {name: np.concatenate([each[name] for each in rows.values()]) for name in fields}
    )


def check_alike(where: str, rows: Mapping[str, Mapping[str, NDArray[Any]]]) -> None:
    """Whether the rows of all episodes have the same columns."""
    first = next(iter(rows))
    for name in ("observation", "action", "next_observation", "reward"):
        shapes = {label: each[name].shape[1:] for label, each in rows.items()}
        other = next((label for label, shape in shapes.items() if shape != shapes[first]), None)
        if other is not None:
            raise DataError(
                f"{where}: {name} of {other} has shape {shapes[other]} per row where "
                f"{first} has {shapes[first]}; all episodes come from one space"
            )


def episode_rows(where: str, episode: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """The rows of one episode, its last one marked as its end."""
    names = find_names(where, named(episode, where))
    found = {field: as_array(where, name, episode[name]) for field, name in names.items()}
    steps = row_count(found["reward"])
    if steps == 0:
        raise DataError(f"{where} has no rewards; leave out empty episodes")
    observation = found["observation"]
    if "next_observation" not in found:
        if row_count(observation) != steps + 1:
            raise DataError(
                f"{where} has {row_count(observation)} observations for {steps} rewards "
                f"(needs {steps + 1}: one more than steps)"
            )
        found["observation"], found["next_observation"] = observation[:-1], observation[1:]
    flags = {
        name: flag_per_step(f"{where}: {name}", found.get(name, np.zeros(())), steps)
        for name in FLAGS
    }
    rows = {**found, **flags}
    check_steps(where, rows, steps)
    flags["truncated"][-1] |= not flags["terminated"][-1]
    return rows


def check_steps(where: str, rows: Mapping[str, NDArray[Any]], steps: int) -> None:
    """Whether every array has a row per step; two wrong lengths could make up for each other."""
    for name, array in rows.items():
        if row_count(array) != steps:
            raise DataError(
                f"{where}: {name} has {row_count(array)} rows where reward has {steps}; "
                "every array needs one entry per step"
            )


def row_count(array: NDArray[Any]) -> int:
    return len(array) if array.ndim else 0


def flag_per_step(where: str, given: NDArray[Any], steps: int) -> NDArray[np.bool_]:
    """One flag for the whole episode is about its last step."""
    if given.ndim:
        return as_flags(where, given.reshape(-1))
    marks = np.zeros(steps, np.bool_)
    marks[-1:] = as_flags(where, given.reshape(1))
    return marks


@runtime_checkable
class ReplayArrays(Protocol):
    """What is read of a buffer: arrays (place in the ring, environment, ...) and the ring's state.

    ``next_observations`` is absent or None where memory is saved: the next place holds the
    successor, until the first observation of a new episode is put there.
    """

    observations: Any
    actions: Any
    rewards: Any
    dones: Any
    pos: int
    full: bool


def from_sb3(buffer: ReplayArrays, reading: Reading = AS_LOGGED) -> Dataset:
    """The rows of a replay buffer, oldest first, one environment after the other.

    Off-policy algorithms of that library store actions in [-1, 1] already. Without
    ``handle_timeout_termination`` a buffer marks time limits as ends; read it with
    ``terminals="timeouts"`` if the environment has no true ends.
    """
    kind = np.asarray(buffer.actions).dtype
    if kind.kind != "f":  # that of the action space
        raise DataError(f"replay buffer: actions are {kind}; only continuous ones can be learnt")
    if isinstance(buffer.observations, dict):
        raise DataError(
            f"replay buffer: observations are a dict of {', '.join(buffer.observations)}; "
            "put them side by side and use from_arrays"
        )
    stored = getattr(buffer, "next_observations", None)
    order = ring_order(buffer, skip_oldest=stored is None)
    if not len(order):
        raise DataError("replay buffer: it holds no rows; collect some first")
    return interpret(buffer_log(buffer, stored, order), reading)


def buffer_log(buffer: ReplayArrays, stored: Any, order: NDArray[np.int64]) -> Log:
    timeouts = np.asarray(getattr(buffer, "timeouts", np.zeros_like(buffer.dones)))[order] != 0
    dones = np.asarray(buffer.dones)[order] != 0
    timeouts[-1] |= ~dones[-1]  # of every environment: the log ends here
    by_environment = {
        "observation": np.asarray(buffer.observations)[order],
        "action": np.asarray(buffer.actions)[order],
        "reward": np.asarray(buffer.rewards)[order],
        "terminated": dones & ~timeouts,
        "truncated": timeouts,
    }
    if stored is not None:
        by_environment["next_observation"] = np.asarray(stored)[order]
    return make_log("replay buffer", {n: stack_environments(a) for n, a in by_environment.items()})


def ring_order(buffer: ReplayArrays, *, skip_oldest: bool) -> NDArray[np.int64]:
    """Places of the ring, oldest first.

    Where memory is saved, the newest successor has overwritten the oldest observation.
    """
    if not buffer.full:
        return np.arange(buffer.pos)
    size = len(buffer.observations)
    return (np.arange(int(skip_oldest), size) + buffer.pos) % size


def stack_environments(array: NDArray[Any]) -> NDArray[Any]:
    """(place, environment, ...) as rows."""
    return np.concatenate(list(np.moveaxis(array, 1, 0)))
