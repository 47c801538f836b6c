"""The density network: its loss by hand, what it finds, and that it cannot die."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from numpy.typing import NDArray
from scipy import stats

from road.mixing import Priorities
from road.nn.train_state import TrainState, gradient_step, make_train_state
from road.replay.transitions import pack, unpack
from road.reweighting.balanced_replay import Density, balanced
from road.reweighting.density_ratio import (
    DensityRatio,
    density_loss,
    divergence,
    make_density_ratio,
)
from road.types import Batch, Spec, Transition

SPEC = Spec(observation_dim=2, action_dim=1)
SHIFT = np.array([0.8, -0.5, 0.4])


def rows(points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Packed rows whose (s, a) are the points; the return of a running episode is not known."""
    zero = np.zeros(len(points))
    return pack(
        Transition(
            observation=points[:, :2],
            action=points[:, 2:],
            reward=zero,
            next_observation=points[:, :2],
            terminated=zero,
            return_to_go=zero - np.inf,
        )
    )


def batch(points: NDArray[np.float64]) -> Batch:
    return unpack(jnp.asarray(rows(points)), SPEC)


def test_the_loss_is_that_of_the_paper():
    """L_w = E_off[-log(2 / (1 + w))] - E_on[log(2 w / (1 + w))], with w = 0.5, 3 and w = 4, 0.1."""
    offline, online = np.array([0.5, 3.0]), np.array([4.0, 0.1])
    by_hand = np.mean(-np.log(2 / (1 + offline))) - np.mean(np.log(2 * online / (1 + online)))
    found = divergence(jnp.log(jnp.asarray(offline)), jnp.log(jnp.asarray(online)))
    assert float(found) == pytest.approx(by_hand, abs=1e-6)


def test_priorities_by_hand():
    """T = 5 and w_off = 1, 32: the mean of w^(1/5) is 1.5; w = 1, 32, 1e30, 1e-30 are drawn."""
    drawn, offline = jnp.log(jnp.array([1.0, 32.0, 1e30, 1e-30])), jnp.log(jnp.array([1.0, 32.0]))
    found = balanced(drawn, offline, Priorities())
    np.testing.assert_allclose(found, [1 / 1.5, 2 / 1.5, 1000.0, 0.001], rtol=1e-5)
    warm = balanced(drawn, offline, Priorities(temperature=1.0, least=0.1, most=2.0))
    np.testing.assert_allclose(warm, [0.1, 32 / 16.5, 2.0, 0.1], rtol=1e-5)
    beyond = balanced(jnp.array([-1e4, 1e4]), jnp.array([900.0, -900.0]), Priorities())
    assert np.isfinite(beyond).all()


def test_at_first_every_row_weighs_about_the_same():
    ratio = make_density_ratio(jax.random.key(0), 3, (256, 256))
    points = np.random.default_rng(0).normal(size=(500, 3))
    assert np.abs(np.asarray(ratio(batch(points)))).max() < 0.1


@pytest.fixture(scope="module")
def trained() -> tuple[Density, list[jax.Array]]:
    """3,000 steps on two normal distributions in three dimensions, SHIFT apart."""
    density = Density(Priorities(hidden=(64, 64), learning_rate=1e-3), SPEC)
    leaves, rng = density.init(0), np.random.default_rng(1)
    nothing = np.zeros((50, 1, 8), np.float32)
    for _ in range(60):
        offline, online = rng.normal(size=(2, 50 * 256, 3))
        stacks = (rows(each).reshape(50, 256, 8) for each in (offline, online + SHIFT))
        leaves, _, _ = density.step(leaves, *stacks, nothing)
    return density, leaves


def test_it_finds_the_ratio_of_two_known_gaussians(trained: tuple[Density, list[jax.Array]]):
    """log N(x; SHIFT, 1) - log N(x; 0, 1) = x · SHIFT - |SHIFT|² / 2, on points it has not seen.

    Where neither density is tiny: within 2 standard deviations of one of the centres at least.
    """
    density, leaves = trained
    centre = np.random.default_rng(2).integers(0, 2, (2000, 1)) * SHIFT
    points = centre + np.random.default_rng(3).normal(size=(2000, 3))
    near = np.minimum(np.linalg.norm(points, axis=1), np.linalg.norm(points - SHIFT, axis=1)) < 2.0
    points = points[near]
    analytic = points @ SHIFT - SHIFT @ SHIFT / 2
    at_centre, at_shift = (
        stats.multivariate_normal(mean).logpdf(points) for mean in (np.zeros(3), SHIFT)
    )
    np.testing.assert_allclose(analytic, at_shift - at_centre, atol=1e-9)

    model = jax.tree.unflatten(jax.tree.structure(density.train_state(0)), leaves).model
    error = np.asarray(model(batch(points)), np.float64) - analytic
    assert len(points) > 1000
    assert np.corrcoef(error + analytic, analytic)[0, 1] > 0.99
    assert abs(error.mean()) < 0.05
    assert np.abs(error).mean() < 0.1
    assert analytic.std() > 0.8, "an answer of zero everywhere would be this far off"


def judged_dead(bias: float) -> TrainState[DensityRatio]:
    """A network that takes every row for an offline one, with that log w."""
    ratio = make_density_ratio(jax.random.key(0), 3, (16, 16))
    *hidden, last = ratio.network.layers
    dead = dataclasses.replace(last, weight=0 * last.weight, bias=last.bias + bias)
    network = dataclasses.replace(ratio.network, layers=(*hidden, dead))
    return make_train_state(DensityRatio(network), optax.adam(0.1))


@jax.jit
def losses_while_learning(
    learner: TrainState[DensityRatio], offline: Batch, online: Batch
) -> jax.Array:
    """The loss before each of 1,200 steps."""

    def step(each: TrainState[DensityRatio], _: None) -> tuple[TrainState[DensityRatio], jax.Array]:
        after, metrics = gradient_step(
            "density", each, optax.adam(0.1), density_loss, offline, online
        )
        return after, metrics["density/loss"]

    return jax.lax.scan(step, learner, length=1200)[1]


@pytest.mark.parametrize("bias", [-30.0, -90.0, 90.0])
def test_it_comes_back_from_being_sure_and_wrong(bias: float):
    """At log w = -30 a ReLU would be dead, and a softplus under the authors' 1e-10 all but dead."""
    learner = judged_dead(bias)
    offline, online = (batch(each) for each in np.random.default_rng(0).normal(size=(2, 64, 3)))
    (_, _), gradient = jax.value_and_grad(density_loss, has_aux=True)(
        learner.model, offline, online
    )
    assert abs(float(gradient.network.layers[-1].bias[0])) == pytest.approx(1.0, abs=1e-3)
    losses = losses_while_learning(learner, offline, online)
    assert losses[0] == pytest.approx(abs(bias) - 2 * np.log(2), rel=1e-3)
    assert losses[-1] < 0.1, "a constant answer can reach 0"
