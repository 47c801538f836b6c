"""Numbers as text: short, with a true minus sign, and a dash for what is not known."""

import math

from road.statistics import Estimate

UNKNOWN = "\u2013"
MINUS = "\u2212"
UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def signed(number: str) -> str:
    return number.replace("-", MINUS)


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def compact(value: float | int) -> str:
    """As short as an axis needs it: 20k, 1.5M, 0.02, 3e-7."""
    for unit, letter in UNITS:
        if unit <= abs(value) < 1e12:
            return signed(f"{value / unit:.3g}{letter}")
    mantissa, _, exponent = f"{value:.3g}".partition("e")
    return signed(mantissa + (f"e{int(exponent)}" if exponent else ""))


def score(value: float | None) -> str:
    return UNKNOWN if value is None else rounded(value, 1)


def rounded(value: float, digits: int) -> str:
    # Adding zero turns a negative zero into a plain one.
    return signed(f"{round(value, digits) + 0.0:.{digits}f}")


def share(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.0%}"


def plain(value: float | None) -> str:
    """Three significant digits, as a table needs them."""
    if value is None or math.isnan(value):
        return UNKNOWN
    return signed(f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.3g}")


def probability(p: float | None) -> str:
    if p is None:
        return UNKNOWN
    return "< 0.001" if p < 0.001 else f"{p:.2g}"


def interval_at(estimate: Estimate, index: int) -> str:
    """One value of an estimate, with its interval."""
    one = estimate[index]
    point, low, high = (score(float(part)) for part in (one.point, one.low, one.high))
    return f"{point} ({low} to {high})"


def between(low: float, high: float) -> str:
    return f"{score(low)} to {score(high)}"
