"""How an agent passes from the offline to the online phase: two agents and what is carried over."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from road.agents.iql import IQL, renew_optimisers
from road.types import AnyAgent


@dataclass(frozen=True)
class Recipe:
    """Which agent trains in which phase."""

    offline: AnyAgent
    online: AnyAgent
    carry: Callable[[Any], Any]
    """The last offline state to the first online one."""


def iql_recipe(iql: IQL) -> Recipe:
    return Recipe(offline=iql, online=iql, carry=partial(renew_optimisers, iql))


AGENTS: dict[str, type[Any]] = {"iql": IQL}
"""Every agent's hyper-parameters by the name that the command line knows it by."""

RECIPES: dict[str, Callable[[Any], Recipe]] = {"iql": iql_recipe}
