"""The bias theorems by Monte Carlo, and where the formula for rho may be used."""

import numpy as np

from road.theory.bias import (
    Setting,
    exact_ratio,
    expected_error_variance,
    formula_ratio,
    gradient_step,
    measure,
    softmax_step,
)
from road.theory.draws import generator
from road.theory.statistics import Numbers, Tell

AMPLITUDES = np.geomspace(0.03, 3.0, 9)
"""beta · sigma, since beta is 1."""
WIDTHS = np.geomspace(0.05, 4.0, 9)
"""s / lambda_eps: the policy's width in units of the error's length scale."""
FIELDS = 25
"""Error fields per repetition, each used with both signs."""


def compute(repetitions: int, seed: int, tell: Tell) -> Numbers:
    """Each repetition stands for 25 draws of the error."""
    count = FIELDS * repetitions
    cells: list[list[Numbers]] = []
    for row, amplitude in enumerate(AMPLITUDES):
        cells.append(
            [
                cell(Setting(amplitude, 1.0 / width), count, generator(seed, "bias", row, column))
                for column, width in enumerate(WIDTHS)
            ]
        )
        tell((row + 1) / len(AMPLITUDES))
    names = cells[0][0]
    grid = {name: [[each[name] for each in row] for row in cells] for name in names}
    fine = np.geomspace(0.02, 10.0, 60)
    return {
        "fields": count,
        "amplitudes": AMPLITUDES,
        "widths": WIDTHS,
        **grid,
        "fine_widths": fine,
        "exact_over_formula": [over_formula(width) for width in fine],
        "width_of_ten_percent": ten_percent(),
    }


def cell(setting: Setting, count: int, rng: np.random.Generator) -> Numbers:
    """Both kinds of policy step under the same kind of error."""
    step, soft = (
        measure(setting, improve, count, rng) for improve in (gradient_step, softmax_step)
    )
    predicted = setting.step * expected_error_variance(setting)
    # The luck of the drawn errors is taken out: their own variance against the expected one.
    luck = soft.error_variance / expected_error_variance(setting)
    return {
        "predicted_bias": predicted,
        "gradient_step_bias": step.bias,
        "gradient_step_error": step.bias_error,
        "softmax_bias": soft.bias,
        "softmax_error": soft.bias_error,
        "softmax_over_prediction": soft.bias / luck / predicted,
        "ratio_over_formula": soft.noise_to_signal / luck / formula_ratio(setting),
        "step_ratio_over_formula": exact_ratio(setting) / formula_ratio(setting),
    }


def over_formula(width: float) -> float:
    setting = Setting(1.0, 1.0 / width, value_length=1000.0)
    return exact_ratio(setting) / formula_ratio(setting)


def ten_percent() -> float:
    """The policy's width, in error lengths, from which on the formula is off by a tenth."""
    fine = np.linspace(0.01, 1.0, 1000)
    return float(fine[np.argmax([over_formula(width) < 0.9 for width in fine])])
