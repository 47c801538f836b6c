"""CQL's and Cal-QL's formulas against numbers worked out in NumPy, and what must coincide."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp
from tests.conftest import make_batch

from road.agents.cql import (
    CQL,
    CQLState,
    Proposals,
    critic_loss,
    draw,
    keep_everything,
    multiplier,
    multiplier_loss,
)
from road.agents.sac import SAC
from road.errors import UsageError
from road.nn.networks import MLP, Critic, Linear
from road.types import Batch, Spec

SMALL = CQL(hidden=(16, 16), critic_hidden=(16, 16), discount=0.5, proposals=3, max_backup=4)
FIXED = replace(SMALL, target_gap=None)
CALIBRATED = replace(SMALL, calibrated=True)


@pytest.fixture
def rows(spec: Spec) -> Batch:
    """One mini-batch, without the stack axis."""
    return jax.tree.map(lambda x: x[0], make_batch(spec, updates=1, size=8))


@pytest.fixture
def state(spec: Spec, key: jax.Array) -> CQLState:
    return SMALL.init(key, spec)


def with_returns(batch: Batch, returns: float) -> Batch:
    return replace(batch, return_to_go=jnp.full_like(batch.return_to_go, returns))


def same(one, other) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def close(one, other) -> None:
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_the_critics_last_layer_starts_a_hundredth_as_large_as_usual(state: CQLState) -> None:
    """An orthogonal column of one output has the gain as its length: 0.01, as in Cal-QL's code."""
    last = state.critic.model.members.layers[-1]
    lengths = np.linalg.norm(last.weight, axis=1)
    np.testing.assert_allclose(lengths, 0.01, rtol=1e-5)
    hidden = state.critic.model.members.layers[1].weight[0]
    np.testing.assert_allclose(np.linalg.norm(hidden, axis=0), 2.0**0.5, rtol=1e-5)


def forward(critic: Critic, observation, action) -> np.ndarray:
    """Both members of an ensemble, in NumPy: (member, batch)."""
    inputs = np.concatenate([observation, action], axis=1)
    values = []
    for member in range(2):
        x = inputs
        layers = [
            (np.asarray(layer.weight)[member], np.asarray(layer.bias)[member])
            for layer in critic.members.layers
        ]
        for weight, bias in layers[:-1]:
            x = np.maximum(x @ weight + bias, 0.0)
        values.append((x @ layers[-1][0] + layers[-1][1])[:, 0])
    return np.stack(values)


def linear_critic(spec: Spec, slope: float | jax.Array, offset: float = 0.0) -> Critic:
    """Two members that both say slope times the first action, plus the offset."""
    weight = jnp.zeros((spec.observation_dim + spec.action_dim, 1))
    weight = weight.at[spec.observation_dim, 0].set(slope)
    member = MLP((Linear(weight, jnp.full(1, offset)),))
    return Critic(jax.tree.map(lambda x: jnp.stack([x, x]), member))


def test_the_critics_loss_by_hand(rows: Batch, state: CQLState, key: jax.Array):
    """Squared error plus the weighted gap: both summed over members, averaged over the batch."""
    proposals = CALIBRATED.propose(state.actor.model, rows, key)
    target = jnp.linspace(-1.0, 1.0, 8)
    loss, metrics = critic_loss(state.critic.model, target, proposals, rows, jnp.array(2.5))
    q = forward(state.critic.model, rows.observation, rows.action)
    proposed = np.stack(
        [forward(state.critic.model, rows.observation, each) for each in proposals.action]
    )
    floor, density = np.asarray(proposals.floor), np.asarray(proposals.log_density)
    lifted = np.maximum(proposed, floor[:, None, :]) - density[:, None, :]
    gap = (logsumexp(lifted, axis=0) - q).mean(axis=1)
    bellman = ((q - np.asarray(target)) ** 2).mean(axis=1).sum()
    assert loss == pytest.approx(bellman + 2.5 * gap.sum(), rel=1e-4)
    assert metrics["gap"] == pytest.approx(gap.mean(), rel=1e-4)
    assert metrics["bellman"] == pytest.approx(bellman, rel=1e-4)
    assert metrics["bounded"] == pytest.approx((proposed < floor[:, None, :]).mean())
    assert 0.0 < metrics["bounded"] < 2 / 3, "some, and never those of the box"


def test_the_gap_of_equal_values_is_the_logarithm_of_their_number(spec: Spec, rows: Batch):
    """Without importance sampling: 3 · 3 proposals and the data's action, all worth 7."""
    agent = replace(SMALL, importance_sampling=False)
    actor = agent.init(jax.random.key(0), spec).actor.model
    proposals = agent.propose(actor, rows, jax.random.key(1))
    critic = linear_critic(spec, 0.0, offset=7.0)
    _, metrics = critic_loss(critic, jnp.zeros(8), proposals, rows, jnp.array(1.0))
    assert metrics["gap"] == pytest.approx(np.log(10), rel=1e-5)


def test_densities_correct_the_sum_to_an_integral_over_the_box(spec: Spec, rows: Batch):
    """exp Q = 1: each of the three sources then estimates the volume of the box, 2^2.

    The policy's own estimate has a finite variance only where it is as wide as the box; take the
    uniform third, which is exact.
    """
    agent = replace(SMALL, proposals=5)
    actor = agent.init(jax.random.key(0), spec).actor.model
    proposals = agent.propose(actor, rows, jax.random.key(1))
    uniform = jax.tree.map(lambda x: x[:5], proposals)
    _, metrics = critic_loss(linear_critic(spec, 0.0), jnp.zeros(8), uniform, rows, jnp.array(1.0))
    assert metrics["gap"] == pytest.approx(np.log(5 * 4.0), rel=1e-5)


def test_proposals_come_from_the_box_and_from_both_policies(
    rows: Batch, state: CQLState, key: jax.Array
):
    proposals = SMALL.propose(state.actor.model, rows, key)
    assert proposals.action.shape == (9, 8, 2)
    assert np.abs(np.asarray(proposals.action)).max() <= 1.0
    np.testing.assert_allclose(proposals.log_density[:3], np.log(0.25), rtol=1e-6)
    noise = []
    for first, observation in ((3, rows.observation), (6, rows.next_observation)):
        policy, action = state.actor.model(observation), proposals.action[first : first + 3]
        expected = [policy.log_prob(each) for each in action]
        np.testing.assert_allclose(proposals.log_density[first : first + 3], expected, atol=1e-3)
        mean, std = np.asarray(policy.base.mean), np.asarray(policy.base.std)
        noise.append((np.arctanh(np.asarray(action)) - mean) / std)
    distinct = np.unique(np.round(noise, 3).reshape(-1, 2), axis=0)
    assert len(distinct) == 48, "no noise is used twice"


def test_only_the_policys_proposals_have_a_floor(rows: Batch, state: CQLState, key: jax.Array):
    floor = CALIBRATED.propose(state.actor.model, rows, key).floor
    assert np.isneginf(floor[:3]).all()
    np.testing.assert_array_equal(floor[3:], np.tile(rows.return_to_go, (6, 1)))
    assert np.isneginf(SMALL.propose(state.actor.model, rows, key).floor).all()


def test_without_importance_sampling_the_data_joins_uncorrected(
    rows: Batch, state: CQLState, key: jax.Array
):
    plain = replace(CALIBRATED, importance_sampling=False)
    proposals = plain.propose(state.actor.model, rows, key)
    assert proposals.action.shape == (10, 8, 2)
    assert (np.asarray(proposals.log_density) == 0.0).all()
    np.testing.assert_array_equal(proposals.action[-1], rows.action)
    assert np.isneginf(proposals.floor[-1]).all()
    corrected = CALIBRATED.propose(state.actor.model, rows, key)
    np.testing.assert_array_equal(proposals.action[:-1], corrected.action)


def test_blocks_of_actions_are_judged_as_one(rows: Batch, state: CQLState, key: jax.Array):
    """A number of actions that blocks do not divide."""
    action, _ = draw(state.actor.model(rows.observation), 5, key)
    q = state.critic.model.judge_each(rows.observation, action)
    expected = [forward(state.critic.model, rows.observation, each) for each in action]
    np.testing.assert_allclose(q, np.stack(expected), rtol=1e-3, atol=1e-5)


def test_the_target_is_the_best_of_the_least(rows: Batch, state: CQLState, key: jax.Array):
    action_key, _ = jax.random.split(key)
    action, _ = draw(state.actor.model(rows.next_observation), 4, action_key)
    q = np.stack([forward(state.target_critic, rows.next_observation, each) for each in action])
    value = q.min(axis=1).max(axis=0)
    expected = np.asarray(rows.reward) + 0.5 * (1 - np.asarray(rows.terminated)) * value
    np.testing.assert_allclose(SMALL.target(state, rows, key), expected, rtol=1e-4, atol=1e-5)


def test_a_random_few_of_many_target_critics_can_be_minimised_over(
    spec: Spec, rows: Batch, key: jax.Array
):
    """One subset for all next actions: with a subset of 1 the target is one critic's own."""
    agent = replace(SMALL, members=3, subset=1)
    state = agent.init(key, spec)
    action_key, _ = jax.random.split(key)
    action, _ = draw(state.actor.model(rows.next_observation), 4, action_key)
    best = state.target_critic.judge_each(rows.next_observation, action).max(axis=0)
    bootstrap = 0.5 * (1 - np.asarray(rows.terminated)) * np.asarray(best)
    own = np.asarray(rows.reward) + bootstrap
    distance = np.abs(own - np.asarray(agent.target(state, rows, key))).max(axis=1)
    assert sorted(distance)[0] < 1e-5 < sorted(distance)[1]


def test_without_max_backup_the_target_is_sacs_without_entropy(
    rows: Batch, state: CQLState, key: jax.Array
):
    sac = SAC(hidden=(16, 16), critic_hidden=(16, 16), discount=0.5, entropy_backup=False)
    single = replace(SMALL, max_backup=None)
    assert same(single.target(state, rows, key), sac.target(state.sac, rows, key))


def test_the_data_is_pushed_up_and_the_proposals_down(spec: Spec):
    """Q is slope times the first action; the data plays 0.5, the one proposal -0.25.

    The gap is -0.25 slope - 0.5 slope per member, so its slope is -0.75 for each.
    """
    data = make_batch(spec, updates=1, size=1)
    data = jax.tree.map(lambda x: x[0], data)
    data = replace(data, action=jnp.array([[0.5, 0.0]]))
    proposals = Proposals(
        jnp.array([[[-0.25, 0.0]]]), jnp.zeros((1, 1)), jnp.full((1, 1), -jnp.inf)
    )

    def penalty(slope: jax.Array) -> jax.Array:
        target = data.action[:, 0] * 2.0  # no squared error at slope 2
        critic = linear_critic(spec, slope)
        return critic_loss(critic, target, proposals, data, jnp.array(3.0))[0]

    assert jax.grad(penalty)(2.0) == pytest.approx(3.0 * 2 * -0.75, rel=1e-5)


def test_weight_zero_is_sacs_critic_step_without_entropy(spec: Spec, rows: Batch, key: jax.Array):
    agent = replace(FIXED, conservatism=0.0, max_backup=None)
    sac = SAC(
        hidden=(16, 16),
        critic_hidden=(16, 16),
        actor_learning_rate=1e-4,
        discount=0.5,
        entropy_backup=False,
    )
    state = agent.init(key, spec)
    after, metrics = jax.jit(agent.update_critic)(state, rows, key)
    target_key, _ = jax.random.split(key)
    target = jax.jit(sac.target)(state.sac, rows, target_key)
    expected, sac_metrics = jax.jit(sac.update_critic)(state.sac, rows, target)
    close(after.sac, expected)
    assert metrics["critic/loss"] == pytest.approx(float(sac_metrics["critic/loss"]), rel=1e-6)


def test_all_steps_are_taken_from_the_old_networks(spec: Spec, key: jax.Array):
    """The policy climbs the old critic, the critic is pushed down at the old policy's actions."""
    stack = make_batch(spec, updates=1, size=8)
    rows = jax.tree.map(lambda x: x[0], stack)
    state = SMALL.init(key, spec)
    after, metrics = SMALL.update(state, stack, key)
    critic_key, actor_key = jax.random.split(jax.random.split(key, 1)[0])
    judged, critic_metrics = jax.jit(SMALL.update_critic)(state, rows, critic_key)
    acting, actor_metrics = jax.jit(SMALL.sac.update_actor)(state.sac, rows, actor_key)
    close((after.actor.model, after.log_alpha.model), (acting.actor.model, acting.log_alpha.model))
    close((after.critic.model, after.target_critic), (judged.critic.model, judged.target_critic))
    for name, number in {**critic_metrics, **actor_metrics}.items():
        assert metrics[name][0] == pytest.approx(float(number), rel=1e-4), name
    assert metrics["actor/loss"].shape == (1,)


def test_cal_ql_without_known_returns_is_cql(spec: Spec, batch: Batch, key: jax.Array):
    """-inf, the return of an episode that still runs, leaves nothing to calibrate against."""
    unknown = with_returns(batch, -jnp.inf)
    state = SMALL.init(key, spec)
    one, metrics = CALIBRATED.update(state, unknown, key)
    close((one, metrics), SMALL.update(state, unknown, key))
    assert all(np.isfinite(number).all() for number in metrics.values())
    known, _ = CALIBRATED.update(state, with_returns(batch, 1.0), key)
    assert not same(one.critic, known.critic)


def test_an_update_leaves_the_types_of_the_state_as_they_were(
    spec: Spec, batch: Batch, key: jax.Array
):
    """Else the second update would be compiled again."""
    state = SMALL.init(key, spec)
    after, _ = jax.eval_shape(SMALL.update, state, batch, key)
    assert jax.tree.map(jax.typeof, state) == jax.tree.map(jax.typeof, after)


def test_cql_does_not_look_at_returns(spec: Spec, batch: Batch, key: jax.Array):
    state = SMALL.init(key, spec)
    low, high = (SMALL.update(state, with_returns(batch, each), key) for each in (-9.0, 9.0))
    assert same(low, high)


def test_above_all_values_a_return_ends_the_push_down_of_the_policys_actions(
    spec: Spec, rows: Batch, state: CQLState, key: jax.Array
):
    """What remains of the gap's slope is the data's, which is pushed up all the same."""

    def slope_at(returns: float) -> tuple[float, float]:
        proposals = CALIBRATED.propose(state.actor.model, with_returns(rows, returns), key)

        def gap(slope: jax.Array) -> jax.Array:
            critic = linear_critic(spec, slope)
            return critic_loss(critic, jnp.zeros(8), proposals, rows, jnp.array(0.0))[1]["gap"]

        return float(jax.grad(gap)(1.0)), float(-rows.action[:, 0].mean())

    free, data = slope_at(-1e3)
    assert abs(free - data) > 0.1
    held, data = slope_at(1e3)
    assert held == pytest.approx(data, abs=1e-5)


def test_the_penalty_gives_the_policy_no_gradient(rows: Batch, state: CQLState, key: jax.Array):
    """However strong it is, the policy's step is that of SAC."""
    strong, weak = (
        jax.jit(replace(FIXED, conservatism=weight).update_once)(state, rows, key)[0]
        for weight in (100.0, 0.0)
    )
    assert same((strong.actor, strong.log_alpha), (weak.actor, weak.log_alpha))
    assert not same(strong.critic, weak.critic)


@pytest.mark.parametrize(("gap", "rises"), [(1.0, True), (0.6, False)])
def test_the_multiplier_rises_while_the_gap_is_above_its_target(gap: float, rises: bool):
    """-e^x · w (gap - 0.8) with w = 5: its slope at x = 1 is minus e · 5 · (gap - 0.8)."""
    excess = jnp.array(5.0 * (gap - 0.8))
    (loss, metrics), slope = jax.value_and_grad(multiplier_loss, has_aux=True)(
        jnp.array(1.0), excess
    )
    assert loss == pytest.approx(-np.e * 5.0 * (gap - 0.8), rel=1e-5)
    assert slope == pytest.approx(-np.e * 5.0 * (gap - 0.8), rel=1e-5)
    assert (slope < 0.0) == rises, "descending raises log alpha' where the slope is negative"
    assert metrics["value"] == pytest.approx(np.e)


def test_the_multiplier_is_bounded():
    assert multiplier(jnp.array(50.0)) == 1e6
    assert multiplier(jnp.array(-200.0)) == 0.0


@pytest.mark.parametrize(("target_gap", "direction"), [(-1e3, 1.0), (1e3, -1.0)])
def test_an_update_moves_the_multiplier_by_its_learning_rate(
    target_gap: float, direction: float, spec: Spec, batch: Batch, key: jax.Array
):
    """Adam's first step is the learning rate: log alpha' starts at 1."""
    agent = replace(SMALL, target_gap=target_gap, critic_learning_rate=1e-2)
    one = jax.tree.map(lambda x: x[:1], batch)
    after, metrics = agent.update(agent.init(key, spec), one, key)
    assert after.log_multiplier.model == pytest.approx(1.0 + direction * 1e-2, rel=1e-4)
    excess = 5.0 * (metrics["critic/gap"][0] - target_gap)
    assert metrics["multiplier/loss"][0] == pytest.approx(float(-np.e * excess), rel=1e-4)


def test_the_multiplier_scales_the_penalty(rows: Batch, state: CQLState, key: jax.Array):
    """Loss of Q: squared error + alpha' · alpha · gap, alpha' = e at the start; two members."""
    _, metrics = jax.jit(SMALL.update_critic)(state, rows, key)
    penalty = metrics["critic/loss"] - metrics["critic/bellman"]
    assert penalty == pytest.approx(float(np.e * 5.0 * 2 * metrics["critic/gap"]), rel=1e-4)


def test_a_fixed_weight_stays_fixed(spec: Spec, batch: Batch, key: jax.Array):
    after, metrics = FIXED.update(FIXED.init(key, spec), batch, key)
    assert after.log_multiplier.model == 0.0
    assert (np.asarray(metrics["multiplier/value"]) == 1.0).all()
    penalty = metrics["critic/loss"] - metrics["critic/bellman"]
    np.testing.assert_allclose(penalty, 5.0 * 2 * metrics["critic/gap"], rtol=1e-4)


def test_the_log_std_starts_one_lower_and_its_affine_is_learnt(
    spec: Spec, batch: Batch, key: jax.Array
):
    state = SMALL.init(key, spec)
    np.testing.assert_array_equal(state.actor.model.log_std_affine, [1.0, -1.0])
    after, _ = SMALL.update(state, batch, key)
    assert (np.asarray(after.actor.model.log_std_affine) != [1.0, -1.0]).all()


def test_the_q_of_r_q_is_the_least_of_the_trained_critics(
    spec: Spec, rows: Batch, batch: Batch, key: jax.Array
):
    state, _ = SMALL.update(SMALL.init(key, spec), batch, key)
    both = state.critic.model(rows.observation, rows.action)
    np.testing.assert_array_equal(
        SMALL.q_value(state, rows.observation, rows.action), both.min(axis=0)
    )


def test_the_policy_explores_by_sampling_and_is_judged_by_its_mode(
    rows: Batch, state: CQLState, key: jax.Array
):
    policy = state.actor.model(rows.observation)
    np.testing.assert_array_equal(SMALL.act(state, rows.observation, key), policy.sample(key)[0])
    np.testing.assert_array_equal(SMALL.best_action(state, rows.observation, key), policy.mode)


def test_carrying_keeps_everything(spec: Spec, batch: Batch, key: jax.Array):
    """Networks, Adam's moments and the multiplier: the authors go on with the same state."""
    state, _ = CALIBRATED.update(CALIBRATED.init(key, spec), batch, key)
    assert jax.tree.structure(keep_everything(state)) == jax.tree.structure(state)
    assert same(keep_everything(state), state)


def test_sac_is_handed_the_fields_of_its_own_name():
    agent = CQL(
        hidden=(1,),
        critic_hidden=(2,),
        actor_learning_rate=3.0,
        critic_learning_rate=4.0,
        discount=0.5,
        target_rate=0.6,
        members=7,
        subset=3,
        layer_norm=True,
    )
    for name in (*vars(SAC()),):
        if hasattr(agent, name):
            assert getattr(agent.sac, name) == getattr(agent, name), name
    assert not agent.sac.entropy_backup


@pytest.mark.parametrize("name", ["proposals", "max_backup"])
def test_a_number_of_actions_below_one_is_refused(name: str):
    with pytest.raises(UsageError, match=f"{name} must be 1 or more, got 0"):
        CQL(**{name: 0})


def test_defaults_are_those_of_the_papers_table_and_of_the_authors():
    assert CQL() == CQL(
        hidden=(256, 256),
        critic_hidden=(256, 256, 256, 256),
        actor_learning_rate=1e-4,
        critic_learning_rate=3e-4,
        discount=0.99,
        target_rate=0.005,
        members=2,
        conservatism=5.0,
        target_gap=0.8,
        importance_sampling=True,
        proposals=10,
        max_backup=10,
        calibrated=False,
    )
