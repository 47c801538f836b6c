"""One decision interval of a mixer: what was chosen, what was seen, what it was credited with."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from road.mixing.evidence import Evidence
from road.mixing.mixture import ArmTable, Mixture


@dataclass(frozen=True, slots=True)
class Period:
    """A finished period, as it stands in ``Controller.history`` and in ``mixer.jsonl``."""

    period: int
    offline_ratio: float
    offline_advantage: float | None
    """Delta_off; None if only a credit was given."""
    online_advantage: float | None
    """Delta_on; None if only a credit was given."""
    credit: float | None
    """What was heard when it ended; None if that was nothing."""
    credited_ratio: float | None
    """Whose credit that is: the period's own, or, with a late credit, that of the one before."""
    arms: ArmTable | None
    """What the mixer knew when it chose; None for a mixer without arms."""
    readings: Mapping[str, float | None]
    """Whatever else was measured, by name; None where there was nothing to be seen."""

    def as_row(self) -> dict[str, Any]:
        """The period as JSON-able data."""
        row = asdict(self)
        if self.arms is not None:
            row["arms"] = {name: list(cells) for name, cells in row["arms"].items()}
        return row


def finished_period(
    index: int, mixture: Mixture, evidence: Evidence, before: float | None
) -> Period:
    """``before`` is the ratio of the period before, None for the first."""
    seen = evidence.advantages
    heard = mixture.criterion.credit(evidence, mixture.offline_ratio, before)
    return Period(
        period=index,
        offline_ratio=mixture.offline_ratio,
        offline_advantage=None if seen is None else seen.offline,
        online_advantage=None if seen is None else seen.online,
        credit=heard and heard.value,
        credited_ratio=heard and heard.ratio,
        arms=mixture.arms,
        readings=evidence.readings(),
    )


def period_from_row(row: Mapping[str, Any]) -> Period:
    fields: dict[str, Any] = dict(row)
    if fields["arms"] is not None:
        fields["arms"] = ArmTable(**{name: tuple(cells) for name, cells in fields["arms"].items()})
    return Period(**fields)
