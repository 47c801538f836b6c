"""PROTO's formulas against numbers worked out in NumPy, and its border with SAC."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from tests.conftest import make_batch

from road.agents import sac
from road.agents.iql import IQLState
from road.agents.losses import critic_loss
from road.agents.proto import (
    PROTO,
    PROTOState,
    actor_loss,
    carry,
    densities,
    temperature_loss,
)
from road.agents.xql import XQL
from road.nn.networks import GaussianActor, make_gaussian_actor
from road.nn.squashed import SquashedActor
from road.types import Batch, Spec

AGENT = PROTO(hidden=(16, 16), discount=0.5, temperature=2.0, decay_steps=1000)


@pytest.fixture
def rows(spec: Spec) -> Batch:
    return jax.tree.map(lambda x: x[0], make_batch(spec, updates=1, size=8))


@pytest.fixture
def pretrained(spec: Spec, batch: Batch, key: jax.Array) -> IQLState:
    return AGENT.xql.update(AGENT.xql.init(key, spec), batch, key)[0]


@pytest.fixture
def state(spec: Spec, pretrained: IQLState) -> PROTOState:
    """Online, with a pi_k that is not pi and an alpha that is not its first."""
    slow = make_gaussian_actor(jax.random.key(3), spec.observation_dim, spec.action_dim, (16, 16))
    slow = dataclasses.replace(slow, log_std=jnp.array([-0.5, 0.3]))
    carried = carry(AGENT, pretrained)
    log_alpha = dataclasses.replace(carried.log_alpha, model=jnp.log(jnp.array(0.3)))
    return dataclasses.replace(carried, slow_actor=slow, log_alpha=log_alpha)


def same(one, other) -> bool:
    return all(map(np.array_equal, jax.tree.leaves(one), jax.tree.leaves(other)))


def at(state: PROTOState, updates: int) -> PROTOState:
    return dataclasses.replace(state, updates=jnp.array(updates, jnp.int32))


def log_density(actor: GaussianActor, observation: jax.Array, action: np.ndarray) -> np.ndarray:
    std = np.exp(np.asarray(actor.log_std))
    return stats.norm.logpdf(action, np.asarray(actor(observation).mean), std).sum(axis=1)


def regulariser(state: PROTOState, observation, action, alpha: float, lam: float) -> np.ndarray:
    """alpha log pi + lam (log pi - log pi_k)."""
    own = log_density(state.actor.model, observation, action)
    return alpha * own + lam * (own - log_density(state.slow_actor, observation, action))


def test_densities_are_those_of_gaussians_that_are_not_squashed(state: PROTOState, rows: Batch):
    log_prob, log_ratio = densities(
        state.actor.model, state.slow_actor, rows.observation, rows.action
    )
    action = np.asarray(rows.action)
    own = log_density(state.actor.model, rows.observation, action)
    slow = log_density(state.slow_actor, rows.observation, action)
    np.testing.assert_allclose(log_prob, own, rtol=1e-4)
    np.testing.assert_allclose(log_ratio, own - slow, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("updates", "lam"), [(0, 2.0), (500, 1.1), (1000, 0.2), (1200, 0.0)])
def test_the_weight_of_the_region_falls_in_a_straight_line(
    state: PROTOState, updates: int, lam: float
):
    """2 (1 - 0.9 k / 1000): a tenth is left at the end of the schedule, and never less than 0."""
    alpha, weight = AGENT.weights(at(state, updates))
    assert weight == pytest.approx(lam, abs=1e-6)
    assert alpha == pytest.approx(0.3)


def test_the_authors_schedule_ends_at_a_tenth_of_the_temperature(state: PROTOState):
    agent = PROTO(temperature=0.5)
    assert agent.weights(at(state, 1_000_000))[1] == pytest.approx(0.05, rel=1e-4)


def test_every_update_is_counted(state: PROTOState, batch: Batch, key: jax.Array):
    after, metrics = AGENT.update(at(state, 500), batch, key)
    assert int(after.updates) == 502
    np.testing.assert_allclose(metrics["actor/region_weight"], [1.1, 1.0982], rtol=1e-5)


def test_the_target_by_hand(state: PROTOState, rows: Batch, key: jax.Array):
    state = at(state, 500)
    action_key, _ = jax.random.split(key)
    action = np.asarray(state.actor.model(rows.next_observation).sample(action_key))
    q = np.asarray(state.target_critic(rows.next_observation, jnp.asarray(action))).min(axis=0)
    value = q - regulariser(state, rows.next_observation, action, alpha=0.3, lam=1.1)
    expected = np.asarray(rows.reward) + 0.5 * (1 - np.asarray(rows.terminated)) * value
    np.testing.assert_allclose(AGENT.target(state, rows, key), expected, rtol=1e-4, atol=1e-4)


def test_a_plain_backup_has_no_regulariser_and_may_ask_one_critic(
    state: PROTOState, rows: Batch, key: jax.Array
):
    """The authors' setting for mazes: one of the two target critics, drawn again each time."""
    agent = dataclasses.replace(AGENT, regularised_backup=False, subset=1)
    action_key, _ = jax.random.split(key)
    action = state.actor.model(rows.next_observation).sample(action_key)
    both = np.asarray(state.target_critic(rows.next_observation, action))
    alive = 0.5 * (1 - np.asarray(rows.terminated))
    either = np.asarray(rows.reward) + alive * both
    got = np.asarray(agent.target(state, rows, key))
    assert np.isclose(got, either, rtol=1e-4).all(axis=1).any(), "one critic for all rows"
    drawn = [np.asarray(agent.target(state, rows, jax.random.key(seed))) for seed in range(8)]
    assert len({x.tobytes() for x in drawn}) == 8


def test_actor_loss_by_hand(state: PROTOState, rows: Batch, key: jax.Array):
    loss, metrics = actor_loss(
        *(state.actor.model, state.slow_actor, state.critic.model),
        *(jnp.array(0.3), jnp.array(1.1), rows, key),
    )
    action = np.asarray(state.actor.model(rows.observation).sample(key))
    q = np.asarray(state.critic.model(rows.observation, jnp.asarray(action))).mean(axis=0)
    cost = regulariser(state, rows.observation, action, alpha=0.3, lam=1.1)
    assert loss == pytest.approx((cost - q).mean(), rel=1e-4)
    own = log_density(state.actor.model, rows.observation, action)
    slow = log_density(state.slow_actor, rows.observation, action)
    assert metrics["entropy"] == pytest.approx(-own.mean(), rel=1e-4)
    assert metrics["divergence"] == pytest.approx((own - slow).mean(), rel=1e-4)


class UnsquashedForSAC(SquashedActor):
    """A Gaussian policy that answers the way SAC asks: actions with their log-densities."""

    log_std: jax.Array

    def __call__(self, observation):
        policy = GaussianActor(self.network, self.log_std)(observation)

        class Answer:
            def sample(self, key):
                action = policy.sample(key)
                return action, policy.log_prob(action)

        return Answer()


def test_without_the_region_the_actor_step_is_sacs(state: PROTOState, rows: Batch, key: jax.Array):
    """Same loss and same gradient as SAC's own function on the same Gaussian."""
    mine = state.actor.model
    (loss, _), gradient = jax.value_and_grad(actor_loss, has_aux=True)(
        *(mine, state.slow_actor, state.critic.model),
        *(jnp.array(0.3), jnp.array(0.0), rows, key),
    )
    asked = UnsquashedForSAC(mine.network, None, mine.log_std)
    judge = sac.SAC(mean_actor=True).judge
    (expected, _), expected_gradient = jax.value_and_grad(sac.actor_loss, has_aux=True)(
        asked, judge, state.critic.model, jnp.array(0.3), rows, key
    )
    assert loss == pytest.approx(float(expected), rel=1e-6)
    np.testing.assert_allclose(gradient.log_std, expected_gradient.log_std, rtol=1e-5)
    for one, other in zip(
        jax.tree.leaves(gradient.network), jax.tree.leaves(expected_gradient.network), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_the_actor_climbs_the_critics_and_is_held_by_the_region(
    state: PROTOState, rows: Batch, key: jax.Array
):
    """Descending raises Q without a region, and comes nearer to pi_k with a heavy one."""

    def step(weight: float) -> GaussianActor:
        def loss(actor):
            constants = (state.slow_actor, state.critic.model, jnp.array(0.0), jnp.array(weight))
            return actor_loss(actor, *constants, rows, key)[0]

        gradient = jax.grad(loss)(state.actor.model)
        size = 0.01 / max(weight, 1.0)
        return jax.tree.map(lambda p, g: p - size * g, state.actor.model, gradient)

    def q(actor: GaussianActor) -> float:
        action = actor(rows.observation).sample(key)
        return float(state.critic.model(rows.observation, action).mean())

    def distance(actor: GaussianActor) -> float:
        means = actor(rows.observation).mean - state.slow_actor(rows.observation).mean
        return float((means**2).mean())

    assert q(step(0.0)) > q(state.actor.model)
    assert distance(step(1000.0)) < distance(state.actor.model)


def test_the_temperature_aims_at_half_a_unit_of_entropy_per_action(
    spec: Spec, state: PROTOState, key: jax.Array
):
    stack = make_batch(spec, updates=1, size=8)
    _, metrics = AGENT.update(state, stack, key)
    entropy = metrics["actor/entropy"][0]
    expected, _ = temperature_loss(jnp.log(jnp.array(0.3)), entropy, -0.5 * 2)
    assert metrics["temperature/loss"][0] == pytest.approx(float(expected), rel=1e-5)
    assert metrics["temperature/loss"][0] == pytest.approx(
        np.log(0.3) * (float(entropy) + 1.0), rel=1e-4
    )


def test_the_order_of_updates(spec: Spec, state: PROTOState, key: jax.Array):
    """pi sees the new Q and the old pi_k; pi_k and Q' follow what is new."""
    agent = dataclasses.replace(AGENT, slow_rate=0.1)
    stack = make_batch(spec, updates=1, size=8)
    rows = jax.tree.map(lambda x: x[0], stack)
    after, metrics = agent.update(state, stack, key)
    critic_key, actor_key = jax.random.split(jax.random.split(key, 1)[0])
    expected, _ = critic_loss(state.critic.model, agent.target(state, rows, critic_key), rows)
    assert metrics["critic/loss"][0] == pytest.approx(float(expected), rel=1e-4)
    expected, _ = actor_loss(
        *(state.actor.model, state.slow_actor, after.critic.model),
        *(jnp.array(0.3), jnp.array(2.0), rows, actor_key),
    )
    assert metrics["actor/loss"][0] == pytest.approx(float(expected), rel=1e-4)
    for rate, before, following, new in (
        (0.1, state.slow_actor, after.slow_actor, after.actor.model),
        (0.005, state.target_critic, after.target_critic, after.critic.model),
    ):
        for old, target, model in zip(*map(jax.tree.leaves, (before, following, new)), strict=True):
            np.testing.assert_allclose(
                target, (1 - rate) * old + rate * model, rtol=1e-5, atol=1e-6
            )


def test_the_q_of_r_q_is_what_the_actor_climbs(state: PROTOState, rows: Batch):
    both = np.asarray(state.critic.model(rows.observation, rows.action))
    np.testing.assert_allclose(
        AGENT.q_value(state, rows.observation, rows.action), both.mean(axis=0), rtol=1e-6
    )


def test_carrying_begins_the_region_at_the_offline_policy(pretrained: IQLState):
    carried = carry(AGENT, pretrained)
    assert same(carried.actor.model, pretrained.actor.model)
    assert same(carried.slow_actor, pretrained.actor.model)
    assert same(carried.target_critic, pretrained.target_critic)
    assert int(carried.updates) == 0
    assert np.exp(carried.log_alpha.model) == pytest.approx(0.01)


def test_carrying_keeps_the_critics_adam_and_renews_the_policys(pretrained: IQLState):
    carried = carry(AGENT, pretrained)
    assert same(carried.critic, pretrained.critic)
    moments = jax.tree.leaves(carried.critic.optimiser_state)
    assert any((np.asarray(x) != 0).any() for x in moments)
    for learner in (carried.actor, carried.log_alpha):
        assert all((np.asarray(x) == 0).all() for x in jax.tree.leaves(learner.optimiser_state))


def test_the_first_online_step_is_not_compiled_twice(
    pretrained: IQLState, batch: Batch, key: jax.Array
):
    """A weakly typed first alpha or counter would compile the update again."""
    agent = dataclasses.replace(AGENT, discount=0.51)
    before = PROTO.update._cache_size()
    state = carry(agent, pretrained)
    for _ in range(3):
        state, _ = agent.update(state, batch, key)
    assert PROTO.update._cache_size() == before + 1


def test_the_offline_agent_has_the_same_numbers():
    assert PROTO(hidden=(8,), temperature=0.5, layer_norm=False).xql == XQL(
        hidden=(8,), temperature=0.5, layer_norm=False
    )
    assert PROTO().xql == XQL()


def test_defaults_are_the_authors_for_locomotion():
    assert PROTO() == PROTO(
        hidden=(256, 256),
        learning_rate=3e-4,
        discount=0.99,
        temperature=2.0,
        decay=0.9,
        decay_steps=1_000_000,
        slow_rate=0.005,
        target_rate=0.005,
        layer_norm=True,
        subset=None,
        regularised_backup=True,
        entropy_share=0.5,
    )
