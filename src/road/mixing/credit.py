"""What a period is worth: the paper's R_q, read off the agent's own critic (ROAD, Eq. R_q).

    Delta_x = E_{s in D_x, a ~ pi} Q(s, a) - E_{(s, a) in D_x} Q(s, a),   x in {offline, online}
    R_q     = Delta_off - kappa · Delta_on,   -Delta_on for kappa = infinity

With an exact critic and kappa = 1 the current policy cancels out of R_q (docs/paper-notes.md).
``road.mixing.experimental`` has other criteria; a loop may also give a credit of its own.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

Measured = TypeVar("Measured")

ProbeErrors: TypeAlias = Mapping[str, tuple[float, ...] | None]
"""By judge, one number per probe; None where a judge could not say anything yet."""

PROBE_ERRORS = "probe-errors"
"""What a criterion measures whose mixer follows the errors of probe learners."""

READINGS = (
    *("error_drop", "mean_return", "offline_change", "online_change"),
    *("offline_cosine", "online_cosine", "between_cosine"),
)
"""What may be measured beside the advantages, in the order in which a period records it."""


@dataclass(frozen=True, slots=True)
class Advantages:
    """By how much the critic prefers the policy's actions to the recorded ones."""

    offline: float
    """Delta_off."""
    online: float
    """Delta_on."""

    def __post_init__(self) -> None:
        check_finite("offline_advantage", self.offline)
        check_finite("online_advantage", self.online)


@dataclass(frozen=True)
class Evidence:
    """The measurements of one period."""

    advantages: Advantages | None = None
    """Delta_off and Delta_on, from which R_q is computed."""
    credit: float | None = None
    """A number of the caller's own, which takes the place of every other credit."""
    readings: Mapping[str, float] = field(default_factory=dict[str, float])
    """Other measurements, by a name of ``READINGS``; NaN where there was nothing to measure."""
    probe_errors: ProbeErrors | None = None
    """Mean errors of every probe on the period's new transitions."""

    def __post_init__(self) -> None:
        given = (self.advantages, self.credit, self.probe_errors)
        if not self.readings and all(each is None for each in given):
            raise ValueError("a period ends with both advantages or with a credit, got neither")
        if self.credit is not None:
            check_finite("credit", self.credit)
        for name, value in self.readings.items():
            if name not in READINGS:
                raise TypeError(
                    f"a period's end does not take {name}; known: {', '.join(READINGS)}"
                )
            if math.isinf(value):
                raise ValueError(
                    f"{name} must be finite, or NaN where there was nothing to measure, got {value}"
                )


@dataclass(frozen=True)
class Credit:
    """What a finished period is worth, and the ratio that earned it."""

    ratio: float
    value: float


@runtime_checkable
class Criterion(Protocol):
    """How a period is judged when it ends."""

    @property
    def measures(self) -> str:
        """What the training loop has to measure; ``EvidenceCollector`` knows the names."""
        ...

    @property
    def late(self) -> bool:
        """Whether what is known at a period's end is about the period before it."""
        ...

    def value(self, evidence: Evidence) -> float:
        """The credit; NaN where there was nothing to measure."""
        ...


@dataclass(frozen=True)
class SurrogateCriterion:
    """The paper's: R_q of the policy that the period leaves behind."""

    overestimation_penalty: float = 1.0
    """kappa: the weight of Delta_on in R_q; infinity leaves -Delta_on alone."""

    measures = "advantages"
    late = False

    def __post_init__(self) -> None:
        check_penalty(self.overestimation_penalty)

    def value(self, evidence: Evidence) -> float:
        advantages = required(evidence.advantages, "surrogate", "both advantages")
        return surrogate_objective(advantages, self.overestimation_penalty)


def credit_of(
    criterion: Criterion, evidence: Evidence, ratio: float, ratio_before: float | None
) -> Credit | None:
    """The credit of a period of that ratio; None if there is none.

    ``ratio_before`` is the ratio of the period before it, None for the first period.
    """
    if evidence.credit is not None:
        return Credit(ratio, evidence.credit)
    value = criterion.value(evidence)
    earned_by = ratio_before if criterion.late else ratio
    return None if earned_by is None or math.isnan(value) else Credit(earned_by, value)


@dataclass(frozen=True)
class Surrogate:
    """The two advantages of a period and the credit R_q made of them."""

    advantages: Advantages
    credit: float
    """R_q."""


def surrogate(
    offline_policy_q: ArrayLike,
    offline_data_q: ArrayLike,
    online_policy_q: ArrayLike,
    online_data_q: ArrayLike,
    *,
    overestimation_penalty: float = 1.0,
) -> Surrogate:
    """R_q from four arrays of Q-values: each source's states with the policy's and own actions."""
    advantages = Advantages(
        offline=advantage(offline_policy_q, offline_data_q),
        online=advantage(online_policy_q, online_data_q),
    )
    return Surrogate(advantages, surrogate_objective(advantages, overestimation_penalty))


def advantage(policy_q: ArrayLike, data_q: ArrayLike) -> float:
    """Delta of one source: mean Q of the policy's actions less mean Q of the data's."""
    policy, data = np.asarray(policy_q, np.float64), np.asarray(data_q, np.float64)
    if policy.size == 0 or data.size == 0:
        raise ValueError(
            f"no Q-values to average: {policy.size} of the policy, {data.size} of the data"
        )
    return float(policy.mean() - data.mean())


def surrogate_objective(advantages: Advantages, overestimation_penalty: float) -> float:
    """R_q = Delta_off - kappa · Delta_on; for kappa = infinity -Delta_on, as the paper has it."""
    if math.isinf(overestimation_penalty):
        return -advantages.online
    return advantages.offline - overestimation_penalty * advantages.online


def required(measured: Measured | None, credit: str, what: str) -> Measured:
    if measured is None:
        raise ValueError(f"credit {credit!r} needs {what}, which the period's end did not report")
    return measured


def check_penalty(value: float) -> None:
    if not value >= 0.0:
        raise ValueError(f"overestimation_penalty (kappa) must be 0 or more, got {value}")


def check_finite(name: str, value: float) -> None:
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value}")
