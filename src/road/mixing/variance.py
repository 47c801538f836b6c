"""Analysis of variance with NumPy alone: how much of a spread does a grouping explain."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ArmTest:
    """How much of the spread of the credits the arm accounts for."""

    f: float
    p: float
    eta_squared: float


def arm_test(
    credit: NDArray[np.float64], members: NDArray[np.float64], without: NDArray[np.float64]
) -> ArmTest | None:
    """Partial F of the arms over a model ``without`` them; None where nothing can be tested."""
    both = np.hstack([without, members])
    rank_without, rank_both = (rank_of(without), rank_of(both))
    between, within = rank_both - rank_without, len(credit) - rank_both
    if between < 1 or within < 1:
        return None
    unexplained, left = residual_sum(credit, without), residual_sum(credit, both)
    if unexplained <= 1e-24 * max(float(credit @ credit), 1e-300):
        return None  # all credits equal: there is no spread to account for
    # Neither is smaller than rounding, so that F is finite and not zero.
    explained, noise = (max(part, 1e-15 * unexplained) for part in (unexplained - left, left))
    f = (explained / between) / (noise / within)
    return ArmTest(f=f, p=f_tail(f, between, within), eta_squared=explained / unexplained)


def epsilon_squared(f: float, eta_squared: float) -> float:
    """The share explained, less what arms that make no difference explain by chance.

    With n credits, b degrees of freedom of the arms and w = n - k - b left beside a trend of rank
    k, the spread is divided by how many numbers it is made from:

        epsilon² = 1 - (1 - eta²) (w + b) / w

    and since b / w = eta² / ((1 - eta²) F), that is eta² (1 - 1 / F). Without a difference its mean
    is 0, whatever n and b are, where that of eta² is b / (w + b). Below zero where F is below 1.
    """
    return eta_squared * (1.0 - 1.0 / f)


def rank_of(design: NDArray[np.float64]) -> int:
    return int(np.linalg.matrix_rank(design)) if design.size else 0


def residual_sum(credit: NDArray[np.float64], design: NDArray[np.float64]) -> float:
    weights = np.linalg.lstsq(design, credit, rcond=None)[0]
    residual = credit - design @ weights
    return float(residual @ residual)


def f_tail(f: float, numerator: int, denominator: int) -> float:
    """P(F > f): the regularised incomplete beta function at d2 / (d2 + d1 f)."""
    return incomplete_beta(
        denominator / 2, numerator / 2, denominator / (denominator + numerator * f)
    )


def incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b) by its continued fraction (modified Lentz), on the side where that converges."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        + a * math.log(x) + b * math.log1p(-x)
    )  # fmt: skip
    c, d, fraction = 1.0, 0.0, 1.0
    for i in range(500):
        step = beta_coefficient(i, a, b, x)
        d = 1.0 / nonzero(1.0 + step * d)
        c = nonzero(1.0 + step / c)
        fraction *= c * d
        if abs(c * d - 1.0) < 1e-14:
            break
    return front * (fraction - 1.0) / a


def beta_coefficient(i: int, a: float, b: float, x: float) -> float:
    """The i-th partial numerator of the continued fraction of the incomplete beta function."""
    m = i // 2
    if i == 0:
        return 1.0
    if i % 2 == 0:
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))


def nonzero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300
