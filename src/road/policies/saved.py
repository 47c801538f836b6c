"""A policy in a run folder: the arrays of a checkpoint, and what ``interface.json`` says of them.

``training/interface.py`` writes that file when a run begins: which numbers of a checkpoint are the
weights of which layer, how observations were normalised, and the box of actions.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from road.errors import DamagedError, UsageError
from road.policies.arrays import (
    Arrays,
    Layers,
    critic_arrays,
    gaussian_arrays,
    normalised,
    squashed_arrays,
)
from road.policies.composite import Composite
from road.policies.spaces import Spaces, spaces_from
from road.policies.weights import Weights, weights_from
from road.records.folder import CONFIG, read_run_file
from road.records.interface import FORMAT, INTERFACE, read_interface
from road.training.checkpoint import pick_checkpoint

PARTS = ("offline", "online")
"""The two policies of a composite one."""
Member = Mapping[str, Any]


@dataclass(frozen=True)
class Saved:
    """A policy as plain arrays, by the names of its networks; one alone has no name."""

    networks: Mapping[str, Arrays]
    spaces: Spaces
    name: str
    path: Path
    sharpness: float | None = None
    """Of the choice between the two policies of a composite one."""
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def network(self) -> Weights | Composite:
        made = {name: weights_from(self.path, each) for name, each in self.networks.items()}
        if self.sharpness is None:
            return made[""]
        critics = tuple(made[name] for name in sorted(made) if name.startswith("critic"))
        return Composite(made["offline"], made["online"], critics, self.sharpness)


def read_saved(folder: Path, *, best: bool = False, normalise: bool = True) -> Saved:
    """The policy of a run folder; without normalisation it takes what the agent was trained on."""
    config = read_run_file(folder, CONFIG)
    if config.get("loop") == "foreign":
        raise UsageError(f"{folder} was saved by a loop of your own, which keeps no agent in it")
    arrays, document = pick_checkpoint(folder, best=best)
    described = read_interface(folder)
    counters = document.get("counters", {})
    # As in ``agent_of``: a run without an online phase ends with the agent that it pretrained.
    offline = counters.get("phase") == "offline" or not config.get("online_steps")
    networks = described.get("networks") or {}
    layout = (networks.get("offline") if offline else None) or networks.get("online")
    agent, task = config.get("agent", {}).get("name", "?"), config.get("task", "?")
    if layout is None:
        raise UsageError(
            f"{folder} trained {agent}, an agent of your own: only road.finetune's result has its "
            "policy"
        )
    step = f"{counters.get('offline_updates')} offline, {counters.get('online_steps')} online steps"
    spaces = spaces_from(described)
    normaliser = described.get("normaliser") if normalise else None
    try:
        networks = networks_from(layout, arrays, normaliser)
        sharpness = float(layout["sharpness"]) if "sharpness" in layout else None
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DamagedError(f"{folder / INTERFACE} does not fit its checkpoint: {error}") from error
    return Saved(networks, spaces, f"{agent} on {task}, {step}", folder, sharpness)


def networks_from(
    layout: Member, arrays: Mapping[str, NDArray[Any]], normaliser: Member | None
) -> dict[str, Arrays]:
    """Every network that the layout names."""
    found = cut(layout, arrays)
    networks: dict[str, Arrays] = {}
    for name, network in found.items():
        others = 0
        if name.startswith("critic"):
            others = network["w_0"].shape[1] - len(normaliser["mean"]) if normaliser else 0
        if normaliser is not None:
            mean, spread = (np.array(normaliser[n], np.float32) for n in ("mean", "spread"))
            network = normalised(network, mean, spread, others)
        networks[name] = network
    return networks


def cut(layout: Member, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Arrays]:
    """The plain arrays of each network, cut out of those of a checkpoint."""
    if layout["kind"] == "composite":
        both = {name: policy_arrays(layout[name], arrays) for name in PARTS}
        stacked = layers_of(layout["critic"], arrays)
        members = len(stacked[0][0])
        critics = {
            f"critic.{index}": critic_arrays([(w[index], b[index]) for w, b in stacked])
            for index in range(members)
        }
        return {**both, **critics}
    return {"": policy_arrays(layout, arrays)}


def policy_arrays(layout: Member, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    layers = layers_of(layout, arrays)
    if layout["kind"] == "squashed":
        affine = layout.get("affine")
        return squashed_arrays(layers, None if affine is None else place(affine, arrays))
    return gaussian_arrays(layers, np.clip(place(layout["log_std"], arrays), *layout["bounds"]))


def layers_of(layout: Member, arrays: Mapping[str, NDArray[Any]]) -> Layers:
    return [(place(w, arrays), place(b, arrays)) for w, b in layout["layers"]]


def place(where: Any, arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """The numbers at a place: a packed array of the main learner, where they begin, their shape."""
    index, offset, shape = cast("tuple[int, int, list[int]]", where)
    packed = arrays[f"learner-0/agent/{index:04d}"].reshape(-1)
    size = int(np.prod(shape))
    if offset < 0 or offset + size > packed.size:
        raise ValueError(f"{size} numbers from {offset} on lie outside of array {index}")
    return packed[offset : offset + size].reshape(shape)


def describe_origin(saved: Saved) -> str:
    """What a file says of itself, beside its arrays."""
    sharp = None if saved.sharpness is None else str(saved.sharpness)
    return json.dumps(
        {"format": FORMAT, "name": saved.name, "sharpness": sharp, **saved.spaces.to_json()}
    )
