"""A finished period: the decision, the measurements, and the credit, computed and stored once."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from road.mixing.credit import READINGS, Evidence, ProbeErrors, credit_of
from road.mixing.decision import ArmTable, Decision


@dataclass(frozen=True, slots=True)
class Period:
    """A finished period, as ``Controller.history`` and ``mixer.jsonl`` record it."""

    period: int
    offline_ratio: float
    offline_advantage: float | None
    """Delta_off; None if only a credit was given."""
    online_advantage: float | None
    """Delta_on; None if only a credit was given."""
    credit: float | None
    """What was known of a ratio's worth when the period ended; None if nothing was."""
    credited_ratio: float | None
    """The ratio that earned it: the period's own, or, with a late credit, the one before."""
    arms: ArmTable | None
    """The mixer's arm statistics when it chose; None for a mixer without arms."""
    readings: Mapping[str, float | None]
    """Whatever else was measured, by name; None where there was nothing to measure."""
    probe_errors: ProbeErrors | None = None
    """Mean errors of every probe by judge, for a mixer with probes."""

    def as_row(self) -> dict[str, Any]:
        """The period as JSON-able data."""
        row = asdict(self)
        if self.arms is not None:
            row["arms"] = {name: list(cells) for name, cells in row["arms"].items()}
        if self.probe_errors is None:
            del row["probe_errors"]
        else:
            row["probe_errors"] = {
                judge: None if errors is None else list(errors)
                for judge, errors in self.probe_errors.items()
            }
        return row


def finish_period(
    index: int, decision: Decision, evidence: Evidence, ratio_before: float | None
) -> Period:
    """Judge a period that has ended; ``ratio_before`` is the ratio of the one before it."""
    ratio, measured = decision.mixture.offline_ratio, evidence.advantages
    credit = credit_of(decision.criterion, evidence, ratio, ratio_before)
    return Period(
        period=index,
        offline_ratio=ratio,
        offline_advantage=None if measured is None else measured.offline,
        online_advantage=None if measured is None else measured.online,
        credit=None if credit is None else credit.value,
        credited_ratio=None if credit is None else credit.ratio,
        arms=decision.arms,
        readings={
            name: None if math.isnan(value := evidence.readings[name]) else value
            for name in READINGS
            if name in evidence.readings
        },
        probe_errors=evidence.probe_errors,
    )


def period_from_row(row: Mapping[str, Any]) -> Period:
    """The inverse of ``Period.as_row``."""
    fields: dict[str, Any] = dict(row)
    if fields["arms"] is not None:
        fields["arms"] = ArmTable(**{name: tuple(cells) for name, cells in fields["arms"].items()})
    if (errors := fields.get("probe_errors")) is not None:
        fields["probe_errors"] = {
            judge: None if each is None else tuple(each) for judge, each in errors.items()
        }
    return Period(**fields)
