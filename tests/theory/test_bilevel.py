"""The inner problem, a projection, and the outer gradient, exact and as printed."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.theory.problems import BETA, small_inner

from road.theory.bilevel import (
    Inner,
    Objective,
    adjoint,
    frozen_sensitivity,
    functional_gradient,
    mix,
    perceived_return,
    project,
    ratio_gradient,
    source_gradient,
    tabular,
    true_return,
)
from road.theory.gradients import automatic_gradient, printed_gradient
from road.theory.mdp import MDP, StateAction, advantages, occupancy, soft_greedy

OUTCOMES: dict[Objective, Callable[[Inner, StateAction], np.floating]] = {
    "true": true_return,
    "perceived": perceived_return,
}
STEP = 1e-5
ONE_FEATURE = np.ones((1, 2, 1))
TARGET = np.array([[1.0, 3.0]])
OFFLINE, ONLINE = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])


def test_a_constant_fits_the_weighted_mean():
    """m = 1/4: 1/4 · 1 + 3/4 · 3 = 2.5, with errors +1.5 and -0.5."""
    fit = project(ONE_FEATURE, TARGET, mix(0.25, OFFLINE, ONLINE))
    np.testing.assert_allclose(fit.parameters, [2.5])
    np.testing.assert_allclose(fit.error, [[1.5, -0.5]])


def test_ridge_shrinks_by_hand():
    """2.5 / (1 + 1/4) = 2."""
    fit = project(ONE_FEATURE, TARGET, mix(0.25, OFFLINE, ONLINE), ridge=0.25)
    np.testing.assert_allclose(fit.parameters, [2.0])


def test_the_error_is_orthogonal_to_the_features_under_the_data():
    rng = np.random.default_rng(0)
    features, target = rng.normal(size=(4, 3, 5)), rng.normal(size=(4, 3))
    data = rng.dirichlet(np.ones(12)).reshape(4, 3)
    fit = project(features, target, data)
    np.testing.assert_allclose(np.einsum("saf,sa->f", features, data * fit.error), 0.0, atol=1e-12)


def test_a_table_fits_exactly_whatever_the_mixture():
    rng = np.random.default_rng(1)
    target = rng.normal(size=(4, 3))
    offline, online = rng.dirichlet(np.ones(12), 2).reshape(2, 4, 3)
    for ratio in (0.1, 0.5, 0.9):
        fit = project(tabular(4, 3), target, mix(ratio, offline, online))
        np.testing.assert_allclose(fit.values, target, atol=1e-12)


def test_each_problem_of_a_stack_may_have_its_own_ratio():
    offline, online = np.stack([OFFLINE] * 2), np.stack([ONLINE] * 2)
    mixed = mix(np.array([0.25, 1.0]), offline, online)
    np.testing.assert_allclose(mixed, [[[0.25, 0.75]], [[1.0, 0.0]]])


@pytest.mark.parametrize("ridge", [0.0, 0.05])
@pytest.mark.parametrize("objective", OUTCOMES)
def test_the_gradient_in_m_agrees_with_finite_differences(objective: Objective, ridge: float):
    for seed in range(5):
        inner, offline, online = small_inner(seed, ridge)
        above, below = (
            OUTCOMES[objective](inner, mix(0.35 + shift, offline, online))
            for shift in (STEP, -STEP)
        )
        exact = ratio_gradient(inner, 0.35, offline, online, objective)
        assert exact == pytest.approx((above - below) / (2 * STEP), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("ridge", [0.0, 0.05])
@pytest.mark.parametrize("objective", OUTCOMES)
def test_the_gradient_of_every_pair_agrees_with_finite_differences(
    objective: Objective, ridge: float
):
    inner, offline, online = small_inner(3, ridge)
    data = mix(0.5, offline, online)
    exact = functional_gradient(inner, data, objective)
    for state, action in np.ndindex(data.shape):
        nudge = np.zeros_like(data)
        nudge[state, action] = 1e-6
        slope = (
            OUTCOMES[objective](inner, data + nudge) - OUTCOMES[objective](inner, data - nudge)
        ) / 2e-6
        assert exact[state, action] == pytest.approx(
            slope, rel=1e-5, abs=1e-6 * np.abs(exact).max()
        )


@pytest.mark.parametrize("objective", ["true", "perceived", "frozen"])
def test_the_gradient_agrees_with_jax_differentiating_through_the_solve(objective: Objective):
    for seed, ridge in ((0, 0.0), (1, 0.05)):
        inner, offline, online = small_inner(seed, ridge)
        data = mix(0.35, offline, online)
        exact = functional_gradient(inner, data, objective)
        np.testing.assert_allclose(
            automatic_gradient(inner, data, objective), exact, rtol=1e-8, atol=1e-10
        )


def test_the_gradient_of_each_source_agrees_with_finite_differences():
    inner, offline, online = small_inner(2)
    sources, shares = (
        np.stack([offline, online, 0.5 * offline + 0.5 * online]),
        np.array([0.2, 0.5, 0.3]),
    )
    exact = source_gradient(inner, shares, sources)
    for index in range(3):
        nudge = STEP * np.eye(3)[index]
        above, below = (
            true_return(inner, np.einsum("i,isa->sa", moved, sources))
            for moved in (shares + nudge, shares - nudge)
        )
        assert exact[index] == pytest.approx((above - below) / (2 * STEP), rel=1e-6)


def test_exchanging_the_sources_and_the_ratio_turns_the_sign():
    inner, offline, online = small_inner()
    there = ratio_gradient(inner, 0.3, offline, online)
    assert ratio_gradient(inner, 0.7, online, offline) == pytest.approx(-there)


def test_in_a_table_the_gradient_is_zero_and_the_ratio_changes_nothing():
    """The unrestricted class of the paper: f* is the target itself wherever there is data."""
    inner, offline, online = small_inner(width=None)
    assert np.abs(inner.fit(mix(0.4, offline, online)).error).max() < 1e-12
    for objective in ("true", "perceived", "frozen"):
        assert ratio_gradient(inner, 0.4, offline, online, objective) == pytest.approx(
            0.0, abs=1e-10
        )
    returns = [true_return(inner, mix(m, offline, online)) for m in (0.1, 0.5, 0.9)]
    assert np.ptp(returns) < 1e-12


def one_constant() -> tuple[Inner, StateAction, StateAction]:
    """One state, two actions, one constant feature: theta = 1 - m for the target (0, 1)."""
    mdp = MDP(np.ones((1, 2, 1)), np.array([[0.0, 1.0]]), np.ones(1), 0.0)
    inner = Inner(mdp, np.ones((1, 2, 1)), np.array([[0.0, 1.0]]), inverse_temperature=1.0)
    return inner, np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])


def test_the_printed_sign_is_wrong_by_hand():
    """G = theta = 1 - m, so dG/dm = -1; the printed formula says +1.

    At m = 1/2 the mixture is d^pi itself and A_f is zero: nothing but the sign is left to differ.
    """
    inner, offline, online = one_constant()
    assert perceived_return(inner, mix(0.5, offline, online)) == pytest.approx(0.5)
    assert ratio_gradient(inner, 0.5, offline, online, "perceived") == pytest.approx(-1.0)
    assert printed_gradient(inner, 0.5, offline, online) == pytest.approx(1.0)


def test_the_printed_ratio_is_not_projected_by_hand():
    """f = (0, theta) fits (1, 3) with theta = 3 whatever m is, so the exact gradient is zero.

    The printed one is -pi(a_0) (1 + A_f) / d_m · (d_on - d_off) · delta at the first action, where
    A_f = -3 pi(a_1), d_m = 1/2, d_on - d_off = -1 and delta = -1; beta = 2 is in pi alone.
    """
    mdp = MDP(np.ones((1, 2, 1)), np.array([[0.0, 1.0]]), np.ones(1), 0.0)
    inner = Inner(mdp, np.array([[[0.0], [1.0]]]), np.array([[1.0, 3.0]]), inverse_temperature=2.0)
    _, offline, online = one_constant()
    first = 1.0 / (1.0 + np.exp(6.0))
    by_hand = -first * (1.0 - 3.0 * (1.0 - first)) / 0.5
    assert ratio_gradient(inner, 0.5, offline, online, "perceived") == pytest.approx(0.0)
    assert printed_gradient(inner, 0.5, offline, online) == pytest.approx(by_hand)


def test_beta_belongs_to_the_induced_distribution():
    """With d^pi frozen, the slope of E_d [f] in f(s, a) is d (1 + beta A_f), not d (1 + A_f)."""
    inner, offline, online = small_inner()
    values = inner.fit(mix(0.5, offline, online)).values
    policy = soft_greedy(values, BETA)
    states = occupancy(inner.mdp, policy).sum(-1)

    def frozen(f: np.ndarray) -> float:
        return float((states[:, None] * soft_greedy(f, BETA) * f).sum())

    nudge = np.zeros_like(values)
    nudge[0, 1] = STEP
    slope = (frozen(values + nudge) - frozen(values - nudge)) / (2 * STEP)
    visited, gain = states[0] * policy[0, 1], advantages(policy, values)[0, 1]
    assert frozen_sensitivity(inner, values)[0, 1] == pytest.approx(slope, rel=1e-6)
    assert slope == pytest.approx(visited * (1 + BETA * gain), rel=1e-6)
    assert slope != pytest.approx(visited * (1 + gain), rel=0.01)


def test_the_induced_policy_of_the_paper_can_be_negative():
    values = np.array([[0.0, 0.0, 6.0]])
    policy = soft_greedy(values, 1.0)
    assert (policy * (1.0 + advantages(policy, values))).min() < 0.0


def test_true_and_perceived_return_can_ask_for_opposite_ratios():
    signs = []
    for seed in range(12):
        inner, offline, online = small_inner(seed)
        true, perceived = (
            ratio_gradient(inner, 0.35, offline, online, objective)
            for objective in ("true", "perceived")
        )
        signs.append(np.sign(true) * np.sign(perceived))
    assert {-1.0, 1.0} <= set(signs)


def test_the_weight_is_the_projection_of_the_papers_ratio():
    """w solves the same least squares with u / d as its target."""
    inner, offline, online = small_inner()
    data = mix(0.5, offline, online)
    fit = inner.fit(data)
    sensitivity = frozen_sensitivity(inner, fit.values)
    again = Inner(inner.mdp, inner.features, sensitivity / data, BETA).fit(data)
    np.testing.assert_allclose(adjoint(inner.features, fit, sensitivity), again.values, rtol=1e-8)


def test_where_nothing_was_seen_the_unrestricted_problem_has_no_solution():
    """The Hessian 2 d_g is not invertible where d_g is zero."""
    inner, _, _ = small_inner(width=None)
    unseen = np.zeros((6, 3))
    unseen[0, 0] = 1.0
    with pytest.raises(np.linalg.LinAlgError):
        Inner(inner.mdp, tabular(6, 3), inner.target, BETA).fit(unseen)
