"""Finite processes against numbers worked out by hand."""

import numpy as np
from tests.theory.problems import small_mdp

from road.theory.mdp import (
    MDP,
    action_values,
    advantages,
    backup,
    expected_return,
    occupancy,
    optimal_values,
    soft_greedy,
)
from road.theory.problems import behaviour


def two_states() -> MDP:
    """From state 0, action 0 stays and pays 1; action 1 leads to state 1, which pays 4 for ever."""
    transition = np.zeros((2, 2, 2))
    transition[0, 0, 0] = transition[0, 1, 1] = 1.0
    transition[1, :, 1] = 1.0
    reward = np.array([[1.0, 0.0], [4.0, 4.0]])
    return MDP(transition, reward, np.array([1.0, 0.0]), discount=0.5)


STAY = np.array([[1.0, 0.0], [1.0, 0.0]])
COIN = np.array([[0.5, 0.5], [1.0, 0.0]])


def test_values_and_return_by_hand():
    """V(1) = 4 / (1 - 1/2) = 8. Staying: V(0) = 2, and leaving is worth 0 + 8 / 2 = 4."""
    np.testing.assert_allclose(action_values(two_states(), STAY), [[2.0, 4.0], [8.0, 8.0]])
    assert expected_return(two_states(), STAY) == 2.0


def test_occupancy_by_hand():
    """With a coin in state 0: it is there for 1, 1/4, 1/16 … of the weight 1/2 (1 + 1/2 + …).

    d(0) = 1/2 · sum of (1/2 · 1/2)^t = 1/2 · 4/3 = 2/3, shared evenly by the actions.
    """
    np.testing.assert_allclose(occupancy(two_states(), COIN), [[1 / 3, 1 / 3], [1 / 3, 0.0]])


def test_the_return_is_the_reward_where_the_policy_goes():
    mdp = small_mdp()
    policy = soft_greedy(mdp.reward, 2.0)
    visited = occupancy(mdp, policy)
    assert np.isclose(visited.sum(), 1.0)
    assert np.isclose(
        (visited * mdp.reward).sum() / (1.0 - mdp.discount), expected_return(mdp, policy)
    )


def test_soft_greedy_by_hand():
    """Odds of e^(2 · 1/2) = e to 1."""
    policy = soft_greedy(np.array([[0.5, 0.0]]), 2.0)
    np.testing.assert_allclose(policy, [[np.e / (1 + np.e), 1 / (1 + np.e)]])
    assert np.isfinite(soft_greedy(np.array([[1e6, -1e6]]), 10.0)).all()


def test_optimal_values_are_a_fixed_point_and_beat_every_policy():
    mdp = two_states()
    best = optimal_values(mdp)
    np.testing.assert_allclose(best, [[1.0 + 0.5 * 4.0, 4.0], [8.0, 8.0]])
    np.testing.assert_allclose(backup(mdp, best), best)


def test_next_values_are_cut_at_what_a_policy_can_reach():
    """Rewards of at most 4 at a discount of 1/2 are worth at most 8."""
    wild = np.full((2, 2), 1e9)
    np.testing.assert_allclose(backup(two_states(), wild), two_states().reward + 0.5 * 8.0)


def test_advantages_have_no_mean_under_their_policy():
    q = np.array([[1.0, 3.0], [5.0, 5.0]])
    np.testing.assert_allclose(advantages(COIN, q), [[-1.0, 1.0], [0.0, 0.0]])


def test_a_stack_of_processes_is_each_of_them():
    first, second = small_mdp(1), small_mdp(2)
    both = MDP(
        np.stack([first.transition, second.transition]),
        np.stack([first.reward, second.reward]),
        np.stack([first.start, second.start]),
        first.discount,
    )
    policy = soft_greedy(both.reward, 3.0)
    for index, mdp in enumerate((first, second)):
        assert np.isclose(expected_return(both, policy)[index], expected_return(mdp, policy[index]))
        np.testing.assert_allclose(occupancy(both, policy)[index], occupancy(mdp, policy[index]))


def test_better_data_has_a_better_behaviour():
    mdp = small_mdp()
    poor, mixed, good = (
        expected_return(mdp, behaviour(mdp, quality)) for quality in ("poor", "mixed", "good")
    )
    assert poor < mixed < good
