"""IQL's formulas against numbers worked out in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.conftest import make_batch

from road.agents.iql import IQL, renew_optimisers
from road.agents.losses import (
    advantage_weight,
    bellman_loss,
    critic_loss,
    expectile_loss,
    expectile_value_loss,
    weighted_imitation_loss,
)
from road.types import Batch, Spec

AGENT = IQL(hidden=(16, 16), expectile=0.9, inverse_temperature=3.0, discount=0.5)


@pytest.fixture
def rows(spec: Spec) -> Batch:
    """One mini-batch, without the stack axis."""
    return jax.tree.map(lambda x: x[0], make_batch(spec, updates=1, size=8))


def mlp(network, x: np.ndarray) -> np.ndarray:
    """The forward pass, in NumPy."""
    layers = [(np.asarray(layer.weight), np.asarray(layer.bias)) for layer in network.layers]
    for weight, bias in layers[:-1]:
        x = np.maximum(x @ weight + bias, 0.0)
    return x @ layers[-1][0] + layers[-1][1]


def test_expectile_loss_by_hand():
    """Errors 2 and -1 at 0.9: (0.9 · 4 + 0.1 · 1) / 2."""
    assert expectile_loss(jnp.array([2.0, -1.0]), 0.9) == pytest.approx(1.85)


def test_the_middle_expectile_makes_the_value_the_mean():
    q = jnp.array([1.0, 2.0, 6.0])
    slope = jax.grad(lambda v: expectile_loss(q - v, 0.5))(3.0)
    assert slope == pytest.approx(0.0, abs=1e-6)


def test_a_high_expectile_pulls_the_value_up():
    q = jnp.array([1.0, 2.0, 6.0])
    assert jax.grad(lambda v: expectile_loss(q - v, 0.9))(3.0) < 0.0


def test_weights_are_cut_at_a_hundred():
    weight = advantage_weight(jnp.array([0.0, 0.1, 10.0]), 3.0)
    np.testing.assert_allclose(weight, [1.0, np.exp(0.3), 100.0], rtol=1e-6)


def test_value_loss_is_the_expectile_of_q_minus_v(spec: Spec, rows: Batch, key: jax.Array):
    state = AGENT.init(key, spec)
    q = jnp.linspace(-1.0, 1.0, 8)
    loss, _ = expectile_value_loss(state.value.model, q, rows, expectile=0.9)
    error = np.asarray(q) - mlp(state.value.model.network, np.asarray(rows.observation))[:, 0]
    expected = (np.where(error > 0, 0.9, 0.1) * error**2).mean()
    assert loss == pytest.approx(expected, rel=1e-5)


def test_critic_loss_bootstraps_except_at_a_true_end(spec: Spec, rows: Batch, key: jax.Array):
    """Target r + gamma (1 - terminated) V(s'); squared errors summed over the two critics."""
    state = AGENT.init(key, spec)
    loss, metrics = critic_loss(state.critic.model, AGENT.target(state, rows, key), rows)
    v = mlp(state.value.model.network, np.asarray(rows.next_observation))[:, 0]
    target = np.asarray(rows.reward) + 0.5 * (1 - np.asarray(rows.terminated)) * v
    inputs = np.concatenate([rows.observation, rows.action], axis=1)
    expected = 0.0
    for member in range(2):
        network = jax.tree.map(lambda x, m=member: x[m], state.critic.model.members)
        expected += ((mlp(network, inputs)[:, 0] - target) ** 2).mean()
    assert loss == pytest.approx(expected, rel=1e-4)
    assert set(metrics) == {"mean", "largest"}


def test_actor_loss_is_weighted_log_likelihood(spec: Spec, rows: Batch, key: jax.Array):
    """Gaussian around tanh(mean) with std 1 at the start; no squashing correction."""
    state = AGENT.init(key, spec)
    weight = jnp.linspace(0.0, 2.0, 8)
    loss, metrics = weighted_imitation_loss(state.actor.model, weight, rows)
    mean = np.tanh(mlp(state.actor.model.network, np.asarray(rows.observation)))
    log_prob = (-0.5 * (np.asarray(rows.action) - mean) ** 2 - 0.5 * np.log(2 * np.pi)).sum(axis=1)
    assert loss == pytest.approx(-(np.asarray(weight) * log_prob).mean(), rel=1e-5)
    assert metrics["std"] == pytest.approx(1.0)


def test_the_actor_moves_towards_weighted_actions(spec: Spec, rows: Batch, key: jax.Array):
    state = AGENT.init(key, spec)
    weight = jnp.ones(8)
    gradient = jax.grad(lambda a: weighted_imitation_loss(a, weight, rows)[0])(state.actor.model)
    stepped = jax.tree.map(lambda p, g: p - 0.01 * g, state.actor.model, gradient)

    def distance(actor) -> float:
        return float(((actor(rows.observation).mean - rows.action) ** 2).mean())

    assert distance(stepped) < distance(state.actor.model)


def test_bellman_loss_sums_members_and_averages_rows():
    q = jnp.array([[1.0, 2.0], [3.0, 3.0]])
    assert bellman_loss(q, jnp.array([0.0, 0.0])) == pytest.approx(2.5 + 9.0)


def test_the_order_of_updates(spec: Spec, key: jax.Array):
    """pi and Q see the new V; V and the weights see the old target critic."""
    stack = make_batch(spec, updates=1, size=8)
    rows = jax.tree.map(lambda x: x[0], stack)
    state = AGENT.init(key, spec)
    after, metrics = AGENT.update(state, stack, key)
    q = state.target_critic.pessimistic(rows.observation, rows.action)
    new_value = after.value.model
    weight = advantage_weight(q - new_value(rows.observation), 3.0)
    expected_actor, _ = weighted_imitation_loss(state.actor.model, weight, rows)
    expected_critic, _ = critic_loss(state.critic.model, AGENT.target(after, rows, key), rows)
    expected_value, _ = expectile_value_loss(state.value.model, q, rows, expectile=0.9)
    assert metrics["actor/loss"][0] == pytest.approx(float(expected_actor), rel=1e-4)
    assert metrics["critic/loss"][0] == pytest.approx(float(expected_critic), rel=1e-4)
    assert metrics["value/loss"][0] == pytest.approx(float(expected_value), rel=1e-4)
    for old, target, new in zip(
        jax.tree.leaves(state.target_critic),
        jax.tree.leaves(after.target_critic),
        jax.tree.leaves(after.critic.model),
        strict=True,
    ):
        np.testing.assert_allclose(target, 0.995 * old + 0.005 * new, rtol=1e-5, atol=1e-7)


def test_the_q_of_r_q_is_the_lesser_of_the_trained_critics(spec: Spec, rows: Batch, key: jax.Array):
    state, _ = AGENT.update(AGENT.init(key, spec), make_batch(spec, 1, 8), key)
    both = state.critic.model(rows.observation, rows.action)
    np.testing.assert_array_equal(
        AGENT.q_value(state, rows.observation, rows.action), both.min(axis=0)
    )


def test_carrying_keeps_the_networks_and_renews_adam(spec: Spec, batch: Batch, key: jax.Array):
    state, _ = AGENT.update(AGENT.init(key, spec), batch, key)
    carried = renew_optimisers(AGENT, state)
    for name in ("actor", "critic", "value"):
        old, new = getattr(state, name), getattr(carried, name)
        assert all(map(np.array_equal, jax.tree.leaves(old.model), jax.tree.leaves(new.model)))
        assert all((np.asarray(x) == 0).all() for x in jax.tree.leaves(new.optimiser_state))
        assert any((np.asarray(x) != 0).any() for x in jax.tree.leaves(old.optimiser_state))
    assert all(
        map(
            np.array_equal,
            jax.tree.leaves(state.target_critic),
            jax.tree.leaves(carried.target_critic),
        )
    )


def test_defaults_are_those_of_the_papers_table():
    assert IQL() == IQL(
        hidden=(256, 256),
        learning_rate=3e-4,
        discount=0.99,
        expectile=0.9,
        inverse_temperature=10.0,
        target_rate=0.005,
    )
