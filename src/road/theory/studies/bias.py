"""The two theorems about the overestimation bias, on one state with actions on a line.

f_hat = f + eps with eps a Gaussian random field: amplitude sigma, length scale l, kernel
K(a, a') = sigma^2 exp(-(a - a')^2 / 2 l^2). Actions come from a normal policy pi_k of width s.

    Bias     = E_{pi_fhat} (f_hat - f) = E_{pi_fhat} eps
    E[Bias]  = beta E Var_{a ~ pi_k} eps                   exact for a policy-gradient step
             = beta sigma^2 (1 - (1 + 2 s^2 / l^2)^-1/2)   for this kernel and policy
    rho      = E[Bias] / E[TrueAdv] = E Var eps / Var f    noise over signal
             ~ (E eps^2 / |f|^2) (lambda_f / lambda_eps)^2   while s << lambda_eps

lambda_eps = l. For f, a sine of length scale lambda_f = L with a random phase, |f|^2 is the mean
square 1/2, and E Var f = (1 - exp(-s^2 / L^2)) / 2.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from road.theory import plot
from road.theory.samples import Numbers, Report, generator

Actions = Float[np.ndarray, " action"]
Fields = Float[np.ndarray, "sample action"]

GRID = np.linspace(-4.5, 4.5, 121)
"""Actions, in units of the policy's width s."""
AMPLITUDES = np.geomspace(0.03, 3.0, 9)
"""beta · sigma, since beta is 1."""
WIDTHS = np.geomspace(0.05, 4.0, 9)
"""s / lambda_eps: the policy's width in units of the error's length scale."""
FIELDS = 25
"""Error fields per repetition, each used with both signs."""


@dataclass(frozen=True)
class Setting:
    """One cell of the study; lengths are in units of the policy's width."""

    amplitude: float
    """sigma of the error, where f has a mean square of 1/2."""
    error_length: float
    """l = lambda_eps."""
    value_length: float = 20.0
    """L = lambda_f."""
    step: float = 1.0
    """beta: how far the policy moves along f_hat."""


def base_policy() -> Actions:
    """pi_k on the grid."""
    weight = np.exp(-0.5 * GRID**2)
    return weight / weight.sum()


def error_fields(setting: Setting, count: int, rng: np.random.Generator) -> Fields:
    distance = GRID[:, None] - GRID[None, :]
    kernel = setting.amplitude**2 * np.exp(-0.5 * (distance / setting.error_length) ** 2)
    values, vectors = np.linalg.eigh(kernel)
    root = vectors * np.sqrt(np.clip(values, 0.0, None))
    return rng.normal(size=(count, len(GRID))) @ root.T


def value_fields(setting: Setting, count: int, rng: np.random.Generator) -> Fields:
    phase = rng.uniform(0.0, 2.0 * np.pi, (count, 1))
    return np.sin(GRID / setting.value_length + phase)


def gradient_step(values: Fields, step: float) -> Fields:
    """pi_k · (1 + beta (f_hat - V)), the paper's assumption; may be negative for large steps."""
    base = base_policy()
    return base * (1.0 + step * (values - (values @ base)[:, None]))


def softmax_step(values: Fields, step: float) -> Fields:
    """pi_k · exp(beta f_hat), normalised: the step of a soft-greedy agent."""
    weight = base_policy() * np.exp(step * (values - values.max(1, keepdims=True)))
    return weight / weight.sum(1, keepdims=True)


@dataclass(frozen=True)
class Measured:
    """Monte Carlo means over the errors."""

    bias: float
    """E[Bias]."""
    bias_error: float
    """Its standard error."""
    true_advantage: float
    """E[TrueAdv]."""
    error_variance: float
    """E Var eps under pi_k."""

    @property
    def noise_to_signal(self) -> float:
        """Rho."""
        return self.bias / self.true_advantage


def measure(
    setting: Setting,
    improve: Callable[[Fields, float], Fields],
    count: int,
    rng: np.random.Generator,
) -> Measured:
    """Errors and values are used with both signs, which changes no mean and lowers the variance."""
    error, value = error_fields(setting, count, rng), value_fields(setting, count, rng)
    base = base_policy()
    bias, gain = np.zeros(count), np.zeros(count)
    for with_error, with_value in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        noise, signal = with_error * error, with_value * value
        policy = improve(signal + noise, setting.step)
        bias += 0.25 * (policy * noise).sum(1)
        gain += 0.25 * ((policy - base) * signal).sum(1)
    variance = error**2 @ base - (error @ base) ** 2
    spread = bias.std(ddof=1) / np.sqrt(count)
    return Measured(float(bias.mean()), float(spread), float(gain.mean()), float(variance.mean()))


def expected_error_variance(setting: Setting) -> float:
    """E Var eps, in closed form."""
    return setting.amplitude**2 * (1.0 - (1.0 + 2.0 / setting.error_length**2) ** -0.5)


def expected_value_variance(setting: Setting) -> float:
    """E Var f over the phases, in closed form."""
    return 0.5 * (1.0 - np.exp(-1.0 / setting.value_length**2))


def exact_ratio(setting: Setting) -> float:
    """Rho of the policy-gradient step, in closed form."""
    return expected_error_variance(setting) / expected_value_variance(setting)


def formula_ratio(setting: Setting) -> float:
    """The last expression of the paper's theorem."""
    return setting.amplitude**2 / 0.5 * (setting.value_length / setting.error_length) ** 2


def compute(repetitions: int, seed: int, report: Report) -> Numbers:
    """Each repetition has 25 draws of the error."""
    count = FIELDS * repetitions
    cells: list[list[Numbers]] = []
    for row, amplitude in enumerate(AMPLITUDES):
        cells.append(
            [
                measure_cell(
                    Setting(amplitude, 1.0 / width), count, generator(seed, "bias", row, column)
                )
                for column, width in enumerate(WIDTHS)
            ]
        )
        report((row + 1) / len(AMPLITUDES))
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
        "width_of_ten_percent": ten_percent_width(),
    }


def measure_cell(setting: Setting, count: int, rng: np.random.Generator) -> Numbers:
    """Both kinds of policy step under the same kind of error."""
    step, soft = (
        measure(setting, improve, count, rng) for improve in (gradient_step, softmax_step)
    )
    predicted = setting.step * expected_error_variance(setting)
    # The sampling error of the drawn errors is removed: their variance over the expected one.
    sampled_share = soft.error_variance / expected_error_variance(setting)
    return {
        "predicted_bias": predicted,
        "gradient_step_bias": step.bias,
        "gradient_step_error": step.bias_error,
        "softmax_bias": soft.bias,
        "softmax_error": soft.bias_error,
        "softmax_over_prediction": soft.bias / sampled_share / predicted,
        "ratio_over_formula": soft.noise_to_signal / sampled_share / formula_ratio(setting),
        "step_ratio_over_formula": exact_ratio(setting) / formula_ratio(setting),
    }


def over_formula(width: float) -> float:
    setting = Setting(1.0, 1.0 / width, value_length=1000.0)
    return exact_ratio(setting) / formula_ratio(setting)


def ten_percent_width() -> float:
    """The policy width, in error lengths, at which rho falls to 0.9 of the formula."""
    fine = np.linspace(0.01, 1.0, 1000)
    return float(fine[np.argmax([over_formula(width) < 0.9 for width in fine])])


def draw(numbers: Mapping[str, Any]) -> dict[str, plot.Figure]:
    figure = plot.figure(11.0, 3.7)
    left, middle, right = figure.subplots(1, 3)
    draw_theorem(left, numbers)
    draw_range(middle, numbers)
    draw_map(figure, right, numbers)
    return {"bias": figure}


def draw_theorem(axes: plot.Axes, numbers: Mapping[str, Any]) -> None:
    predicted = np.ravel(numbers["predicted_bias"])
    for name, what, colour, marker in (
        ("policy-gradient step", "gradient_step", plot.BLUE, "o"),
        ("softmax step", "softmax", plot.ORANGE, "x"),
    ):
        found = np.ravel(numbers[f"{what}_bias"])
        axes.errorbar(predicted, found, 1.96 * np.ravel(numbers[f"{what}_error"]), fmt=marker,
                      color=colour, markersize=4, linewidth=0.8, label=name)  # fmt: skip
    ends = np.array([predicted.min(), predicted.max()])
    axes.plot(ends, ends, color=plot.GREY, linewidth=0.8, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel="β E Var(ε)", ylabel="E[Bias], Monte Carlo")
    axes.set_title("The bias is β E Var(ε)")
    axes.legend(loc="upper left")


def draw_range(axes: plot.Axes, numbers: Mapping[str, Any]) -> None:
    axes.plot(numbers["fine_widths"], numbers["exact_over_formula"], color=plot.BLUE, label="exact")
    ratios = np.array(numbers["ratio_over_formula"])
    axes.plot(numbers["widths"], ratios[0], "o", color=plot.BLUE, markersize=4, label="Monte Carlo")
    plot.level(axes, 1.0)
    edge = numbers["width_of_ten_percent"]
    plot.mark(axes, edge, "--")
    plot.note(axes, f"10 % off at s = {edge:.2f} $λ_ε$", (edge, 1.05), (5, 0), plot.INK)
    axes.set(xscale="log", ylim=(0.0, 1.12), xlabel="policy width s / error length $λ_ε$")
    axes.set_title("ρ over its formula")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 0.05))


def draw_map(figure: plot.Figure, axes: plot.Axes, numbers: Mapping[str, Any]) -> None:
    ratios = np.array(numbers["ratio_over_formula"])
    image = axes.pcolormesh(
        numbers["widths"], numbers["amplitudes"], ratios, cmap="Blues", vmin=0.0, vmax=1.1,
        shading="nearest", rasterized=True,
    )  # fmt: skip
    axes.contour(numbers["widths"], numbers["amplitudes"], ratios, levels=[0.9], colors=plot.ORANGE)
    figure.colorbar(image, ax=axes)
    axes.plot([], [], color=plot.ORANGE, label="0.9: valid to the left")
    axes.set(xscale="log", yscale="log", xlabel="policy width s / error length $λ_ε$",
             ylabel="error amplitude β σ")  # fmt: skip
    axes.set_title("The same for a softmax step")
    axes.legend(loc="upper right")
