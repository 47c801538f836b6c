"""What each recipe says of the two phases: who trains, after which warm-up, under whose mixer."""

import pytest

from road.agents.cql import CQL
from road.agents.iql import IQL
from road.agents.recipes import AGENTS, PRESETS, RECIPES, Recipe
from road.agents.xql import XQL
from road.training.config import default_plan


def recipe_of(name: str) -> Recipe:
    return RECIPES[name](AGENTS[name](**PRESETS.get(name, {})))


@pytest.mark.parametrize("name", AGENTS)
def test_the_phases_are_those_of_the_authors(name: str):
    """Needs pretraining, steps of warm-up, whether they are random, updates per step, mixer."""
    otherwise = {
        "pex": (True, 5000, False, 1, "road"),
        "proto": (True, 0, False, 1, "road"),
        "rlpd": (False, 5000, True, 20, "road"),
        "wsrl": (True, 5000, False, 4, "discard"),
    }
    recipe = recipe_of(name)
    border = (recipe.needs_pretraining, recipe.warmup_steps, recipe.random_warmup)
    rest = (recipe.updates_per_step, recipe.mixer)
    assert (*border, *rest) == otherwise.get(name, (False, 0, False, 1, "road"))


def test_who_is_pretrained_and_by_whom():
    offline = {name: recipe_of(name).offline for name in AGENTS}
    alike = {name for name in AGENTS if offline[name] == recipe_of(name).online}
    assert alike == {"iql", "cql", "cal-ql", "sac", "awac"}
    kinds = {name: type(offline[name]) for name in AGENTS if name not in alike}
    assert kinds == {"pex": IQL, "proto": XQL, "wsrl": CQL, "rlpd": type(None)}


def test_cal_ql_is_calibrated_in_both_phases_and_cql_in_neither():
    for name, calibrated in (("cal-ql", True), ("cql", False)):
        plan = default_plan(agent_name=name)
        assert plan.recipe.offline == plan.recipe.online == plan.agent
        assert plan.agent.calibrated == calibrated


@pytest.mark.parametrize("mixer", ["road", "uniform"])
def test_rlpd_has_arms_of_its_own(mixer: str):
    """ROAD's Lambda for RLPD; other agents keep theirs, up to a half."""
    plans = {name: default_plan("hopper-medium", name, mixer) for name in ("rlpd", "iql")}
    arms = {name: plan.to_json()["mixer"]["arms"] for name, plan in plans.items()}
    assert arms == {"rlpd": (0.1, 0.3, 0.5, 0.7, 0.9), "iql": (0.1, 0.2, 0.3, 0.4, 0.5)}


def test_every_pull_counts_for_rlpd_where_the_last_thousand_do_for_others():
    windows = [
        default_plan("hopper-medium", name).to_json()["mixer"]["window"] for name in ("rlpd", "iql")
    ]
    assert windows == [None, 1000]
