"""Scores as text, the same in the terminal, in summaries and on pages.

A normalised score has one decimal. A raw return, whose size may be anything, has three significant
digits, or from 1,000 on no decimals.
"""

import math

UNKNOWN = "\u2013"
MINUS = "\u2212"


def signed(number: str) -> str:
    return number.replace("-", MINUS)


def score(value: float | None, *, raw: bool = False) -> str:
    """A score; ``raw`` says that it is a return as it is."""
    if value is None:
        return UNKNOWN
    return plain(value) if raw else rounded(value, 1)


def change(value: float, *, raw: bool = False) -> str:
    """A difference of scores, with its sign."""
    return ("+" if value >= 0 else "") + score(value, raw=raw)


def rounded(value: float, digits: int) -> str:
    # Adding zero turns a negative zero into a plain one.
    return signed(f"{round(value, digits) + 0.0:.{digits}f}")


def plain(value: float | None) -> str:
    """Three significant digits, as a table needs them."""
    if value is None or math.isnan(value):
        return UNKNOWN
    return signed(f"{value:,.0f}") if 1e3 <= abs(value) < 1e9 else shortest(value)


def shortest(value: float | int) -> str:
    """Three significant digits, with an exponent where it is shorter: 0.02, 3e-7."""
    mantissa, _, exponent = f"{value:.3g}".partition("e")
    return signed(mantissa + (f"e{int(exponent)}" if exponent else ""))
