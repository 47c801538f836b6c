"""R_q with exact expectations: the lemma read backwards, and what is left at kappa = 1."""

import numpy as np
import pytest
from tests.theory.problems import small_inner, small_mdp

from road.mixing import Advantages, surrogate_objective
from road.theory.credits import (
    Outcome,
    advantage_pairs,
    all_credits,
    fresh_error_credit,
    perceived_advantages,
    surrogate_credit,
)
from road.theory.mdp import action_values, expected_return, occupancy, soft_greedy
from road.theory.problems import behaviour


def exact_critic(seed: int, policy_seed: int) -> Outcome:
    """Some policy with its true values; the data are occupancies of two other policies."""
    mdp = small_mdp(seed)
    rng = np.random.default_rng(policy_seed)
    policy = soft_greedy(rng.normal(size=mdp.reward.shape), 1.5)
    offline, online = (occupancy(mdp, behaviour(mdp, quality)) for quality in ("poor", "good"))
    critic = action_values(mdp, policy)
    return Outcome(mdp, critic, policy, offline, online, occupancy(mdp, policy), critic)


@pytest.mark.parametrize("policy_seed", range(4))
def test_delta_is_exactly_the_difference_of_returns(policy_seed: int):
    """Delta_x / (1 - gamma) = J(pi) - J(pi_x), without any approximation of the paper's."""
    outcome = exact_critic(0, policy_seed)
    (advantage,) = advantage_pairs(*perceived_advantages(outcome))
    mine = expected_return(outcome.mdp, outcome.policy)
    for delta, quality in ((advantage.offline, "poor"), (advantage.online, "good")):
        theirs = expected_return(outcome.mdp, behaviour(outcome.mdp, quality))
        assert delta / (1.0 - outcome.mdp.discount) == pytest.approx(mine - theirs, abs=1e-12)


def test_at_kappa_one_the_policy_cancels():
    """R_q / (1 - gamma) = J(pi_online) - J(pi_offline), whichever policy is judged."""
    credits = [float(surrogate_credit(exact_critic(0, seed), 1.0)) for seed in range(6)]
    mdp = small_mdp(0)
    good, poor = (expected_return(mdp, behaviour(mdp, quality)) for quality in ("good", "poor"))
    expected = (1.0 - mdp.discount) * (good - poor)
    np.testing.assert_allclose(credits, expected, atol=1e-12)


def test_below_kappa_one_a_share_of_the_policy_stays():
    """R_q / (1 - gamma) moves by (1 - kappa) times the difference in return."""
    one, two = exact_critic(0, 0), exact_critic(0, 1)
    moved = surrogate_credit(two, 0.25) - surrogate_credit(one, 0.25)
    gained = expected_return(two.mdp, two.policy) - expected_return(one.mdp, one.policy)
    assert moved / (1.0 - one.mdp.discount) == pytest.approx(0.75 * gained)


def test_r_q_depends_on_the_policy_through_the_critics_error_only():
    """R_q is linear in the critic: the exact part is constant, the rest is R_q of the error."""
    outcome = exact_critic(0, 2)
    error = np.random.default_rng(0).normal(size=outcome.critic.shape)
    wrong = Outcome(
        outcome.mdp,
        outcome.critic + error,
        outcome.policy,
        outcome.offline,
        outcome.online,
        outcome.fresh,
        outcome.target,
    )
    alone = Outcome(
        outcome.mdp,
        error,
        outcome.policy,
        outcome.offline,
        outcome.online,
        outcome.fresh,
        outcome.target,
    )
    assert surrogate_credit(wrong, 1.0) - surrogate_credit(outcome, 1.0) == pytest.approx(
        surrogate_credit(alone, 1.0)
    )


def test_delta_and_fresh_error_by_hand():
    """One state: values 1 and 3, the policy takes the second in 3/4 of the cases.

    Offline data has only the first action: 2.5 - 1 = 1.5. Online data is even: 2.5 - 2 = 0.5.
    """
    inner, _, _ = small_inner()
    outcome = Outcome(
        inner.mdp,
        np.array([[1.0, 3.0]]),
        np.array([[0.25, 0.75]]),
        np.array([[1.0, 0.0]]),
        np.array([[0.5, 0.5]]),
        np.array([[0.75, 0.25]]),
        np.array([[1.0, 1.0]]),
    )
    # A quarter of the fresh rows is off by 2.
    assert fresh_error_credit(outcome) == -1.0
    assert advantage_pairs(*perceived_advantages(outcome)) == [Advantages(1.5, 0.5)]
    assert surrogate_credit(outcome, 2.0) == surrogate_objective(Advantages(1.5, 0.5), 2.0) == 0.5


def test_the_other_credits_by_hand():
    outcome = exact_critic(1, 0)
    credits = all_credits(outcome)
    assert credits["start value"] == pytest.approx(expected_return(outcome.mdp, outcome.policy))
    assert credits["−fresh error"] == 0.0
    assert credits["−Δ_on"] == pytest.approx(credits["R_q (κ = 1)"] - credits["Δ_off (κ = 0)"])
