"""Fitted Q-iteration is a projection, and the data's distribution is its metric."""

import numpy as np

from road.theory.projection import mix, project, tabular

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
