"""PEX's composite policy and its update against numbers worked out in NumPy."""

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.conftest import make_batch

from road.agents.iql import IQL, IQLState
from road.agents.losses import critic_loss, expectile_value_loss, weighted_imitation_loss
from road.agents.pex import PEX, PEXState, carry, draw, take
from road.nn.networks import make_gaussian_actor
from road.nn.train_state import make_train_state
from road.training.config import default_plan, plan_from_json
from road.types import Batch, Spec

AGENT = PEX(hidden=(16, 16), discount=0.5, inverse_temperature=3.0)


@pytest.fixture
def rows(spec: Spec) -> Batch:
    return jax.tree.map(lambda x: x[0], make_batch(spec, updates=1, size=8))


@pytest.fixture
def pretrained(spec: Spec, batch: Batch, key: jax.Array) -> IQLState:
    return AGENT.iql.update(AGENT.iql.init(key, spec), batch, key)[0]


@pytest.fixture
def state(spec: Spec, pretrained: IQLState) -> PEXState:
    """Online, with a new policy that does not depend on the last bits of the old one's weights."""
    new = make_gaussian_actor(jax.random.key(5), spec.observation_dim, spec.action_dim, (16, 16))
    return dataclasses.replace(
        carry(AGENT, pretrained), actor=make_train_state(new, AGENT.optimiser)
    )


def same(one, other) -> bool:
    return all(map(np.array_equal, jax.tree.leaves(one), jax.tree.leaves(other)))


def proposed(state: PEXState, observation: jax.Array, sample_key: jax.Array) -> np.ndarray:
    """The old policy's mode and a draw of the new one, both in the box."""
    policy = state.actor.model(observation)
    noise = np.asarray(jax.random.normal(sample_key, policy.mean.shape))
    new = np.asarray(policy.mean) + np.asarray(policy.std) * noise
    old = np.asarray(state.offline_actor(observation).mean)
    return np.clip(np.stack([old, new]), -1.0, 1.0)


def least(critic, observation: jax.Array, action: np.ndarray) -> np.ndarray:
    return np.asarray(critic(observation, jnp.asarray(action))).min(axis=0)


def test_choices_are_drawn_with_softmax_of_ten_q(key: jax.Array):
    """Q of 0.1 and 0.2: the second is taken with probability 1 / (1 + exp(-1))."""
    q = jnp.tile(jnp.array([[0.1], [0.2]]), (1, 20_000))
    share = np.asarray(draw(q, 10.0, key)).mean()
    assert share == pytest.approx(1 / (1 + np.exp(-1.0)), abs=0.01)  # standard error 0.003


def test_infinite_sharpness_is_greedy():
    q = jnp.array([[5.0, -1.0, 2.0], [4.999, -0.999, -3.0]])
    for seed in range(20):
        np.testing.assert_array_equal(draw(q, float("inf"), jax.random.key(seed)), [0, 1, 0])


def test_an_agent_with_infinite_sharpness_takes_the_greater_q(state: PEXState, key: jax.Array):
    greedy = dataclasses.replace(AGENT, choice_sharpness=float("inf"))
    observation = jax.random.normal(key, (200, 5))
    proposals = proposed(state, observation, jax.random.split(key)[0])
    q = np.stack([least(state.critic.model, observation, each) for each in proposals])
    expected = np.where((q[1] > q[0])[:, None], proposals[1], proposals[0])
    np.testing.assert_allclose(greedy.act(state, observation, key), expected, rtol=1e-5, atol=1e-6)
    assert 0 < (q[1] > q[0]).mean() < 1, "both policies must be chosen somewhere"


def test_each_row_takes_its_own_proposal():
    proposals = jnp.arange(8.0).reshape(2, 2, 2)
    np.testing.assert_array_equal(take(proposals, jnp.array([1, 0])), [[4.0, 5.0], [2.0, 3.0]])


def test_proposals_are_judged_by_the_lesser_critic(state: PEXState, rows: Batch):
    proposals = jnp.stack([rows.action, -rows.action])
    expected = [least(state.critic.model, rows.observation, np.asarray(a)) for a in proposals]
    got = state.critic.model.judge_each(rows.observation, proposals).min(axis=1)
    np.testing.assert_allclose(got, np.stack(expected), rtol=1e-5)


def test_exploring_draws_the_new_policy_and_takes_the_mode_of_the_old(
    state: PEXState, key: jax.Array
):
    observation = jnp.ones((500, 5))
    action, chosen = AGENT.compose(state, observation, key)
    old = np.asarray(action)[np.asarray(chosen) == 0]
    new = np.asarray(action)[np.asarray(chosen) == 1]
    assert len(old) > 5
    assert len(new) > 5
    assert np.ptp(old, axis=0).max() == 0.0
    assert np.ptp(new, axis=0).min() > 0.1


def test_judging_without_noise_is_the_greater_q_of_the_modes(state: PEXState, key: jax.Array):
    quiet = dataclasses.replace(AGENT, evaluation_noise=0.0)
    observation = jax.random.normal(key, (200, 5))
    modes = np.stack(
        [np.asarray(p(observation).mean) for p in (state.offline_actor, state.actor.model)]
    )
    q = np.stack([least(state.critic.model, observation, mode) for mode in modes])
    expected = np.where((q[1] > q[0])[:, None], modes[1], modes[0])
    got = quiet.best_action(state, observation, key)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    assert np.array_equal(got, quiet.best_action(state, observation, jax.random.key(99)))


def test_a_tenth_of_the_rows_draws_in_either_choice_when_judged(state: PEXState, key: jax.Array):
    drawn = np.asarray(AGENT.is_noisy(key, 20_000))
    np.testing.assert_allclose(drawn.mean(axis=1), 0.1, atol=0.01)
    both = (drawn[0] & drawn[1]).mean()
    assert both == pytest.approx(0.01, abs=0.004), "the two choices must be independent"
    # One state, a greedy choice: what is neither mode was drawn from the new policy.
    greedy = dataclasses.replace(AGENT, choice_sharpness=float("inf"))
    observation = jnp.ones((2000, 5))
    action = np.asarray(greedy.best_action(state, observation, key))
    modes = [np.asarray(p(observation[:1]).mean) for p in (state.offline_actor, state.actor.model)]
    neither = np.all([np.abs(action - mode).max(axis=1) > 1e-5 for mode in modes], axis=0)
    assert 0.0 < neither.mean() <= 0.13


def test_each_noise_of_judging_is_its_own(state: PEXState):
    """Where pi takes its mode and the choice alone is drawn, a fair coin decides; else the Q."""
    coin = dataclasses.replace(AGENT, choice_sharpness=1e-6, evaluation_noise=0.5)
    key, observation = jax.random.key(3), jnp.ones((2000, 5))
    sampled, chosen = np.asarray(coin.is_noisy(jax.random.split(key, 3)[2], 2000))
    modes = jnp.stack([p(observation).mean for p in (state.offline_actor, state.actor.model)])
    q = state.critic.model.judge_each(observation, modes).min(axis=1)
    greater = np.asarray(take(modes, q.argmax(axis=0)))
    action = np.asarray(coin.best_action(state, observation, key))
    greedy = np.abs(action - greater).max(axis=1) < 1e-5
    assert greedy[~sampled & ~chosen].all()
    assert greedy[~sampled & chosen].mean() == pytest.approx(0.5, abs=0.1)


def test_with_all_noise_judging_is_exploring(state: PEXState):
    """Drawn choices have the same distribution: the same share of rows goes to the old policy."""
    noisy = dataclasses.replace(AGENT, evaluation_noise=1.0)
    observation = jnp.ones((5000, 5))
    mode = np.asarray(state.offline_actor(observation[:1]).mean)
    shares = [
        np.all(np.abs(np.asarray(action) - mode) < 1e-6, axis=1).mean()
        for action in (
            noisy.best_action(state, observation, jax.random.key(1)),
            AGENT.act(state, observation, jax.random.key(2)),
        )
    ]
    assert shares[0] == pytest.approx(shares[1], abs=0.04)
    assert 0.02 < shares[0] < 0.98


def test_one_update_by_hand(spec: Spec, state: PEXState, key: jax.Array):
    """V and Q as IQL on the batch's actions; pi on composite ones, judged by new V, Q and Q'."""
    stack = make_batch(spec, updates=1, size=8)
    rows = jax.tree.map(lambda x: x[0], stack)
    after, metrics = AGENT.update(state, stack, key)

    q = state.target_critic.pessimistic(rows.observation, rows.action)
    expected, _ = expectile_value_loss(state.value.model, q, rows, expectile=0.9)
    assert metrics["value/loss"][0] == pytest.approx(float(expected), rel=1e-4)
    expected, _ = critic_loss(state.critic.model, AGENT.target(after, rows, key), rows)
    assert metrics["critic/loss"][0] == pytest.approx(float(expected), rel=1e-4)

    judged = dataclasses.replace(state, critic=after.critic)
    update_key = jax.random.split(key, 1)[0]
    action, chosen = AGENT.compose(judged, rows.observation, update_key)
    proposals = proposed(state, rows.observation, jax.random.split(update_key)[0])
    expected = np.where((np.asarray(chosen) == 1)[:, None], proposals[1], proposals[0])
    np.testing.assert_allclose(action, expected, rtol=1e-4, atol=1e-5)

    v = np.asarray(after.value.model(rows.observation))
    better = least(after.target_critic, rows.observation, np.asarray(action)) - v
    weight = np.minimum(np.exp(3.0 * better), 100.0)
    mean = np.asarray(state.actor.model(rows.observation).mean)
    log_prob = (-0.5 * (np.asarray(action) - mean) ** 2 - 0.5 * np.log(2 * np.pi)).sum(axis=1)
    assert metrics["actor/loss"][0] == pytest.approx(-(weight * log_prob).mean(), rel=1e-3)
    assert metrics["actor/weight"][0] == pytest.approx(weight.mean(), rel=1e-3)
    assert metrics["actor/offline_chosen"][0] == (np.asarray(chosen) == 0).mean()


def test_the_recorded_actions_are_not_what_the_policy_imitates(
    state: PEXState, batch: Batch, key: jax.Array
):
    """With V and Q left alone by a rate of 0, other recorded actions leave pi the same."""
    frozen = dataclasses.replace(AGENT, learning_rate=0.0)
    other = type(batch)(**{**vars(batch), "action": -batch.action})
    _, one = frozen.update(state, batch, key)
    _, two = frozen.update(state, other, key)
    np.testing.assert_array_equal(one["actor/loss"][0], two["actor/loss"][0])


def test_the_actor_moves_towards_weighted_actions(state: PEXState, rows: Batch):
    gradient = jax.grad(lambda a: weighted_imitation_loss(a, jnp.ones(8), rows)[0])(
        state.actor.model
    )
    stepped = jax.tree.map(lambda p, g: p - 0.01 * g, state.actor.model, gradient)

    def distance(actor) -> float:
        return float(((actor(rows.observation).mean - rows.action) ** 2).mean())

    assert distance(stepped) < distance(state.actor.model)


def test_the_offline_policy_is_never_changed(state: PEXState, batch: Batch, key: jax.Array):
    after, _ = AGENT.update(state, batch, key)
    assert same(after.offline_actor, state.offline_actor)
    assert not same(after.actor.model, state.actor.model)


def test_the_policy_of_r_q_is_the_composite_one(state: PEXState, rows: Batch, key: jax.Array):
    action, _ = AGENT.compose(state, rows.observation, key)
    np.testing.assert_array_equal(AGENT.act(state, rows.observation, key), action)
    expected = least(state.critic.model, rows.observation, np.asarray(action))
    np.testing.assert_array_equal(AGENT.q_value(state, rows.observation, action), expected)


def test_carrying_freezes_the_policy_and_begins_another(pretrained: IQLState):
    carried = carry(AGENT, pretrained)
    assert same(carried.offline_actor, pretrained.actor.model)
    assert same(carried.critic.model, pretrained.critic.model)
    assert same(carried.target_critic, pretrained.target_critic)
    assert not same(carried.target_critic, pretrained.critic.model)
    assert same(carried.value.model, pretrained.value.model)
    assert not same(carried.actor.model, pretrained.actor.model)
    np.testing.assert_array_equal(carried.actor.model.log_std, np.zeros(2))
    for learner in (carried.actor, carried.critic, carried.value):
        assert all((np.asarray(x) == 0).all() for x in jax.tree.leaves(learner.optimiser_state))


def test_carrying_twice_gives_the_same_and_another_run_another_policy(
    spec: Spec, pretrained: IQLState
):
    assert same(carry(AGENT, pretrained), carry(AGENT, pretrained))
    other = carry(AGENT, AGENT.iql.init(jax.random.key(8), spec))
    assert not same(other.actor.model, carry(AGENT, pretrained).actor.model)


def test_the_offline_agent_is_iql_with_the_same_numbers():
    assert PEX().iql == IQL()
    assert PEX(expectile=0.7, hidden=(8,)).iql == IQL(expectile=0.7, hidden=(8,))


def test_defaults_are_those_of_the_papers_table_and_the_authors():
    assert PEX() == PEX(
        hidden=(256, 256),
        learning_rate=3e-4,
        discount=0.99,
        expectile=0.9,
        inverse_temperature=10.0,
        target_rate=0.005,
        choice_sharpness=10.0,
        evaluation_noise=0.1,
    )


def test_a_greedy_choice_can_be_written_down_and_read_back():
    """JSON has no infinity, and a run folder holds JSON."""
    greedy = PEX(choice_sharpness=float("inf"))
    plan = dataclasses.replace(default_plan(agent_name="pex"), agent=greedy)
    text = json.dumps(plan.to_json(), allow_nan=False)
    assert plan_from_json(json.loads(text)) == plan
