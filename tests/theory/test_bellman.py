"""The bound behind ``validated``: it holds everywhere, and is empty where nothing was visited."""

import numpy as np
import pytest
from tests.theory.problems import small_mdp

from road.theory.bellman import (
    all_transitions,
    bound_by_visits,
    concentrability,
    draw_transitions,
    exact_error,
    loss_bound,
    residual,
    sampled_error,
    sampling_noise,
)
from road.theory.mdp import (
    MDP,
    expected_return,
    occupancy,
    optimal_return,
    optimal_values,
    soft_greedy,
)
from road.theory.problems import Problem, chain_problem, random_problems

SHARP = 1e6
"""Inverse temperature of a policy that is as good as greedy."""


def every_problem() -> list[Problem]:
    return [random_problems(120, 0)[0], random_problems(120, 0, branching=1)[0], chain_problem()]


@pytest.mark.parametrize("noise", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("index", range(3), ids=["noisy", "deterministic", "chain"])
def test_the_loss_is_bounded_by_signed_bellman_errors_on_every_problem(index: int, noise: float):
    """For the fit of the offline data, and for values that are off by noise."""
    problem = every_problem()[index]
    q = problem.pretrain()
    q = q + noise * np.random.default_rng(0).normal(size=q.shape)
    policy = soft_greedy(q, problem.inverse_temperature)
    best = soft_greedy(optimal_values(problem.mdp), SHARP)
    lost = optimal_return(problem.mdp) - expected_return(problem.mdp, policy)
    bound = loss_bound(problem.mdp, q, policy, best)
    assert (bound.value >= lost - 1e-9).all()
    assert (bound.softness >= -1e-12).all()
    assert (bound_by_visits(problem.mdp, q, policy, best) >= bound.value - 1e-6).all()


def test_against_itself_a_policy_loses_nothing_and_only_softness_is_left():
    """The two residual terms cancel."""
    mdp = small_mdp()
    q = np.random.default_rng(1).normal(size=mdp.reward.shape)
    policy = soft_greedy(q, 2.0)
    bound = loss_bound(mdp, q, policy, policy)
    assert bound.visited + bound.other == pytest.approx(0.0, abs=1e-9)
    assert concentrability(mdp, policy, policy) == pytest.approx(1.0)


def two_arms() -> MDP:
    """One state for ever; the first action is paid 0, the second 1."""
    transition = np.ones((1, 2, 1))
    return MDP(transition, np.array([[0.0, 1.0]]), np.ones(1), 0.5)


def test_an_error_of_zero_where_the_policy_goes_bounds_nothing():
    """Q is exact for the action that is taken and -5 for the better one, which is never tried.

    By hand: Q(bad) = 0 = r + 0.5 · 0. The loss is 1 / (1 - 0.5) = 2. The better action's residual
    is -5 - 1 - 0 = -6, so that its term is 12.
    """
    mdp, q = two_arms(), np.array([[0.0, -5.0]])
    policy, best = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    assert exact_error(mdp, q, occupancy(mdp, policy)) == 0.0
    assert optimal_return(mdp) - expected_return(mdp, policy) == pytest.approx(2.0)
    bound = loss_bound(mdp, q, policy, best)
    assert (bound.visited, bound.other, bound.softness) == pytest.approx((0.0, 12.0, 0.0))
    assert concentrability(mdp, policy, best) == np.inf


def test_one_sampled_next_state_adds_the_variance_of_the_next_value():
    problem, _ = random_problems(6, 0)
    mdp, q = problem.mdp, problem.pretrain()
    visits = occupancy(mdp, soft_greedy(q, 10.0))
    limit = sampled_error(mdp, q, all_transitions(mdp, visits))
    noise = sampling_noise(mdp, q, visits)
    np.testing.assert_allclose(limit, exact_error(mdp, q, visits) + noise)
    assert (noise > 1e-4).all()
    drawn = draw_transitions(mdp, visits, 200_000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.sum((-1, -2, -3)), 1.0)
    np.testing.assert_allclose(sampled_error(mdp, q, drawn), limit, rtol=0.05)


def test_without_chance_in_the_transitions_there_is_no_such_term():
    problem, _ = random_problems(6, 0, branching=1)
    q = problem.pretrain()
    visits = occupancy(problem.mdp, soft_greedy(q, 10.0))
    np.testing.assert_allclose(sampling_noise(problem.mdp, q, visits), 0.0, atol=1e-9)
    assert (np.abs(residual(problem.mdp, q)) > 1e-6).any()
