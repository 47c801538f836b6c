"""What an environment gives and takes, on either side of a network: vectors in, actions out.

An observation of the environment becomes one float32 vector, as in training: a Dict in the order of
its keys, integers as one-hot vectors. Actions in [-1, 1] become those of the environment's box.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.errors import DamagedError

Space = Mapping[str, Any]
"""``{"kind": "box", "shape": [3]}``, as ``road.tasks.spaces`` describes it."""


@dataclass(frozen=True)
class Spaces:
    """The two sides."""

    observation: Space
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    dtype: np.dtype[Any]

    def vectors(self, observation: Any) -> NDArray[np.float32]:
        """A vector of one observation, or a row for each of a batch."""
        parts = list(flat_parts(self.observation, observation, "observation"))
        if len({part.shape[:-1] for part in parts}) > 1:
            counts = ", ".join(str(part.shape[:-1]) for part in parts)
            raise ValueError(f"the parts of the observation differ in their batches: {counts}")
        vectors = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)
        if not np.isfinite(vectors).all():
            raise ValueError("the observation holds NaN or inf: there is no action for it")
        return vectors

    def actions(self, unit: NDArray[Any]) -> NDArray[Any]:
        """Of the environment, from actions that lie in [-1, 1]."""
        share = (np.clip(unit, -1.0, 1.0).astype(np.float64) + 1.0) / 2.0
        return (self.low + share * (self.high - self.low)).astype(self.dtype)

    def to_json(self) -> dict[str, Any]:
        box = {"low": self.low.tolist(), "high": self.high.tolist(), "dtype": str(self.dtype)}
        return {"observation": self.observation, "action": box}


def spaces_from(data: Mapping[str, Any]) -> Spaces:
    """The inverse of ``Spaces.to_json``."""
    try:
        action = data["action"]
        low, high = (np.array(action[side], np.float64) for side in ("low", "high"))
        spaces = Spaces(data["observation"], low, high, np.dtype(action["dtype"]))
        sound = low.ndim == 1 and low.shape == high.shape and spaces.dtype.kind in "fiu"
        if not sound or not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
            raise ValueError("the box of actions is no box")
        width(spaces.observation)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise DamagedError(f"the description of a policy is damaged: {error}") from error
    return spaces


def width(space: Space) -> int:
    """Numbers of the vector of an observation."""
    match space["kind"]:
        case "box":
            return int(np.prod(space["shape"]))
        case "discrete":
            return int(sum(space["counts"]))
        case "dict" | "tuple":
            return sum(width(part) for _, part in space["parts"])
        case kind:
            raise ValueError(f"a space of the kind {kind!r}")


def flat_parts(space: Space, observation: Any, name: str) -> Iterator[NDArray[np.float32]]:
    """The vectors of its parts, each with or without an axis of a batch."""
    if space["kind"] in ("dict", "tuple"):
        for key, part in space["parts"]:
            try:
                value = observation[key]
            except (KeyError, IndexError, TypeError):
                raise ValueError(f"{name} has no {key!r}, which the policy needs") from None
            yield from flat_parts(part, value, f"{name}[{key!r}]")
    elif space["kind"] == "discrete":
        yield one_hot(space, np.asarray(observation), name)
    else:
        shape = tuple(space["shape"])
        array = np.asarray(observation, np.float32)
        batch = batch_shape(array.shape, shape, name)
        yield array.reshape(*batch, -1)


def one_hot(space: Space, array: NDArray[Any], name: str) -> NDArray[np.float32]:
    """Integers, one or several, as one-hot vectors side by side."""
    counts, starts = np.array(space["counts"]), np.array(space["starts"])
    batch = batch_shape(array.shape, tuple(space["shape"]), name)
    index = array.reshape(*batch, -1).astype(np.int64) - starts
    if not ((index >= 0) & (index < counts)).all():
        raise ValueError(f"{name} holds a number outside of its space: {array}")
    ends = np.cumsum(counts)
    columns = np.arange(ends[-1])
    hot = (index + ends - counts)[..., None] == columns
    return hot.any(axis=-2).astype(np.float32)


def batch_shape(found: tuple[int, ...], one: tuple[int, ...], name: str) -> tuple[int, ...]:
    """Nothing for one observation, the number of them for a batch."""
    batch = found[: len(found) - len(one)]
    if len(batch) > 1 or found[len(batch) :] != one or len(found) < len(one):
        raise ValueError(f"{name} has shape {found}; the policy takes {one}, or a batch of them")
    return batch
