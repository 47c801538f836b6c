"""Extreme Q-learning's formulas against numbers worked out in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.conftest import make_batch

from road.agents.iql import IQLState
from road.agents.losses import critic_loss, weighted_imitation_loss
from road.agents.xql import XQL, exponent, greatest_exponent, gumbel_loss, gumbel_value_loss
from road.types import Batch, Spec

AGENT = XQL(hidden=(16, 16), discount=0.5, temperature=2.0)


@pytest.fixture
def rows(spec: Spec) -> Batch:
    return jax.tree.map(lambda x: x[0], make_batch(spec, updates=1, size=8))


@pytest.fixture
def state(spec: Spec, key: jax.Array) -> IQLState:
    return AGENT.init(key, spec)


def normed_mlp(network, x: np.ndarray) -> np.ndarray:
    """The forward pass with layer norm before each ReLU, in NumPy."""
    for layer in network.layers[:-1]:
        x = x @ np.asarray(layer.weight) + np.asarray(layer.bias)
        x = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-6)
        x = np.maximum(x, 0.0)
    return x @ np.asarray(network.layers[-1].weight) + np.asarray(network.layers[-1].bias)


def test_gumbel_loss_by_hand():
    """z of 0 and 1, divided by e: (0 + (e - 2)) / 2e."""
    loss = gumbel_loss(jnp.array([0.0, 1.0]), jnp.array(1.0))
    assert loss == pytest.approx((np.e - 2) / (2 * np.e), rel=1e-5)


def test_the_peak_is_a_scale_and_changes_no_direction():
    z = jnp.array([0.5, -2.0, 1.5])
    plain = jax.grad(gumbel_loss)(z, jnp.array(0.0))
    scaled = jax.grad(gumbel_loss)(z, jnp.array(1.5))
    np.testing.assert_allclose(scaled, np.asarray(plain) * np.exp(-1.5), rtol=1e-5)


def test_gumbel_regression_finds_the_soft_maximum():
    """At V = temp log mean exp(Q / temp) the gradient is 0: above the mean, below the greatest."""
    q, temperature = np.array([1.0, 2.0, 6.0], np.float32), 2.0
    soft = temperature * np.log(np.exp(q / temperature).mean())
    assert q.mean() < soft < q.max()

    def slope(v: float) -> float:
        error = jnp.asarray(q) - v
        peak = greatest_exponent(error, temperature)
        return float(jax.grad(lambda x: gumbel_loss(exponent(q - x, temperature), peak))(v))

    assert slope(soft) == pytest.approx(0.0, abs=1e-6)
    assert slope(soft - 0.5) < 0.0 < slope(soft + 0.5)


def test_a_lower_temperature_comes_nearer_to_the_greatest_q():
    q = np.array([1.0, 2.0, 6.0])
    soft = [t * np.log(np.exp(q / t).mean()) for t in (4.0, 1.0)]
    slopes = []
    for v, temperature in zip(soft, (4.0, 1.0), strict=True):
        error = jnp.asarray(q - v, jnp.float32)
        weights = np.exp(exponent(error, temperature)) - 1.0
        slopes.append(weights.mean())
    assert soft[0] < soft[1]
    np.testing.assert_allclose(slopes, 0.0, atol=1e-5)


def test_exponents_are_cut_at_seven_and_the_peak_is_no_less_than_minus_one():
    np.testing.assert_allclose(exponent(jnp.array([100.0, 3.0, -9.0]), 2.0), [7.0, 1.5, -4.5])
    assert greatest_exponent(jnp.array([100.0, 3.0]), 2.0) == 7.0
    assert greatest_exponent(jnp.array([-30.0, -9.0]), 2.0) == -1.0


def test_no_error_is_too_large_for_the_loss():
    error = jnp.array([1e6, -1e6, 0.0])
    peak = greatest_exponent(error, 0.5)
    loss, gradient = jax.value_and_grad(lambda e: gumbel_loss(exponent(e, 0.5), peak))(error)
    assert np.isfinite(loss)
    assert np.isfinite(gradient).all()


def test_value_loss_is_gumbels_of_q_minus_v_scaled_by_v_before_the_step(
    spec: Spec, state: IQLState, rows: Batch
):
    q = jnp.linspace(-1.0, 1.0, 8)
    before = AGENT.init(jax.random.key(8), spec).value.model
    v, old = (
        normed_mlp(value.network, np.asarray(rows.observation))[:, 0]
        for value in (state.value.model, before)
    )
    z, peak = (np.asarray(q) - v) / 2.0, ((np.asarray(q) - old) / 2.0).max()
    assert abs(peak - z.max()) > 0.01
    expected = ((np.exp(z) - z - 1.0) * np.exp(-peak)).mean()
    loss, metrics = gumbel_value_loss(state.value.model, q, rows, before=before, temperature=2.0)
    assert loss == pytest.approx(expected, rel=1e-4)
    assert metrics["mean"] == pytest.approx(v.mean(), rel=1e-4)


def test_critics_are_normalised_or_not(spec: Spec, rows: Batch, key: jax.Array, state: IQLState):
    inputs = np.concatenate([rows.observation, rows.action], axis=1)
    member = jax.tree.map(lambda x: x[0], state.critic.model.members)
    got = state.critic.model(rows.observation, rows.action)[0]
    np.testing.assert_allclose(got, normed_mlp(member, inputs)[:, 0], rtol=1e-4, atol=1e-5)
    plain = XQL(hidden=(16, 16), layer_norm=False).init(key, spec)
    assert plain.critic.model.members.norms == ()
    assert plain.value.model.network.norms == ()


def test_the_order_of_updates(spec: Spec, state: IQLState, key: jax.Array):
    """pi and Q see the new V; V and the weights see the old target critic; temp divides."""
    stack = make_batch(spec, updates=1, size=8)
    rows = jax.tree.map(lambda x: x[0], stack)
    after, metrics = AGENT.update(state, stack, key)
    q = np.asarray(state.target_critic(rows.observation, rows.action)).min(axis=0)

    z = (q - np.asarray(state.value.model(rows.observation))) / 2.0
    expected = ((np.exp(z) - z - 1.0) / np.exp(max(z.max(), -1.0))).mean()
    assert metrics["value/loss"][0] == pytest.approx(expected, rel=1e-4)

    weight = np.minimum(np.exp((q - np.asarray(after.value.model(rows.observation))) / 2.0), 100.0)
    assert metrics["actor/weight"][0] == pytest.approx(weight.mean(), rel=1e-4)
    expected, _ = weighted_imitation_loss(state.actor.model, jnp.asarray(weight), rows)
    assert metrics["actor/loss"][0] == pytest.approx(float(expected), rel=1e-4)
    expected, _ = critic_loss(state.critic.model, AGENT.target(after, rows, key), rows)
    assert metrics["critic/loss"][0] == pytest.approx(float(expected), rel=1e-4)
    for old, target, new in zip(
        jax.tree.leaves(state.target_critic),
        jax.tree.leaves(after.target_critic),
        jax.tree.leaves(after.critic.model),
        strict=True,
    ):
        np.testing.assert_allclose(target, 0.995 * old + 0.005 * new, rtol=1e-5, atol=1e-7)


def test_the_q_that_is_read_is_the_lesser_of_the_trained_critics(state: IQLState, rows: Batch):
    both = state.critic.model(rows.observation, rows.action)
    np.testing.assert_array_equal(
        AGENT.q_value(state, rows.observation, rows.action), both.min(axis=0)
    )
