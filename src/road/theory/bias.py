"""The two theorems about the over-estimation bias, on one state with actions on a line.

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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Actions = Float[np.ndarray, " action"]
Fields = Float[np.ndarray, "sample action"]

GRID = np.linspace(-4.5, 4.5, 121)
"""Actions, in units of the policy's width s."""


@dataclass(frozen=True)
class Setting:
    """One point of the study; lengths are in units of the policy's width."""

    amplitude: float
    """sigma of the error, where f has a mean square of 1/2."""
    error_length: float
    """l = lambda_eps."""
    value_length: float = 20.0
    """L = lambda_f."""
    step: float = 1.0
    """beta: how far the policy moves along f_hat."""


def width_policy() -> Actions:
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
    """pi_k · (1 + beta (f_hat - V)): the paper's assumption. Not a policy for a large step."""
    base = width_policy()
    return base * (1.0 + step * (values - (values @ base)[:, None]))


def softmax_step(values: Fields, step: float) -> Fields:
    """pi_k · exp(beta f_hat), normalised: what a soft-greedy agent does."""
    weight = width_policy() * np.exp(step * (values - values.max(1, keepdims=True)))
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
    """Each error meets each value with both signs, which changes no mean and lowers the noise."""
    error, value = error_fields(setting, count, rng), value_fields(setting, count, rng)
    base = width_policy()
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
