"""The credit a mixer received at the end of each period, which period it is about, and its name."""

import math
from dataclasses import dataclass

import numpy as np

from road.records.journal import Floats, Table, number
from road.records.naming import part_of, text_of
from road.records.reader import RunRecord


@dataclass(frozen=True)
class CreditWords:
    """How a report calls what periods were credited with."""

    symbol: str
    """Short; what follows an underscore is a subscript."""
    sentence: str
    """For a caption; empty where the caption has the formula."""
    meaning: str = "what the period was credited with"


LATE = "what the period before was credited with"
CREDITS = {
    "surrogate": CreditWords("R_q", ""),
    "reversed": CreditWords(
        "−R_q",
        "Credited is R_q with its sign reversed: what the paper's number ranks lowest.",
    ),
    "change": CreditWords(
        "change of R_q",
        "Credited is by how much R_q moved during the period, on the same rows.",
    ),
    "fresh-error": CreditWords(
        "drop of the TD error",
        "Credited is by how much a period lowered the TD error on the rows of the next one; it is "
        "known a period late and goes to the ratio of the period before.",
        LATE,
    ),
    "next-return": CreditWords(
        "next return",
        "Credited is the mean return of the episodes that end in the next period; it is known a "
        "period late and goes to the ratio of the period before.",
        LATE,
    ),
}
OWN = CreditWords("credit", "Credited is a number of the loop's own.")
NONE = CreditWords("credit", "No period was credited.")


def credit_words(run: RunRecord) -> CreditWords:
    """By the mixer's settings; what is called R_q must be it."""
    name = text_of(part_of(run.config, "mixer"), "credit", "surrogate")
    if not np.isfinite(run.periods["credit"]).any():
        return NONE
    return OWN if name == "surrogate" and not is_surrogate(run) else CREDITS.get(name, OWN)


def is_surrogate(run: RunRecord) -> bool:
    """Whether the credits are made of the advantages; a loop may report a number of its own."""
    penalty = kappa_of(part_of(run.config, "mixer").get("overestimation_penalty"))
    offline, online = run.periods["offline_advantage"], run.periods["online_advantage"]
    made = -online if math.isinf(penalty) else offline - penalty * online
    known = np.isfinite(run.periods["credit"])
    return np.allclose(run.periods["credit"][known], made[known], rtol=1e-6, atol=1e-9)


def kappa_of(written: object) -> float:
    """The penalty that a run's settings name; JSON has no number for infinity."""
    if written == str(math.inf):
        return math.inf
    return 1.0 if math.isnan(found := number(written)) else found


def credit_pairs(periods: Table) -> tuple[Floats, Floats]:
    """Which ratio was credited with what, in the order in which the mixer received it.

    A late credit is about the period before. Runs from before there were any do not say so: there,
    every credit is about its own period.
    """
    late = "credited_ratio" in periods.columns
    ratio, credit = periods["credited_ratio" if late else "offline_ratio"], periods["credit"]
    known = np.isfinite(ratio) & np.isfinite(credit)
    return ratio[known], credit[known]


def reading_names(run: RunRecord) -> list[str]:
    """Whatever else was measured in at least one period."""
    return [
        name
        for name, column in run.periods.columns.items()
        if name.startswith("readings.") and np.isfinite(column).any()
    ]
