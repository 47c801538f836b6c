"""SAC's formulas against numbers worked out in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from tests.conftest import make_batch, members_of, numbered_critic

from road.agents.losses import critic_loss
from road.agents.sac import SAC, actor_loss, drawn_of, temperature_loss
from road.nn.networks import Gaussian, LayerNorm, make_critic
from road.nn.squashed import TanhGaussian, make_squashed_actor
from road.types import Batch, Spec

AGENT = SAC(hidden=(16, 16), critic_hidden=(16, 16), discount=0.5)


@pytest.fixture
def rows(spec: Spec) -> Batch:
    return jax.tree.map(lambda x: x[0], make_batch(spec, updates=1, size=8))


def test_the_density_of_a_squashed_gaussian_is_that_of_a_change_of_variables():
    """log N(u) - log(1 - tanh(u)²), summed over the action."""
    policy = TanhGaussian(Gaussian(jnp.array([[0.3, -1.0]]), jnp.array([[0.5, 0.8]])))
    u = np.array([0.7, -0.2])
    expected = (stats.norm.logpdf(u, [0.3, -1.0], [0.5, 0.8]) - np.log(1 - np.tanh(u) ** 2)).sum()
    assert policy.log_prob(jnp.tanh(jnp.array([u])))[0] == pytest.approx(expected, rel=1e-4)


def test_sampled_densities_agree_with_recomputed_ones(key: jax.Array):
    policy = TanhGaussian(Gaussian(jnp.zeros((50, 2)), jnp.full((50, 2), 0.5)))
    action, log_prob = policy.sample(key)
    np.testing.assert_allclose(policy.log_prob(action), log_prob, atol=1e-3)


def test_densities_stay_finite_at_the_edge_and_far_outside():
    policy = TanhGaussian(Gaussian(jnp.array([[50.0]]), jnp.array([[1.0]])))
    assert np.isfinite(policy.log_prob(jnp.array([[1.0]]))).all()
    assert np.isfinite(policy.sample(jax.random.key(0))[1]).all()


def test_the_affine_of_the_log_std_is_applied(key: jax.Array):
    plain = make_squashed_actor(key, 3, 2, (8,))
    scaled = make_squashed_actor(key, 3, 2, (8,), affine=(1.0, -1.0))
    observation = jnp.ones((4, 3))
    ratio = scaled(observation).base.std / plain(observation).base.std
    np.testing.assert_allclose(ratio, np.exp(-1.0), rtol=1e-5)


def test_layer_norm_standardises():
    out = LayerNorm(jnp.ones(4), jnp.zeros(4))(jnp.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_allclose(out, (np.arange(4) - 1.5) / np.std(np.arange(4)), rtol=1e-4)


def test_layer_norm_bounds_what_a_critic_can_say_far_away(key: jax.Array):
    """The reason that RLPD uses it: values do not grow with the size of the input."""
    normed = make_critic(key, 3, (16, 16), layer_norm=True)
    free = make_critic(key, 3, (16, 16))
    far = 1e4 * jnp.ones((1, 2))
    assert np.abs(normed(far, far[:, :1])).max() < np.abs(free(far, far[:, :1])).max() / 100


def test_the_target_by_hand(spec: Spec, rows: Batch, key: jax.Array):
    state = AGENT.init(key, spec)
    target = AGENT.target(state, rows, key)
    action_key, _ = jax.random.split(key)
    action, log_prob = state.actor.model(rows.next_observation).sample(action_key)
    q = np.asarray(state.target_critic(rows.next_observation, action)).min(axis=0)
    value = q - np.exp(0.0) * np.asarray(log_prob)
    expected = np.asarray(rows.reward) + 0.5 * (1 - np.asarray(rows.terminated)) * value
    np.testing.assert_allclose(target, expected, rtol=1e-5)


def test_without_entropy_backup_the_target_is_the_least_q(spec: Spec, rows: Batch, key: jax.Array):
    agent = SAC(hidden=(16, 16), critic_hidden=(16, 16), discount=0.5, entropy_backup=False)
    state = agent.init(key, spec)
    action_key, _ = jax.random.split(key)
    action, _ = state.actor.model(rows.next_observation).sample(action_key)
    q = np.asarray(state.target_critic(rows.next_observation, action)).min(axis=0)
    expected = np.asarray(rows.reward) + 0.5 * (1 - np.asarray(rows.terminated)) * q
    np.testing.assert_allclose(agent.target(state, rows, key), expected, rtol=1e-5)


def test_a_subset_is_drawn_without_replacement_and_again(key: jax.Array):
    critic = numbered_critic(10)
    members = [members_of(drawn_of(critic, 2, jax.random.key(seed))) for seed in range(300)]
    least = [min(pair) for pair in members]
    assert all(len(set(pair)) == 2 for pair in members)
    assert len(set(least)) == 9
    assert members_of(drawn_of(critic, None, key)) == list(range(10))
    # P(least of 2 of 10 is 0) = 1/5.
    assert np.mean(np.array(least) == 0) == pytest.approx(0.2, abs=0.08)


def test_actor_loss_is_alpha_log_pi_minus_q(spec: Spec, rows: Batch, key: jax.Array):
    state = AGENT.init(key, spec)
    loss, metrics = actor_loss(
        state.actor.model, AGENT.judge, state.critic.model, jnp.array(0.3), rows, key
    )
    action, log_prob = state.actor.model(rows.observation).sample(key)
    q = np.asarray(state.critic.model(rows.observation, action)).min(axis=0)
    assert loss == pytest.approx(float((0.3 * np.asarray(log_prob) - q).mean()), rel=1e-5)
    assert metrics["entropy"] == pytest.approx(-float(log_prob.mean()))


def test_the_actor_climbs_the_critic(spec: Spec, rows: Batch, key: jax.Array):
    """A gradient step raises Q of the policy's own actions: the classic sign."""
    state = AGENT.init(key, spec)

    def loss(actor):
        return actor_loss(actor, AGENT.judge, state.critic.model, jnp.array(0.0), rows, key)[0]

    gradient = jax.grad(loss)(state.actor.model)
    stepped = jax.tree.map(lambda p, g: p - 0.01 * g, state.actor.model, gradient)
    assert loss(stepped) < loss(state.actor.model)


def test_the_temperature_falls_when_entropy_is_above_its_goal():
    slope = jax.grad(lambda x: temperature_loss(x, jnp.array(3.0), -2.0)[0])
    assert slope(jnp.array(0.0)) == pytest.approx(5.0)  # descending lowers log alpha
    slope = jax.grad(lambda x: temperature_loss(x, jnp.array(-4.0), -2.0)[0])
    assert slope(jnp.array(0.0)) == pytest.approx(-2.0)


def test_critic_loss_sums_the_members(spec: Spec, rows: Batch, key: jax.Array):
    state = AGENT.init(key, spec)
    target = jnp.linspace(-1.0, 1.0, 8)
    loss, _ = critic_loss(state.critic.model, target, rows)
    q = np.asarray(state.critic.model(rows.observation, rows.action))
    assert loss == pytest.approx(((q - np.asarray(target)) ** 2).mean(axis=1).sum(), rel=1e-5)


def test_the_mean_or_the_least_for_the_actor(spec: Spec, rows: Batch, key: jax.Array):
    state = AGENT.init(key, spec)
    both = state.critic.model(rows.observation, rows.action)
    mean = SAC(mean_actor=True)
    np.testing.assert_allclose(
        mean.judge(state.critic.model, rows.observation, rows.action), both.mean(axis=0), rtol=1e-6
    )
    np.testing.assert_array_equal(
        AGENT.q_value(state, rows.observation, rows.action), both.min(axis=0)
    )
