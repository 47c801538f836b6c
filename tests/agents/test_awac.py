"""AWAC's formulas against numbers worked out in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from tests.conftest import make_batch

from road.agents.awac import AWAC, AWACState, advantage, carry
from road.agents.losses import critic_loss, weighted_imitation_loss
from road.types import Batch, Spec

AGENT = AWAC(hidden=(16, 16), discount=0.5, temperature=0.25)


@pytest.fixture
def rows(spec: Spec) -> Batch:
    return jax.tree.map(lambda x: x[0], make_batch(spec, updates=1, size=8))


@pytest.fixture
def state(spec: Spec, batch: Batch, key: jax.Array) -> AWACState:
    """After two updates: the target critic is no longer the critic."""
    return AGENT.update(AGENT.init(key, spec), batch, key)[0]


def clipped(policy, key: jax.Array) -> np.ndarray:
    """mean + std · noise, cut at the edges of the box."""
    noise = np.asarray(jax.random.normal(key, policy.mean.shape))
    return np.clip(np.asarray(policy.mean) + np.asarray(policy.std) * noise, -1.0, 1.0)


def least(critic, observation: jax.Array, action: np.ndarray) -> np.ndarray:
    return np.asarray(critic(observation, jnp.asarray(action))).min(axis=0)


def test_the_target_is_the_lesser_target_critic_at_a_drawn_action(
    state: AWACState, rows: Batch, key: jax.Array
):
    """No entropy; a true end has no future."""
    action = clipped(state.actor.model(rows.next_observation), key)
    value = least(state.target_critic, rows.next_observation, action)
    expected = np.asarray(rows.reward) + 0.5 * (1 - np.asarray(rows.terminated)) * value
    np.testing.assert_allclose(AGENT.target(state, rows, key), expected, rtol=1e-5)


def test_the_critics_squared_errors_are_summed(state: AWACState, rows: Batch):
    target = jnp.linspace(-1.0, 1.0, 8)
    q = np.asarray(state.critic.model(rows.observation, rows.action))
    expected = ((q - np.asarray(target)) ** 2).mean(axis=1).sum()
    assert critic_loss(state.critic.model, target, rows)[0] == pytest.approx(expected, rel=1e-5)


def test_the_advantage_compares_with_an_action_of_the_policy(
    state: AWACState, rows: Batch, key: jax.Array
):
    own = clipped(state.actor.model(rows.observation), key)
    critic = state.critic.model
    expected = least(critic, rows.observation, np.asarray(rows.action)) - least(
        critic, rows.observation, own
    )
    got = advantage(state.actor.model, critic, rows, key)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_an_action_of_the_policy_itself_has_no_advantage(
    state: AWACState, rows: Batch, key: jax.Array
):
    own = state.actor.model(rows.observation).clipped_sample(key)
    same = type(rows)(**{**vars(rows), "action": own})
    got = advantage(state.actor.model, state.critic.model, same, key)
    np.testing.assert_array_equal(got, np.zeros(8))


def test_the_actor_imitates_by_weight(state: AWACState, rows: Batch):
    weight = jnp.linspace(0.0, 2.0, 8)
    policy = state.actor.model(rows.observation)
    log_prob = stats.norm.logpdf(rows.action, policy.mean, policy.std).sum(axis=1)
    loss, _ = weighted_imitation_loss(state.actor.model, weight, rows)
    assert loss == pytest.approx(-(np.asarray(weight) * log_prob).mean(), rel=1e-5)


def test_the_order_of_updates(spec: Spec, state: AWACState, key: jax.Array):
    """The policy's weights are exp(A / lambda), cut at 100, with A from the new critics."""
    stack = make_batch(spec, updates=1, size=8)
    rows = jax.tree.map(lambda x: x[0], stack)
    after, metrics = AGENT.update(state, stack, key)
    target_key, advantage_key = jax.random.split(jax.random.split(key, 1)[0])
    target = AGENT.target(state, rows, target_key)
    expected, _ = critic_loss(state.critic.model, target, rows)
    assert metrics["critic/loss"][0] == pytest.approx(float(expected), rel=1e-4)
    better = np.asarray(advantage(state.actor.model, after.critic.model, rows, advantage_key))
    weight = np.minimum(np.exp(better / 0.25), 100.0)
    assert metrics["actor/weight"][0] == pytest.approx(weight.mean(), rel=1e-3)
    for old, target, new in zip(
        jax.tree.leaves(state.target_critic),
        jax.tree.leaves(after.target_critic),
        jax.tree.leaves(after.critic.model),
        strict=True,
    ):
        np.testing.assert_allclose(target, 0.995 * old + 0.005 * new, rtol=1e-5, atol=1e-7)


def test_a_smaller_lambda_is_sharper(state: AWACState, batch: Batch, key: jax.Array):
    sharp = AWAC(hidden=(16, 16), discount=0.5, temperature=0.01)
    _, gentle_metrics = AGENT.update(state, batch, key)
    _, sharp_metrics = sharp.update(state, batch, key)
    assert sharp_metrics["actor/weight"][0] > gentle_metrics["actor/weight"][0]


def test_the_q_of_r_q_is_the_lesser_of_the_trained_critics(state: AWACState, batch: Batch):
    observation, action = batch.observation[0], batch.action[0]
    expected = least(state.critic.model, observation, np.asarray(action))
    np.testing.assert_array_equal(AGENT.q_value(state, observation, action), expected)


def test_nothing_changes_at_the_border(state: AWACState):
    carried = carry(AGENT, state)
    assert all(map(np.array_equal, jax.tree.leaves(state), jax.tree.leaves(carried)))
    assert any((np.asarray(x) != 0).any() for x in jax.tree.leaves(carried.actor.optimiser_state))


def test_defaults_are_those_of_corl():
    assert AWAC() == AWAC(
        hidden=(256, 256, 256),
        learning_rate=3e-4,
        discount=0.99,
        temperature=0.1,
        target_rate=0.005,
    )
