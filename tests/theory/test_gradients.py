"""The one-step hypergradient by hand, and its known bias."""

import numpy as np
import pytest
from tests.theory.problems import BETA, small_inner

from road.theory.bilevel import Inner, tabular
from road.theory.gradients import cosine, judge_gradient, loss_gradient, one_step_direction
from road.theory.mdp import MDP, action_values, expected_return, occupancy, soft_greedy


def test_the_gradient_of_the_loss_by_hand():
    """One constant feature at value 0, target (1, 3), even data: 1/2 (0 - 1) + 1/2 (0 - 3) = -2."""
    mdp = MDP(np.ones((1, 2, 1)), np.zeros((1, 2)), np.ones(1), 0.0)
    inner = Inner(mdp, np.ones((1, 2, 1)), np.array([[1.0, 3.0]]), 1.0)
    even = np.array([[0.5, 0.5]])
    np.testing.assert_allclose(loss_gradient(inner, np.zeros((1, 2)), inner.target, even), [-2.0])


def test_a_judge_that_is_the_online_data_prefers_it():
    """The bias to know of: fresh rows like the buffer's own make every other data look worse."""
    inner, offline, _ = small_inner()
    values = inner.fit(offline).values
    fresh = occupancy(inner.mdp, soft_greedy(values, BETA))
    assert one_step_direction(inner, values, offline, fresh, "TD loss on fresh rows") < 0.0


def test_the_judge_of_true_return_descends_its_negative():
    """Against central differences of J in every parameter: descending must raise J."""
    inner, offline, _ = small_inner(3)
    theta = inner.fit(offline).parameters

    def values(parameters: np.ndarray) -> np.ndarray:
        return np.einsum("saf,f->sa", inner.features, parameters)

    def reached(parameters: np.ndarray) -> float:
        return float(expected_return(inner.mdp, soft_greedy(values(parameters), BETA)))

    wanted = judge_gradient(inner, values(theta), "true return")
    for index, slope in enumerate(wanted):
        nudge = 1e-5 * np.eye(len(theta))[index]
        rise = (reached(theta + nudge) - reached(theta - nudge)) / 2e-5
        assert slope == pytest.approx(-rise, rel=1e-5, abs=1e-7)


def test_exchanging_the_sources_turns_the_sign():
    inner, offline, online = small_inner(1)
    values = np.zeros((6, 3))
    there = one_step_direction(inner, values, offline, online, "true return")
    back = one_step_direction(inner, values, online, offline, "true return")
    assert there == pytest.approx(-back)
    assert there != 0.0


def test_judges_differ_only_in_their_target():
    """With the true values as the target, the TD judge and the judge of true values agree."""
    inner, offline, online = small_inner(2)
    values = inner.fit(online).values
    policy = soft_greedy(values, BETA)
    given = Inner(inner.mdp, tabular(6, 3), action_values(inner.mdp, policy), BETA)
    by_loss, by_value = (
        one_step_direction(given, values, offline, online, judge)
        for judge in ("TD loss on fresh rows", "true values on fresh rows")
    )
    assert by_loss == pytest.approx(by_value)


def test_a_gradient_of_zero_has_no_direction():
    assert cosine(np.zeros(3), np.ones(3)) == 0.0
    assert cosine(np.ones(3), 2.0 * np.ones(3)) == pytest.approx(1.0)
