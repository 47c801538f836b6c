"""What a period is credited with, of all that is known when it ends.

    surrogate     R_q = Delta_off - kappa · Delta_on                              (the paper's)
    reversed      -R_q: what the paper's number speaks against
    change        by how much R_q moved during the period, on the same rows
    fresh-error   by how much the period lowered the TD error on the rows of the next one
    next-return   the mean return of the episodes that end in the next period

The last two are known a period late; the credit then goes to the ratio of the period before.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from road.mixing.evidence import Evidence
from road.mixing.surrogate import surrogate_objective

CreditName = Literal["surrogate", "reversed", "change", "fresh-error", "next-return"]
Wanted = Literal[CreditName, "alignment", "return-alignment"]
ALIGNMENTS = ("alignment", "return-alignment")
"""Move a ratio, credit none: cosines with the gradient of the TD error, or of the returns'."""
LATE = ("fresh-error", "next-return")
OF_ADVANTAGES = ("surrogate", "reversed")
"""Known from Delta_off and Delta_on at the end of a period, and nothing else."""


@dataclass(frozen=True)
class Credit:
    """What the ratio of a finished period is worth."""

    ratio: float
    value: float


@dataclass(frozen=True)
class Criterion:
    """By what a period is to be judged, and so what must be measured when it ends."""

    wanted: Wanted = "surrogate"
    overestimation_penalty: float = 1.0
    """kappa: the weight of Delta_on in R_q."""

    def __post_init__(self) -> None:
        if self.wanted not in (*get_args(CreditName), *ALIGNMENTS):
            known = " or ".join(map(repr, get_args(CreditName)))
            raise ValueError(f"credit must be {known}, got {self.wanted!r}")
        if not 0.0 <= self.overestimation_penalty < math.inf:
            raise ValueError(
                f"overestimation_penalty (kappa) must be 0 or more, got "
                f"{self.overestimation_penalty}"
            )

    @property
    def late(self) -> bool:
        """Whether what is known at a period's end is about the period before."""
        return self.wanted in LATE

    def credit(self, evidence: Evidence, ratio: float, before: float | None) -> Credit | None:
        """What is heard at the end of a period of that ratio; None if that is nothing.

        ``before`` is the ratio of the period before it, None for the first.
        """
        if evidence.credit is not None:
            return Credit(ratio, evidence.credit)
        value = self.value(evidence)
        about = before if self.late else ratio
        return None if about is None or math.isnan(value) else Credit(about, value)

    def value(self, evidence: Evidence) -> float:
        """The wanted number; NaN where there was nothing to be seen."""
        if self.wanted in ALIGNMENTS:
            return math.nan
        value = self.seen(evidence)
        if value is None:
            raise ValueError(
                f"credit {self.wanted!r} needs {NEEDS[self.wanted]}, which the end of the period "
                "did not bring"
            )
        return -value if self.wanted == "reversed" else value

    def seen(self, evidence: Evidence) -> float | None:
        """The measured number behind the credit; None if it was not measured."""
        if self.wanted == "fresh-error":
            return evidence.error_drop
        if self.wanted == "next-return":
            return evidence.mean_return
        advantages = evidence.change if self.wanted == "change" else evidence.advantages
        return advantages and surrogate_objective(advantages, self.overestimation_penalty)


def judge(evidence: Evidence, overestimation_penalty: float = 1.0) -> float:
    """The caller's own number if there is one, else R_q."""
    if evidence.credit is not None:
        return evidence.credit
    return Criterion("surrogate", overestimation_penalty).value(evidence)


NEEDS = {
    "surrogate": "both advantages",
    "reversed": "both advantages",
    "change": "both changes",
    "fresh-error": "error_drop",
    "next-return": "mean_return",
}
