"""One decision interval of a mixer: what was chosen, what was seen, what it was credited with."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from road.mixing.mixture import ArmTable, Mixture
from road.mixing.surrogate import Advantages, check_finite, surrogate_objective


@dataclass(frozen=True)
class Evidence:
    """What is known of a period when it ends. It is recorded whole, to be judged again later."""

    advantages: Advantages | None = None
    """Delta_off and Delta_on, of which R_q is made."""
    credit: float | None = None
    """A number of the caller's own, which takes the place of R_q."""

    def __post_init__(self) -> None:
        if self.advantages is None and self.credit is None:
            raise ValueError("a period ends with both advantages or with a credit, got neither")
        if self.credit is not None:
            check_finite("credit", self.credit)


def judge(evidence: Evidence, overestimation_penalty: float = 1.0) -> float:
    """What a period is credited with: the caller's number if there is one, else R_q."""
    if evidence.credit is not None:
        return evidence.credit
    assert evidence.advantages is not None  # Evidence holds one or the other
    return surrogate_objective(evidence.advantages, overestimation_penalty)


@dataclass(frozen=True)
class Period:
    """A finished period, as it stands in ``Controller.history`` and in ``mixer.jsonl``."""

    period: int
    offline_ratio: float
    offline_advantage: float | None
    """Delta_off; None if only a credit was given."""
    online_advantage: float | None
    """Delta_on; None if only a credit was given."""
    credit: float
    arms: ArmTable | None
    """What the mixer knew when it chose; None for a mixer without arms."""

    def as_row(self) -> dict[str, Any]:
        """The period as JSON-able data."""
        row = asdict(self)
        if self.arms is not None:
            row["arms"] = {name: list(cells) for name, cells in row["arms"].items()}
        return row


def finished_period(index: int, mixture: Mixture, evidence: Evidence, credit: float) -> Period:
    seen = evidence.advantages
    return Period(
        period=index,
        offline_ratio=mixture.offline_ratio,
        offline_advantage=None if seen is None else seen.offline,
        online_advantage=None if seen is None else seen.online,
        credit=credit,
        arms=mixture.arms,
    )


def period_from_row(row: Mapping[str, Any]) -> Period:
    fields: dict[str, Any] = dict(row)
    if fields["arms"] is not None:
        fields["arms"] = ArmTable(**{name: tuple(cells) for name, cells in fields["arms"].items()})
    return Period(**fields)
