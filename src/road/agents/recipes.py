"""How an agent passes from the offline to the online phase: two agents and what is carried over."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from road.agents import awac, pex, proto
from road.agents.cql import CQL, keep_everything
from road.agents.iql import IQL, renew_optimisers
from road.agents.rlpd import RLPD
from road.agents.sac import SAC
from road.agents.wsrl import WSRL, drop_multiplier
from road.types import AnyAgent


@dataclass(frozen=True)
class Recipe:
    """Which agent trains in which phase, and how the online phase begins."""

    offline: AnyAgent | None
    """None for an agent that is not pretrained."""
    online: AnyAgent
    carry: Callable[[Any], Any]
    """The last offline state to the first online one."""
    needs_pretraining: bool = False
    """Whether the online phase needs a pretrained policy, as PEX, WSRL and PROTO do."""
    warmup_steps: int = 0
    """Environment steps that are stored before the first online update."""
    random_warmup: bool = False
    """Whether those steps are random instead of the agent's own."""
    updates_per_step: int = 1
    """Update-to-data ratio of the online phase."""
    mixer: str = "road"
    """The strategy that belongs to the recipe unless another is asked for."""
    mixer_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Any])
    """What the recipe's paper sets otherwise in a mixer, by the mixer's name."""


def iql_recipe(iql: IQL) -> Recipe:
    return Recipe(iql, iql, carry=partial(renew_optimisers, iql))


def pex_recipe(agent: pex.PEX) -> Recipe:
    carry = partial(pex.carry, agent)
    return Recipe(agent.iql, agent, carry, needs_pretraining=True, warmup_steps=5000)


def sac_recipe(sac: SAC) -> Recipe:
    return Recipe(sac, sac, carry=unchanged)


def cql_recipe(cql: CQL) -> Recipe:
    return Recipe(cql, cql, carry=keep_everything)


def awac_recipe(agent: awac.AWAC) -> Recipe:
    return Recipe(agent, agent, carry=partial(awac.carry, agent))


def proto_recipe(agent: proto.PROTO) -> Recipe:
    return Recipe(agent.xql, agent, partial(proto.carry, agent), needs_pretraining=True)


def rlpd_recipe(rlpd: RLPD) -> Recipe:
    """ROAD's own settings for RLPD: other arms, and every period counts."""
    arms = {"arms": (0.1, 0.3, 0.5, 0.7, 0.9)}
    return Recipe(
        offline=None,
        online=rlpd,
        carry=unchanged,
        warmup_steps=5000,
        random_warmup=True,
        updates_per_step=20,
        mixer_settings={"road": {**arms, "window": None}, "uniform": arms},
    )


def wsrl_recipe(wsrl: WSRL) -> Recipe:
    """No offline data once the frozen policy has filled the online buffer."""
    return Recipe(
        offline=wsrl.offline,
        online=wsrl,
        carry=drop_multiplier,
        needs_pretraining=True,
        warmup_steps=5000,
        updates_per_step=4,
        mixer="discard",
    )


def unchanged(state: Any) -> Any:
    """Carry everything as it is."""
    return state


AGENTS: dict[str, type[Any]] = {
    "iql": IQL,
    "pex": pex.PEX,
    "cql": CQL,
    "cal-ql": CQL,
    "rlpd": RLPD,
    "proto": proto.PROTO,
    "sac": SAC,
    "awac": awac.AWAC,
    "wsrl": WSRL,
}
"""Every agent's hyper-parameters by the name that the command line knows it by."""

ALIASES = {"calql": "cal-ql"}
"""Other spellings."""

PRESETS: dict[str, dict[str, Any]] = {"cal-ql": {"calibrated": True}}
"""Where two names share a class, what makes them differ."""

RECIPES: dict[str, Callable[[Any], Recipe]] = {
    "iql": iql_recipe,
    "pex": pex_recipe,
    "cql": cql_recipe,
    "cal-ql": cql_recipe,
    "rlpd": rlpd_recipe,
    "proto": proto_recipe,
    "sac": sac_recipe,
    "awac": awac_recipe,
    "wsrl": wsrl_recipe,
}


def recipe_of(name: str, agent: AnyAgent) -> Recipe:
    """The recipe of that name; else the agent's own, or one that carries its state as it is."""
    if name in RECIPES:
        return RECIPES[name](agent)
    own = getattr(agent, "recipe", None)
    return Recipe(agent, agent, carry=unchanged) if own is None else own()
