"""The one table of settings: every field exists, and the paper's numbers arrive in the plan."""

from dataclasses import fields
from typing import Any

import pytest

from road.agents.recipes import AGENTS
from road.mixing import MIXERS
from road.tasks.catalogue import PAPER_TASKS, TASKS
from road.tasks.defaults import FAMILIES
from road.tasks.task import Affine, ReturnRange
from road.training.config import RunConfig, default_plan

ENTRIES = {
    f"{family} {chosen.group} {number}": chosen
    for family, table in FAMILIES.items()
    for number, chosen in enumerate(table)
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_field_exists_and_has_a_source(entry: str) -> None:
    chosen = ENTRIES[entry]
    owners = {"run": RunConfig, **AGENTS, **MIXERS, **{f"{a} run": RunConfig for a in AGENTS}}
    known = {field.name for field in fields(owners[chosen.group])}
    assert set(chosen.fields) <= known
    assert chosen.source


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("task", ["antmaze-umaze", "hopper-medium", "kitchen-mixed", "pen-binary"])
def test_every_agent_has_a_plan_on_every_family(task: str, agent: str) -> None:
    plan = default_plan(task, agent)
    assert plan.task is TASKS[task]


def test_every_pull_counts_in_the_mazes_and_the_last_thousand_elsewhere() -> None:
    windows = {task.family: default_plan(task.name).to_json()["mixer"] for task in PAPER_TASKS}
    assert {family: mixer["window"] for family, mixer in windows.items()} == {
        "antmaze": None,
        "locomotion": 1000,
        "kitchen": 1000,
        "adroit": 1000,
    }


def test_the_papers_own_numbers_hold_everywhere() -> None:
    for task in PAPER_TASKS:
        plan = default_plan(task.name, "iql")
        assert (plan.agent.expectile, plan.agent.inverse_temperature) == (0.9, 10.0)
        assert (plan.config.online_steps, plan.config.batch_size) == (1_000_000, 256)
        rlpd = default_plan(task.name, "rlpd").config
        assert (rlpd.batch_size, rlpd.updates_per_step) == (128, 20)


def test_the_cheetah_alone_learns_with_proto_without_layer_norm() -> None:
    assert not default_plan("halfcheetah-medium", "proto").agent.layer_norm
    assert default_plan("hopper-medium", "proto").agent.layer_norm


def test_protos_trust_region_opens_over_the_whole_online_phase() -> None:
    for name in TASKS:
        plan = default_plan(name, "proto")
        assert plan.agent.decay_steps == plan.config.online_steps, name


@pytest.mark.parametrize("name", ["cql", "cal-ql", "wsrl"])
def test_no_multiplier_is_learnt_where_random_walks_fill_the_box(name: str) -> None:
    """The gap of 0.8 is out of reach there, and a multiplier would drown the Bellman error."""
    offline: Any = default_plan("pointmaze-umaze-random", name).recipe.offline
    assert (offline.target_gap, offline.conservatism) == (None, 0.1)


def test_cqls_target_is_the_best_of_ten_wherever_it_is_pretrained() -> None:
    """As in WSRL's configuration of CQL; what WSRL leaves out outside mazes is its own, online."""
    for task in PAPER_TASKS:
        for name in ("cql", "cal-ql", "wsrl"):
            offline: Any = default_plan(task.name, name).recipe.offline
            assert offline.max_backup == 10, name
        online = default_plan(task.name, "wsrl").agent.max_backup
        assert online == (10 if task.family == "antmaze" else None)


@pytest.mark.parametrize(
    ("task", "agent", "failure", "success"),
    [
        ("antmaze-umaze", "iql", -1.0, 0.0),
        ("antmaze-umaze", "rlpd", -1.0, 0.0),
        ("antmaze-umaze", "cal-ql", -5.0, 5.0),
        ("door-binary", "iql", -1.0, 0.0),
        ("door-binary", "wsrl", -5.0, 5.0),
    ],
)
def test_failure_and_success_pay_what_the_agents_authors_pay(
    task: str, agent: str, failure: float, success: float
) -> None:
    reward = TASKS[task].rewards.get(agent, TASKS[task].reward)
    assert isinstance(reward, Affine)
    assert (reward(0.0), reward(1.0)) == (failure, success)


def test_kitchen_pays_nothing_when_all_is_done_and_locomotion_is_raw_but_for_proto() -> None:
    assert TASKS["kitchen-mixed"].reward(4.0) == 0.0
    assert TASKS["hopper-expert"].reward(3.5) == 3.5
    assert TASKS["hopper-expert"].rewards == {"proto": ReturnRange(1000.0)}


def test_names_of_agents_with_a_reward_of_their_own_exist() -> None:
    assert all(set(task.rewards) <= set(AGENTS) for task in PAPER_TASKS)
