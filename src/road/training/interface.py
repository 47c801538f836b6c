"""What a policy needs beside a checkpoint, written into the run folder when a run begins.

``road.policies`` reads it, without JAX: observations and actions of the environment, and which
numbers of a checkpoint are the weights of which layer.
"""

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

from road.agents.awac import AWAC
from road.agents.cql import CQL
from road.agents.iql import IQL
from road.agents.pex import PEX
from road.agents.proto import PROTO
from road.agents.rlpd import RLPD
from road.agents.sac import SAC
from road.agents.wsrl import WSRL
from road.agents.xql import XQL
from road.nn.networks import LOG_STD_BOUNDS
from road.nn.packing import Packing
from road.records.interface import FORMAT
from road.training.compiled import CompiledAgent

GAUSSIAN = (IQL, XQL, AWAC, PROTO)
"""Agents whose best action is the mode of ``actor``, a ``GaussianActor``, and whose exploration is
a sample of it."""
SQUASHED = (SAC, CQL, RLPD, WSRL)
"""The same with a ``SquashedActor``."""

Place = list[Any]
"""Index of the packed array, the first number in it, the shape."""


def describe_interface(
    spaces: dict[str, Any], offline: CompiledAgent | None, online: CompiledAgent
) -> dict[str, Any]:
    networks = {
        "offline": None if offline is None else layout_of(offline),
        "online": layout_of(online),
    }
    return {"format": FORMAT, **spaces, "networks": networks}


def layout_of(compiled: CompiledAgent) -> dict[str, Any] | None:
    """Where the networks of an agent's policy are; None for an agent that is not the library's."""
    agent: Any = compiled.agent
    kind, state = type(agent), compiled.structure(places(compiled.packing))
    if kind in GAUSSIAN:
        return gaussian(state.actor.model)
    if kind in SQUASHED:
        model = state.actor.model
        return {"kind": "squashed", "affine": model.log_std_affine, **dense(model.network)}
    if kind is PEX:
        return {
            "kind": "composite",
            "offline": gaussian(state.offline_actor),
            "online": gaussian(state.actor.model),
            "critic": dense(state.critic.model.members),
            "sharpness": str(agent.choice_sharpness),
        }
    return None


def gaussian(actor: Any) -> dict[str, Any]:
    bounds = list(LOG_STD_BOUNDS)
    return {"kind": "gaussian", "log_std": actor.log_std, "bounds": bounds, **dense(actor.network)}


def dense(network: Any) -> dict[str, Any]:
    assert not network.norms  # no policy and no critic of PEX is normalised
    return {"layers": [[layer.weight, layer.bias] for layer in network.layers]}


def places(packing: Packing) -> Sequence[Place]:
    """Where each array of an agent's state is among the packed ones."""
    found: dict[int, Place] = {}
    for packed, group in enumerate(packing.groups):
        sizes = [prod(packing.shapes[index]) for index in group]
        for index, size, end in zip(group, sizes, accumulate(sizes), strict=True):
            found[index] = [packed, end - size, list(packing.shapes[index])]
    return [found[index] for index in range(len(packing.shapes))]
