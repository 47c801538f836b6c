"""Credits other than the paper's that a published result refers to; none is recommended.

    reversed      -R_q
    change        by how much R_q moved during the period, on the same transitions
    fresh-error   by how much the period lowered the TD error on the transitions of the next one
    next-return   the mean return of the episodes that end in the next period

The last two are known a period late; the credit then goes to the ratio of the period before.
Results: docs/results/discriminate.md and discriminate-again.md.
"""

from collections.abc import Callable
from dataclasses import dataclass

from road.mixing.credit import (
    Advantages,
    Criterion,
    Evidence,
    SurrogateCriterion,
    check_penalty,
    required,
    surrogate_objective,
)


@dataclass(frozen=True)
class ReversedCriterion:
    """Minus R_q."""

    surrogate: SurrogateCriterion

    measures = "advantages"
    late = False

    def value(self, evidence: Evidence) -> float:
        return -self.surrogate.value(evidence)


def reversed_surrogate(overestimation_penalty: float) -> Criterion:
    return ReversedCriterion(SurrogateCriterion(overestimation_penalty))


@dataclass(frozen=True)
class ChangeCriterion:
    """R_q at the end of a period less R_q at its start."""

    overestimation_penalty: float = 1.0

    measures = "change"
    late = False

    def __post_init__(self) -> None:
        check_penalty(self.overestimation_penalty)

    def value(self, evidence: Evidence) -> float:
        changes = (evidence.readings.get(name) for name in ("offline_change", "online_change"))
        offline, online = (required(value, "change", "both changes") for value in changes)
        return surrogate_objective(Advantages(offline, online), self.overestimation_penalty)


@dataclass(frozen=True)
class LateCriterion:
    """One measurement, known a period late."""

    name: str
    measures: str
    reading: str

    late = True

    def value(self, evidence: Evidence) -> float:
        return required(evidence.readings.get(self.reading), self.name, self.reading)


def fresh_error(overestimation_penalty: float) -> Criterion:
    check_penalty(overestimation_penalty)
    return LateCriterion("fresh-error", "fresh-error", "error_drop")


def next_return(overestimation_penalty: float) -> Criterion:
    check_penalty(overestimation_penalty)
    return LateCriterion("next-return", "next-return", "mean_return")


EXPERIMENTAL: dict[str, Callable[[float], Criterion]] = {
    "reversed": reversed_surrogate,
    "change": ChangeCriterion,
    "fresh-error": fresh_error,
    "next-return": next_return,
}
"""Criteria by the name that ``RoadMixer.credit`` takes, made from kappa."""
