"""The bias theorems, as corrected."""

import numpy as np
import pytest

from road.theory.samples import generator
from road.theory.studies.bias import (
    GRID,
    Setting,
    base_policy,
    error_fields,
    exact_ratio,
    expected_error_variance,
    expected_value_variance,
    formula_ratio,
    gradient_step,
    measure,
    measure_cell,
    softmax_step,
    ten_percent_width,
    value_fields,
)


@pytest.mark.parametrize("length", [0.3, 1.0, 5.0])
def test_the_expected_bias_is_beta_times_the_expected_variance(length: float):
    setting = Setting(amplitude=0.5, error_length=length, step=0.2)
    found = measure(setting, gradient_step, 4000, generator(0, "bias"))
    expected = 0.2 * expected_error_variance(setting)
    assert abs(found.bias - expected) < 4.0 * found.bias_error
    assert found.bias == pytest.approx(0.2 * found.error_variance)


def test_the_closed_form_of_the_variance_by_hand():
    """s = l: 1 - 1 / sqrt(3). A short error: all of sigma^2. A long one: sigma^2 s^2 / l^2."""
    assert expected_error_variance(Setting(1.0, 1.0)) == pytest.approx(1.0 - 3.0**-0.5)
    assert expected_error_variance(Setting(2.0, 1e-4)) == pytest.approx(4.0, rel=1e-3)
    assert expected_error_variance(Setting(2.0, 100.0)) == pytest.approx(4.0 / 100.0**2, rel=1e-3)


def test_the_first_order_term_does_not_vanish_for_one_error():
    """The paper: 'since f is an optimum'. It is E_pi eps, which is zero in the mean only."""
    setting = Setting(1e-4, 1.0)
    error = error_fields(setting, 400, generator(0, "one error"))
    bias = (softmax_step(error, 1.0) * error).sum(1)
    first = error @ base_policy()
    np.testing.assert_allclose(bias, first, atol=1e-6)
    assert np.abs(first).mean() > 1e-5
    assert abs(first.mean()) < 4.0 * first.std() / np.sqrt(400)


def test_the_true_advantage_is_beta_times_the_variance_of_f():
    setting = Setting(0.5, 1.0, value_length=3.0, step=0.2)
    found = measure(setting, gradient_step, 4000, generator(1, "gain"))
    assert found.true_advantage == pytest.approx(0.2 * expected_value_variance(setting), rel=0.05)


def test_rho_is_noise_over_signal():
    """It grows with the noise and falls with the signal's slope: not a signal-to-noise ratio."""
    assert exact_ratio(Setting(0.4, 1.0)) == pytest.approx(4.0 * exact_ratio(Setting(0.2, 1.0)))
    assert exact_ratio(Setting(0.2, 1.0, value_length=40.0)) > exact_ratio(Setting(0.2, 1.0))


def test_the_middle_of_the_papers_chain_is_upside_down():
    """Slopes are measured on drawn fields: rho is those of the error over those of f."""
    setting = Setting(0.3, 5.0, value_length=20.0)
    rng = generator(4, "slopes")
    error, value = (
        (np.gradient(draw(setting, 4000, rng), GRID, axis=1) ** 2).mean()
        for draw in (error_fields, value_fields)
    )
    assert exact_ratio(setting) == pytest.approx(error / value, rel=0.1)
    assert formula_ratio(setting) == pytest.approx(error / value, rel=0.1)
    assert error / value > 2.0 * value / error


def test_the_formula_holds_for_narrow_policies_only():
    narrow, equal, wide = (Setting(0.3, 1.0 / width, 1000.0) for width in (0.05, 1.0, 20.0))
    assert exact_ratio(narrow) / formula_ratio(narrow) == pytest.approx(1.0, abs=0.01)
    assert exact_ratio(equal) / formula_ratio(equal) == pytest.approx(1.0 - 3.0**-0.5, abs=0.01)
    assert exact_ratio(wide) / formula_ratio(wide) < 0.01


def test_the_softmax_step_departs_in_fourth_order_of_a_symmetric_error():
    """Doubling the amplitude multiplies the bias by 4 and what the theorem leaves out by 16."""

    def left_out(amplitude: float) -> float:
        setting = Setting(amplitude, 0.5, value_length=1000.0)
        found = measure(setting, softmax_step, 6000, generator(2, "remainder"))
        return found.bias - found.error_variance

    assert left_out(0.4) / left_out(0.2) == pytest.approx(16.0, rel=0.2)


def test_values_have_the_mean_square_and_length_that_the_formula_is_given():
    setting = Setting(0.1, 1.0, value_length=2.0)
    values = value_fields(setting, 4000, generator(3, "values"))
    slope = np.gradient(values, GRID, axis=1)[:, 1:-1]
    assert (values**2).mean() == pytest.approx(0.5, rel=0.05)
    assert np.sqrt((values**2).mean() / (slope**2).mean()) == pytest.approx(2.0, rel=0.05)


def test_the_edge_of_validity_is_where_a_tenth_is_missing():
    """(1 - (1 + 2 w^2)^-1/2) / w^2 falls to 0.9 there."""
    edge = ten_percent_width()
    assert (1.0 - (1.0 + 2.0 * edge**2) ** -0.5) / edge**2 == pytest.approx(0.9, abs=0.002)


def test_the_sampling_error_of_the_drawn_errors_is_removed():
    """Ten errors of small amplitude: their variance is far from its mean, the theorem is not."""
    found = measure_cell(Setting(0.01, 10.0), 10, generator(5, "luck"))
    assert abs(found["softmax_bias"] / found["predicted_bias"] - 1.0) > 0.1
    assert found["softmax_over_prediction"] == pytest.approx(1.0, abs=0.01)
