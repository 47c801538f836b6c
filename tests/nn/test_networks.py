import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from road.nn.networks import Gaussian, LayerNorm, make_critic, make_gaussian_actor, make_mlp
from road.nn.train_state import gradient_step, make_train_state, polyak_update


def test_every_layer_is_orthogonal_with_gain_root_two(key: jax.Array):
    for layer in make_mlp(key, (8, 16, 16, 4)).layers:
        weight = np.asarray(layer.weight)
        small = weight @ weight.T if len(weight) <= weight.shape[1] else weight.T @ weight
        np.testing.assert_allclose(small, 2.0 * np.eye(len(small)), atol=1e-5)
        assert (np.asarray(layer.bias) == 0).all()


def test_members_of_a_critic_differ(key: jax.Array):
    critic = make_critic(key, 4, (8,), members=3)
    q = critic(jnp.ones((5, 3)), jnp.ones((5, 1)))
    assert q.shape == (3, 5)
    assert len({float(x) for x in q[:, 0]}) == 3
    np.testing.assert_array_equal(critic.pessimistic(jnp.ones((5, 3)), jnp.ones((5, 1))), q.min(0))


@pytest.mark.parametrize("proposals", [1, 5, 6])
def test_several_actions_are_judged_as_one_by_one(proposals: int, key: jax.Array):
    """Whether or not they divide into blocks."""
    critic = make_critic(key, 5, (8,), members=3)
    observation = jax.random.normal(key, (4, 3))
    action = jax.random.normal(key, (proposals, 4, 2))
    expected = [critic(observation, each) for each in action]
    np.testing.assert_allclose(
        critic.judge_each(observation, action), np.stack(expected), rtol=1e-5, atol=1e-6
    )


def test_the_spread_of_an_actor_is_bounded_and_the_same_everywhere(key: jax.Array):
    actor = make_gaussian_actor(key, 3, 2, (8,))
    wide = type(actor)(actor.network, jnp.array([99.0, -99.0]))
    std = wide(jnp.zeros((4, 3))).std
    np.testing.assert_allclose(std, np.tile(np.exp([2.0, -5.0]), (4, 1)), rtol=1e-5)


def test_log_probability_is_scipys():
    policy = Gaussian(jnp.array([[0.1, -0.2]]), jnp.array([[0.5, 2.0]]))
    expected = stats.norm.logpdf([0.3, 1.0], [0.1, -0.2], [0.5, 2.0]).sum()
    assert policy.log_prob(jnp.array([[0.3, 1.0]]))[0] == pytest.approx(expected, rel=1e-5)


def test_samples_have_the_mean_and_the_spread(key: jax.Array):
    policy = Gaussian(jnp.full((20_000, 1), 0.5), jnp.full((20_000, 1), 0.2))
    sample = np.asarray(policy.sample(key))
    assert sample.mean() == pytest.approx(0.5, abs=0.01)
    assert sample.std() == pytest.approx(0.2, abs=0.01)


def test_descend_trains_its_first_argument_alone():
    import optax

    optimiser = optax.sgd(0.1)
    learner = make_train_state(jnp.array(2.0), optimiser)

    def loss(model, constant):
        return (model - constant) ** 2, {"gap": model - constant}

    after, metrics = gradient_step("toy", learner, optimiser, loss, jnp.array(5.0))
    assert after.model == pytest.approx(2.0 - 0.1 * 2 * (2.0 - 5.0))
    assert metrics["toy/loss"] == pytest.approx(9.0)
    assert metrics["toy/gradient_norm"] == pytest.approx(6.0)
    assert metrics["toy/gap"] == pytest.approx(-3.0)


def test_follow_goes_part_of_the_way():
    assert polyak_update(jnp.array(1.0), jnp.array(3.0), 0.25) == pytest.approx(1.5)


def test_layer_norm_is_its_formula_and_so_is_its_gradient():
    """Against float64 sums taken the plain way, where the values are far from zero and near."""

    def plain(x: np.ndarray) -> np.ndarray:
        return scale * (x - x.mean()) / np.sqrt(x.var() + 1e-6) + shift

    rng = np.random.default_rng(0)
    scale, shift, outer = rng.normal(size=(3, 16))
    norm = LayerNorm(jnp.asarray(scale, jnp.float32), jnp.asarray(shift, jnp.float32))
    for centre, spread in ((0.0, 1.0), (30.0, 1.0), (0.1, 0.01)):
        x = centre + spread * rng.normal(size=16)
        given = jnp.asarray(x, jnp.float32)
        np.testing.assert_allclose(norm(given), plain(np.float64(given)), atol=3e-3)
        slope = jax.grad(lambda x: norm(x) @ jnp.asarray(outer, jnp.float32))(given)
        steps = 1e-6 * np.eye(16)
        differences = [(plain(x + step) - plain(x - step)) @ outer / 2e-6 for step in steps]
        np.testing.assert_allclose(slope, differences, rtol=1e-3, atol=3e-3 / spread)


def test_layer_norm_of_a_constant_vector_is_finite():
    norm = LayerNorm(jnp.ones(7), jnp.zeros(7))
    value, slope = jax.value_and_grad(lambda x: norm(x).sum())(jnp.full(7, 1e3))
    assert np.isfinite(value) and np.isfinite(slope).all()
