"""RLPD: many critic steps to one of the policy, on mini-batches that all have the ratio."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from tests.conftest import make_batch, members_of, numbered_critic

from road.agents.rlpd import RLPD
from road.agents.sac import SAC, SACState, drawn_of
from road.mixing import Mixture
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler
from road.replay.transitions import row_width
from road.types import Batch, Spec

SMALL: dict[str, Any] = {"hidden": (16, 16), "discount": 0.5, "learning_rate": 1e-3}
AGENT = RLPD(**SMALL)

OFFLINE, ONLINE = 1.0, 2.0


def mini_batch(stack: Batch, update: int) -> Batch:
    return jax.tree.map(lambda rows: rows[update], stack)


def assert_same(one: Any, other: Any) -> None:
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(a, b)


def normed_mlp(x: np.ndarray, critic: Any, member: int) -> float:
    """One member's value of one input: affine, layer norm, ReLU, twice, then affine."""
    mlp = jax.tree.map(lambda leaf: np.asarray(leaf[member], np.float64), critic.members)
    for layer, norm in zip(mlp.layers[:-1], mlp.norms, strict=True):
        x = x @ layer.weight + layer.bias
        x = norm.scale * (x - x.mean()) / np.sqrt(x.var() + 1e-6) + norm.shift
        x = np.maximum(x, 0.0)
    return float((x @ mlp.layers[-1].weight + mlp.layers[-1].bias)[0])


def values(critic: Any, observation: Any, action: Any) -> np.ndarray:
    """Every member's value of every row, in NumPy."""
    inputs = np.concatenate([observation, action], axis=-1).astype(np.float64)
    members = critic.members.layers[0].weight.shape[0]
    return np.array([[normed_mlp(x, critic, member) for x in inputs] for member in range(members)])


@pytest.fixture
def trained(spec: Spec, key: jax.Array) -> SACState:
    """A state whose target critic is no longer its critic."""
    return AGENT.update(AGENT.init(key, spec), make_batch(spec, updates=1, size=8), key)[0]


def test_ten_critics_with_layer_norm_and_the_mean_of_them_is_what_the_policy_climbs(
    spec: Spec, trained: SACState
):
    rows = mini_batch(make_batch(spec, updates=1, size=4), 0)
    expected = values(trained.critic.model, rows.observation, rows.action)
    assert expected.shape == (10, 4)
    np.testing.assert_allclose(
        AGENT.q_value(trained, rows.observation, rows.action), expected.mean(axis=0), rtol=1e-4
    )


def test_the_critics_loss_by_hand(spec: Spec, trained: SACState, key: jax.Array):
    """All ten regress on r + gamma (least of two target critics - alpha log pi)."""
    stack = make_batch(spec, updates=1, size=8, seed=3)
    _, metrics = AGENT.update(trained, stack, key)
    rows = mini_batch(stack, 0)
    # The keys of SAC's update on the only mini-batch.
    critic_key, _ = jax.random.split(jax.random.split(key, 1)[0])
    action_key, subset_key = jax.random.split(critic_key)
    action, log_prob = trained.actor.model(rows.next_observation).sample(action_key)
    two = np.asarray(jax.random.permutation(subset_key, 10))[:2]
    least = values(trained.target_critic, rows.next_observation, action)[two].min(axis=0)
    alpha = np.exp(float(trained.log_alpha.model))
    value = least - alpha * np.asarray(log_prob)
    target = np.asarray(rows.reward) + 0.5 * (1 - np.asarray(rows.terminated)) * value
    q = values(trained.critic.model, rows.observation, rows.action)
    expected = ((q - target) ** 2).mean(axis=1).sum()
    assert metrics["critic/loss"][0] == pytest.approx(expected, rel=1e-3)
    # The authors average over the critics: the same number, ten times smaller.
    assert metrics["critic/loss"][0] / 10 == pytest.approx(((q - target) ** 2).mean(), rel=1e-3)


def test_summing_or_averaging_the_critics_is_the_same_step_under_adam(spec: Spec, key: jax.Array):
    """Adam divides by the gradient's size: a factor of ten is gone, up to its epsilon."""
    state = AGENT.init(key, spec)
    rows = mini_batch(make_batch(spec, updates=1, size=8), 0)
    target = jnp.linspace(-5.0, 5.0, 8)

    def step(factor: float) -> Any:
        def loss(critic: Any) -> Any:
            q = critic(rows.observation, rows.action)
            return factor * ((q - target[None, :]) ** 2).mean(axis=1).sum()

        gradient, _ = ravel_pytree(jax.grad(loss)(state.critic.model))
        optimiser = AGENT.sac.critic_optimiser
        return optimiser.update([gradient], state.critic.optimiser_state)[0][0]

    np.testing.assert_allclose(step(1.0), step(0.1), atol=0.01 * AGENT.learning_rate)


def test_with_one_mini_batch_and_two_plain_critics_it_is_sac(spec: Spec, key: jax.Array):
    """Bit for bit: networks, optimisers, target, temperature and metrics."""
    rlpd = RLPD(
        **SMALL, members=2, subset=None, layer_norm=False, mean_actor=False, entropy_share=1.0
    )
    sac = SAC(
        hidden=(16, 16),
        critic_hidden=(16, 16),
        discount=0.5,
        actor_learning_rate=1e-3,
        critic_learning_rate=1e-3,
    )
    state = sac.init(key, spec)
    assert_same(rlpd.init(key, spec), state)
    for seed in range(3):
        stack = make_batch(spec, updates=1, size=8, seed=seed)
        expected, sac_metrics = sac.update(state, stack, key)
        state, metrics = rlpd.update(state, stack, key)
        assert_same(state, expected)
        assert_same(metrics, sac_metrics)


def test_many_critic_steps_then_one_of_the_policy_on_the_last_mini_batch(
    spec: Spec, trained: SACState, key: jax.Array
):
    stack = make_batch(spec, updates=3, size=8, seed=5)
    after, metrics = AGENT.update(trained, stack, key)
    keys = [jax.random.split(each) for each in jax.random.split(key, 3)]
    state = trained
    for update in range(3):
        each = mini_batch(stack, update)
        target = AGENT.sac.target(state, each, keys[update][0])
        state, _ = AGENT.sac.update_critic(state, each, target)
    state, actor_metrics = AGENT.sac.update_actor(state, mini_batch(stack, 2), keys[2][1])
    for a, b in zip(jax.tree.leaves(after), jax.tree.leaves(state), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    assert metrics["actor/loss"][0] == pytest.approx(float(actor_metrics["actor/loss"]), rel=1e-4)


def test_three_mini_batches_are_three_steps_of_the_critics_and_one_of_the_policy(
    spec: Spec, trained: SACState, key: jax.Array
):
    after, _ = AGENT.update(trained, make_batch(spec, updates=3, size=8, seed=5), key)

    def steps(learner: Any) -> int:
        """Adam counts its steps in its first leaf."""
        return int(jax.tree.leaves(learner.optimiser_state)[0])

    assert steps(after.critic) - steps(trained.critic) == 3
    assert steps(after.actor) - steps(trained.actor) == 1
    assert steps(after.log_alpha) - steps(trained.log_alpha) == 1


def test_metrics_keep_the_update_axis_and_the_policys_are_repeated(
    spec: Spec, trained: SACState, key: jax.Array
):
    _, metrics = AGENT.update(trained, make_batch(spec, updates=3, size=8, seed=5), key)
    assert {number.shape for number in metrics.values()} == {(3,)}
    assert len(set(np.asarray(metrics["critic/loss"]).tolist())) == 3
    for name in ("actor/loss", "actor/gradient_norm", "actor/entropy", "temperature/alpha"):
        assert len(set(np.asarray(metrics[name]).tolist())) == 1


def test_the_target_entropy_is_minus_half_the_action_dimensions(
    spec: Spec, trained: SACState, key: jax.Array
):
    """d/d(log alpha) of log alpha (entropy - goal), with goal -2/2."""
    _, metrics = AGENT.update(trained, make_batch(spec, updates=1, size=8), key)
    slope = abs(float(metrics["actor/entropy"][0]) + 1.0)
    assert metrics["temperature/gradient_norm"][0] == pytest.approx(slope, rel=1e-5)


def test_a_subset_of_one_does_not_minimise():
    """The authors' choice for mazes: the target is a single critic's, drawn at random."""
    critic = numbered_critic(10)
    drawn = [members_of(drawn_of(critic, 1, jax.random.key(seed))) for seed in range(200)]
    assert {tuple(members) for members in drawn} == {(number,) for number in range(10)}


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
def test_every_mini_batch_of_twenty_has_the_offline_ratio(ratio: float):
    """Its count is the ratio times 128, rounded up or down; its mean is exact at every place.

    The authors cut one interleaved batch into mini-batches, which works for a half alone.
    """
    spec, draws = Spec(observation_dim=2, action_dim=1), 300
    online = OnlineBuffer(spec, 50)
    online.rows.fill(ONLINE)
    online.written = 50
    offline = np.full((40, row_width(spec)), OFFLINE, np.float32)
    sampler = MixedSampler(offline, online, enough_online=1)
    rng = np.random.default_rng(0)
    counts = np.array(
        [
            (sampler.sample(Mixture(ratio), 20, 128, rng).rows[..., 0] == OFFLINE).sum(axis=-1)
            for _ in range(draws)
        ]
    )
    assert counts.shape == (draws, 20)
    exact = ratio * 128
    assert set(counts.ravel().tolist()) == {int(np.floor(exact)), int(np.ceil(exact))}
    # Five standard errors of a rounding that has at most half a row of spread.
    np.testing.assert_allclose(counts.mean(axis=0), exact, atol=5 * 0.5 / np.sqrt(draws))
