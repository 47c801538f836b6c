"""The settings that the paper prints for its experiments, and where ours are others, with reasons.

Typed from its two tables of hyper-parameters, its section on implementation and its appendix on
tasks. For PROTO the paper prints none but the steps and the ratios.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from road.mixing import RoadMixer
from road.training.config import Plan

MILLION = 1_000_000
ROAD = {"c": 2.0, "κ": 1.0, "scale of the credit": "raw"}
USUAL_ARMS, RLPD_ARMS = (0.1, 0.2, 0.3, 0.4, 0.5), (0.1, 0.3, 0.5, 0.7, 0.9)
EVERYWHERE: Mapping[str, Any] = {
    "online steps": MILLION, "replay buffer": MILLION, "discount": 0.99, **ROAD
}  # fmt: skip
PRETRAINED: Mapping[str, Any] = {
    **EVERYWHERE, "offline steps": MILLION, "batch": 256, "critic's learning rate": 3e-4,
    "policy": (256, 256), "Λ": USUAL_ARMS, "τ": 1000,
}  # fmt: skip
EXPECTILES = {"policy's learning rate": 3e-4, "expectile": 0.9, "inverse temperature": 10.0}
CONSERVATIVE = {
    "policy's learning rate": 1e-4, "critic": (256,) * 4, "min-Q weight": 5.0, "action gap": 0.8
}  # fmt: skip

PAPER: Mapping[str, Mapping[str, Any]] = {
    **{name: {**PRETRAINED, **EXPECTILES} for name in ("iql", "pex")},
    **{name: {**PRETRAINED, **CONSERVATIVE} for name in ("cql", "cal-ql")},
    "rlpd": {
        **EVERYWHERE, "batch": 128, "policy's learning rate": 3e-4, "ensemble": 10,
        "width": 256, "updates per step": 20, "Λ": RLPD_ARMS, "τ": None,
    },
    "proto": {"online steps": MILLION, "offline steps": MILLION, **ROAD, "Λ": USUAL_ARMS},
}  # fmt: skip
"""By agent."""

SPARSE = {"antmaze": {"τ": None}}
"""By family: every period counts in the mazes."""


@dataclass(frozen=True)
class Departure:
    """A setting that is not as the paper prints it."""

    agent: str
    family: str
    setting: str
    ours: Any
    reason: str


HANDS = "the paper's numbers are for mazes: Cal-QL's authors' scripts have these for hands"
REMARK = "a remark in the paper's source, and Cal-QL's scripts; its text has a million"
DEPARTURES = (
    *(
        Departure(agent, "adroit", setting, ours, HANDS)
        for agent in ("cql", "cal-ql")
        for setting, ours in (
            ("policy", (512, 512)), ("critic", (512,) * 3), ("min-Q weight", 1.0),
            ("action gap", None),
        )
    ),
    *(Departure(agent, "adroit", "offline steps", 20_000, REMARK) for agent in ("cql", "cal-ql")),
)  # fmt: skip


def printed(agent: str, family: str) -> dict[str, Any]:
    """What the paper has for an agent on a family of tasks."""
    return {**PAPER[agent], **SPARSE.get(family, {})}


OF_AGENT: Mapping[str, tuple[str, ...]] = {
    "policy": ("hidden",),
    "critic": ("critic_hidden",),
    "policy's learning rate": ("actor_learning_rate", "learning_rate"),
    "critic's learning rate": ("critic_learning_rate", "learning_rate"),
    "expectile": ("expectile",),
    "inverse temperature": ("inverse_temperature",),
    "min-Q weight": ("conservatism",),
    "action gap": ("target_gap",),
    "ensemble": ("members",),
    "discount": ("discount",),
}
"""By the paper's name, fields of the agent: the first that it has."""
OF_RUN: Mapping[str, str] = {
    "online steps": "online_steps", "offline steps": "offline_steps", "batch": "batch_size",
    "replay buffer": "buffer_capacity", "updates per step": "updates_per_step",
}  # fmt: skip
OF_ROAD: Mapping[str, Callable[[RoadMixer], Any]] = {
    "c": lambda mixer: mixer.exploration,
    "κ": lambda mixer: mixer.overestimation_penalty,
    "τ": lambda mixer: mixer.window,
    "Λ": lambda mixer: mixer.arms,
    "scale of the credit": lambda mixer: mixer.scale,
}


def resolved(plan: Plan, setting: str) -> Any:
    """The value that a plan with ROAD has for a setting of the paper."""
    if setting in OF_RUN:
        return getattr(plan.config, OF_RUN[setting])
    if setting in OF_ROAD:
        assert isinstance(plan.mixer, RoadMixer)
        return OF_ROAD[setting](plan.mixer)
    if setting == "width":
        (width,) = set(plan.agent.hidden)
        return width
    name = next(name for name in OF_AGENT[setting] if hasattr(plan.agent, name))
    return getattr(plan.agent, name)
