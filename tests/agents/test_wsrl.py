"""WSRL: Cal-QL, then SAC on online rows alone, with the same networks."""

from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest
from tests.conftest import make_batch

from road.agents.cql import CQL, CQLState
from road.agents.sac import SACState
from road.agents.wsrl import WSRL, drop_multiplier
from road.types import Batch, Spec

AGENT = WSRL(
    hidden=(16, 16),
    critic_hidden=(16, 16),
    actor_learning_rate=1e-3,
    critic_learning_rate=1e-3,
    discount=0.5,
    members=3,
    max_backup=4,
)


def mini_batch(stack: Batch, update: int) -> Batch:
    return jax.tree.map(lambda rows: rows[update], stack)


def assert_same(one: Any, other: Any) -> None:
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.fixture
def pretrained(spec: Spec, key: jax.Array) -> CQLState:
    cql = AGENT.offline
    return cql.update(cql.init(key, spec), make_batch(spec, updates=1, size=8), key)[0]


@pytest.fixture
def carried(pretrained: CQLState) -> SACState:
    return drop_multiplier(pretrained)


def test_the_offline_phase_is_cal_ql_with_ten_normed_critics():
    assert WSRL().offline == CQL(calibrated=True, members=10, subset=2, layer_norm=True)


def test_the_carry_keeps_every_number_but_the_multiplier(pretrained: CQLState, carried: SACState):
    """The optimisers' moments too: the authors restore the whole learner."""
    assert_same(carried.actor, pretrained.actor)
    assert_same(carried.critic, pretrained.critic)
    assert_same(carried.target_critic, pretrained.target_critic)
    assert_same(carried.log_alpha, pretrained.log_alpha)
    assert not hasattr(carried, "log_multiplier")


def test_a_fresh_state_has_the_shape_of_a_carried_one(
    spec: Spec, carried: SACState, key: jax.Array
):
    """The policy's learnt affine of its spread comes along."""
    assert jax.tree.structure(AGENT.init(key, spec)) == jax.tree.structure(carried)


def test_the_policy_acts_the_same_before_and_after_the_switch(
    spec: Spec, pretrained: CQLState, carried: SACState, key: jax.Array
):
    observation = make_batch(spec, updates=1, size=8).observation[0]
    for function in ("act", "best_action"):
        np.testing.assert_array_equal(
            getattr(AGENT, function)(carried, observation, key),
            getattr(AGENT.offline, function)(pretrained, observation, key),
        )


def test_the_target_takes_the_best_of_several_next_actions_without_entropy(
    spec: Spec, carried: SACState, key: jax.Array
):
    """By hand: r + gamma (1 - terminated) max over 4 actions of the least of 2 target critics."""
    rows = mini_batch(make_batch(spec, updates=1, size=8), 0)
    action_key, subset_key = jax.random.split(key)
    policy = carried.actor.model(rows.next_observation)
    actions = [policy.sample(each)[0] for each in jax.random.split(action_key, 4)]
    q = np.array([carried.target_critic(rows.next_observation, action) for action in actions])
    assert q.shape == (4, 3, 8)
    two = np.asarray(jax.random.permutation(subset_key, 3))[:2]
    value = q[:, two].min(axis=1).max(axis=0)
    expected = np.asarray(rows.reward) + 0.5 * (1 - np.asarray(rows.terminated)) * value
    np.testing.assert_allclose(AGENT.target(carried, rows, key), expected, rtol=1e-5)


def test_the_online_target_is_the_offline_one(
    spec: Spec, pretrained: CQLState, carried: SACState, key: jax.Array
):
    """What changes at the switch is the penalty, not what the critics regress on."""
    rows = mini_batch(make_batch(spec, updates=1, size=8), 0)
    cql = replace(AGENT.offline, max_backup=AGENT.max_backup)
    np.testing.assert_array_equal(
        AGENT.target(carried, rows, key), cql.target(pretrained, rows, key)
    )
    single, single_cql = replace(AGENT, max_backup=None), replace(cql, max_backup=None)
    np.testing.assert_array_equal(
        single.target(carried, rows, key), single_cql.target(pretrained, rows, key)
    )


def test_online_it_is_sac_on_every_mini_batch_and_the_policy_sees_all_rows(
    spec: Spec, carried: SACState, key: jax.Array
):
    """One target for a single next action: SAC's own critic steps, then one of its actor's."""
    agent = replace(AGENT, max_backup=None)
    stack = make_batch(spec, updates=2, size=8, seed=5)
    after, metrics = agent.update(carried, stack, key)
    keys = [jax.random.split(each) for each in jax.random.split(key, 2)]
    state, losses = carried, []
    for update in range(2):
        each = mini_batch(stack, update)
        target = agent.sac.target(state, each, keys[update][0])
        state, critic_metrics = agent.sac.update_critic(state, each, target)
        losses.append(float(critic_metrics["critic/loss"]))
    rows = jax.tree.map(lambda x: x.reshape(16, *x.shape[2:]), stack)
    state, actor_metrics = agent.sac.update_actor(state, rows, keys[1][1])
    for a, b in zip(jax.tree.leaves(after), jax.tree.leaves(state), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(metrics["critic/loss"], losses, rtol=1e-4)
    assert metrics["actor/loss"][0] == pytest.approx(float(actor_metrics["actor/loss"]), rel=1e-4)
    assert {number.shape for number in metrics.values()} == {(2,)}


def test_q_is_the_least_of_all_critics(spec: Spec, carried: SACState):
    rows = mini_batch(make_batch(spec, updates=1, size=8), 0)
    q = np.asarray(carried.critic.model(rows.observation, rows.action))
    assert q.shape == (3, 8)
    np.testing.assert_array_equal(
        AGENT.q_value(carried, rows.observation, rows.action), q.min(axis=0)
    )
