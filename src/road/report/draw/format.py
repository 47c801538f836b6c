"""Numbers as text: short, with a true minus sign, and a dash for what is not known."""

from road.records.notation import MINUS as MINUS
from road.records.notation import UNKNOWN as UNKNOWN
from road.records.notation import change as change
from road.records.notation import plain as plain
from road.records.notation import rounded as rounded
from road.records.notation import score as score
from road.records.notation import shortest as shortest
from road.records.notation import signed as signed
from road.statistics import Estimate

UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def compact(value: float | int) -> str:
    """As short as an axis needs it: 20k, 1.5M, 0.02, 3e-7."""
    for unit, letter in UNITS:
        if unit <= abs(value) < 1e12:
            return signed(f"{value / unit:.3g}{letter}")
    return shortest(value)


def share(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.0%}"


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
