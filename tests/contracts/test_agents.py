"""The contract of every agent: a new one adds a line to the list."""

import dataclasses
import json
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.conftest import make_batch

from road.agents.awac import AWAC
from road.agents.cql import CQL
from road.agents.iql import IQL
from road.agents.pex import PEX
from road.agents.proto import PROTO
from road.agents.recipes import AGENTS, RECIPES
from road.agents.rlpd import RLPD
from road.agents.sac import SAC
from road.agents.wsrl import WSRL
from road.errors import UsageError
from road.tasks import TASKS
from road.training.config import default_plan, plan_from_json
from road.types import Agent, AnyAgent, Batch, Spec

SMALL = {"hidden": (16, 16)}
SMALL_CRITICS = {**SMALL, "critic_hidden": (16, 16)}
AGENT_LIST: dict[str, AnyAgent] = {
    "iql": IQL(**SMALL),
    "pex": PEX(**SMALL),
    "cql": CQL(**SMALL_CRITICS),
    "cal-ql": CQL(**SMALL_CRITICS, calibrated=True),
    "rlpd": RLPD(**SMALL),
    "proto": PROTO(**SMALL),
    "sac": SAC(**SMALL_CRITICS),
    "awac": AWAC(**SMALL),
    "wsrl": WSRL(**SMALL_CRITICS),
}
DRAWS_NOTHING = ("iql",)
"""Agents whose update uses no key, so that a stack can be compared with its parts."""


@pytest.fixture(scope="module", params=AGENT_LIST)
def agent(request: pytest.FixtureRequest) -> AnyAgent:
    return AGENT_LIST[request.param]


def same(one: Any, other: Any) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def test_it_is_an_agent_and_every_named_agent_is_on_the_list(agent: AnyAgent):
    assert isinstance(agent, Agent)
    assert set(AGENT_LIST) == set(AGENTS) == set(RECIPES)


def test_same_seed_same_result(agent: AnyAgent, spec: Spec, batch: Batch, key: jax.Array):
    results = [agent.update(agent.init(key, spec), batch, key) for _ in range(2)]
    assert same(*results)


def test_other_seed_other_networks(agent: AnyAgent, spec: Spec):
    one, other = (agent.init(jax.random.key(seed), spec) for seed in (0, 1))
    assert not same(one, other)


@pytest.mark.parametrize("name", DRAWS_NOTHING)
def test_a_stack_is_its_mini_batches_in_turn(name: str, spec: Spec, key: jax.Array):
    agent = AGENT_LIST[name]
    stack = make_batch(spec, updates=3, size=8)
    whole, _ = agent.update(agent.init(key, spec), stack, key)
    state = agent.init(key, spec)
    for update in range(3):
        single = jax.tree.map(lambda x, i=update: x[i : i + 1], stack)
        state, _ = agent.update(state, single, key)
    for a, b in zip(jax.tree.leaves(whole), jax.tree.leaves(state), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_metrics_keep_the_axis_of_updates(
    agent: AnyAgent, spec: Spec, batch: Batch, key: jax.Array
):
    _, metrics = agent.update(agent.init(key, spec), batch, key)
    assert {number.shape for number in metrics.values()} == {(2,)}


def test_the_target_starts_equal_and_lags(
    agent: AnyAgent, spec: Spec, batch: Batch, key: jax.Array
):
    state = agent.init(key, spec)
    assert same(state.target_critic, state.critic.model)
    after, _ = agent.update(state, batch, key)
    for old, target, new in zip(
        jax.tree.leaves(state.critic.model),
        jax.tree.leaves(after.target_critic),
        jax.tree.leaves(after.critic.model),
        strict=True,
    ):
        assert np.abs(target - old).max() < np.abs(new - old).max()


def test_actions_stay_in_the_box(agent: AnyAgent, spec: Spec, key: jax.Array):
    state = agent.init(key, spec)
    observation = 100.0 * jax.random.normal(key, (64, spec.observation_dim))
    for action in (agent.act(state, observation, key), agent.best_action(state, observation, key)):
        assert action.shape == (64, spec.action_dim)
        assert np.abs(action).max() <= 1.0


def test_exploring_varies_and_judging_does_not(agent: AnyAgent, spec: Spec, key: jax.Array):
    state = agent.init(key, spec)
    observation = jax.random.normal(key, (64, spec.observation_dim))
    one, other = (agent.act(state, observation, jax.random.key(seed)) for seed in (0, 1))
    assert not np.array_equal(one, other)
    assert np.array_equal(
        agent.best_action(state, observation, key), agent.best_action(state, observation, key)
    )


def test_actions_at_the_edge_of_the_box_give_finite_numbers(
    agent: AnyAgent, spec: Spec, batch: Batch, key: jax.Array
):
    edge = jax.tree.map(lambda x: x, batch)
    edge = type(batch)(**{**vars(edge), "action": jnp.sign(batch.action)})
    state, metrics = agent.update(agent.init(key, spec), edge, key)
    assert all(np.isfinite(x).all() for x in jax.tree.leaves(state))
    assert all(np.isfinite(x).all() for x in metrics.values())


def test_every_loss_and_gradient_is_among_the_metrics(
    agent: AnyAgent, spec: Spec, batch: Batch, key: jax.Array
):
    """The numeric guard sees what is not finite, by its name."""
    poisoned = type(batch)(**{**vars(batch), "reward": batch.reward.at[1, 0].set(jnp.nan)})
    _, metrics = agent.update(agent.init(key, spec), poisoned, key)
    assert np.isnan(metrics["critic/loss"][1])
    assert np.isnan(metrics["critic/gradient_norm"][1])
    assert np.isfinite(metrics["critic/loss"][0])


def test_q_values_have_one_number_per_row(
    agent: AnyAgent, spec: Spec, batch: Batch, key: jax.Array
):
    q = agent.q_value(agent.init(key, spec), batch.observation[0], batch.action[0])
    assert q.shape == (8,)


@pytest.mark.parametrize("name", AGENT_LIST)
def test_the_recipe_carries_a_state_that_the_online_agent_can_train(
    name: str, spec: Spec, batch: Batch, key: jax.Array
):
    recipe = RECIPES[name](AGENT_LIST[name])
    if recipe.offline is None:
        carried = recipe.online.init(key, spec)
    else:
        state, _ = recipe.offline.update(recipe.offline.init(key, spec), batch, key)
        carried = recipe.carry(state)
        assert same(carried, recipe.carry(state)), "a resumed run must carry the same"
    fresh = recipe.online.init(key, spec)
    assert jax.tree.structure(carried) == jax.tree.structure(fresh)
    shapes = [(x.shape, x.dtype) for x in jax.tree.leaves(carried)]
    assert shapes == [(x.shape, x.dtype) for x in jax.tree.leaves(fresh)]
    after, metrics = recipe.online.update(carried, batch, key)
    assert not same(after, carried)
    assert all(np.isfinite(x).all() for x in metrics.values())


@pytest.mark.parametrize("name", AGENT_LIST)
def test_every_task_has_settings_that_the_agent_takes(name: str):
    for task_name in TASKS:
        plan = default_plan(task_name, name)
        assert plan_from_json(json.loads(json.dumps(plan.to_json()))) == plan


@pytest.mark.parametrize("name", AGENT_LIST)
def test_settings_that_make_no_sense_are_refused_by_name(name: str):
    agent: Any = AGENT_LIST[name]
    wrong = {"discount": (1.0, -0.1, float("nan")), "target_rate": (1.5, -0.1), "hidden": ((0,),)}
    also = {"expectile": (0.0, 1.0), "subset": (0, 11), "members": (0,), "proposals": (0,)}
    never = (float("inf"), float("nan"))  # no run folder could hold them
    finite = ("learning_rate", "actor_learning_rate", "critic_learning_rate", "temperature")
    also |= dict.fromkeys((*finite, "conservatism", "target_gap", "entropy_share"), never)
    for field, values in {**wrong, **also}.items():
        for value in values if hasattr(agent, field) else ():
            with pytest.raises(UsageError, match=f"{field} must be .*got"):
                dataclasses.replace(agent, **{field: value})
