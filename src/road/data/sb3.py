"""Replay buffers of Stable-Baselines3, by their arrays: nothing of that library is needed."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import Dataset
from road.data.log import Log, make_log
from road.data.reading import AS_LOGGED, Reading, understand
from road.errors import DataError


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
    ``handle_timeout_termination`` a buffer does not tell time limits from true ends; read it with
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
    order = places(buffer, skip_oldest=stored is None)
    if not len(order):
        raise DataError("replay buffer: it holds no rows; collect some first")
    return understand(buffer_log(buffer, stored, order), reading)


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
    return make_log("replay buffer", {n: one_after_the_other(a) for n, a in by_environment.items()})


def places(buffer: ReplayArrays, *, skip_oldest: bool) -> NDArray[np.int64]:
    """Places of the ring, oldest first.

    Where memory is saved, the newest successor has overwritten the oldest observation.
    """
    if not buffer.full:
        return np.arange(buffer.pos)
    size = len(buffer.observations)
    return (np.arange(int(skip_oldest), size) + buffer.pos) % size


def one_after_the_other(array: NDArray[Any]) -> NDArray[Any]:
    """(place, environment, ...) as rows."""
    return np.concatenate(list(np.moveaxis(array, 1, 0)))
