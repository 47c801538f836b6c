"""How an agent passes from the offline to the online phase: two agents and what is carried over."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from road.agents.iql import IQL, renew_optimisers
from road.types import AnyAgent


@dataclass(frozen=True)
class Recipe:
    """Which agent trains in which phase, and how the online phase begins."""

    offline: AnyAgent | None
    """None for an agent that is not pretrained."""
    online: AnyAgent
    carry: Callable[[Any], Any]
    """The last offline state to the first online one."""
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
    return Recipe(offline=iql, online=iql, carry=partial(renew_optimisers, iql))


AGENTS: dict[str, type[Any]] = {"iql": IQL}
"""Every agent's hyper-parameters by the name that the command line knows it by."""

RECIPES: dict[str, Callable[[Any], Recipe]] = {"iql": iql_recipe}
