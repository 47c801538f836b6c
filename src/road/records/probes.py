"""The errors of probe learners as a run recorded them: a table per judge."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from road.mixing.probe_errors import JUDGES
from road.mixing.support import Support, support
from road.records.journal import Floats, Row, number, numbers, part_of


@dataclass(frozen=True)
class Probes:
    """Mean errors of the probes on each period's new transitions."""

    ratios: tuple[float, ...]
    """At which each of them trained."""
    errors: Mapping[str, Floats]
    """By judge: a row per period, a column per probe; NaN throughout where it could not judge."""
    weights: Mapping[str, float]
    """Of the judges."""
    preference: float
    """For offline data."""
    discount: float
    """Weight of a period relative to the one after it."""

    @property
    def support(self) -> Support:
        return support(self.ratios, self.errors, self.weights, self.preference)


def read_probes(config: Row, rows: Sequence[Row]) -> Probes | None:
    """None for a run without probes, and before its first period has ended."""
    settings = part_of(config, "mixer")
    ratios = numbers(settings.get("ratios"))
    cells = [part_of(row, "probe_errors") for row in rows]
    if len(ratios) < 2 or not np.isfinite(ratios).all() or not any(cells):
        return None
    weights = {judge: number(settings.get(f"{judge}_weight")) for judge in JUDGES}
    heeded = {judge: weight for judge, weight in weights.items() if weight > 0.0}
    preference, discount = (
        number(settings.get(name)) for name in ("offline_preference", "discount")
    )
    return Probes(
        tuple(ratios),
        {judge: over_time(cells, judge, len(ratios)) for judge in JUDGES},
        heeded or {"bellman": 1.0},
        0.0 if math.isnan(preference) else preference,
        1.0 if math.isnan(discount) else discount,
    )


def over_time(cells: Sequence[Row], judge: str, probes: int) -> Floats:
    """A row that is not one error per probe is none."""
    tables = [numbers(cell.get(judge)) for cell in cells]
    whole = [len(row) == probes and min(row) >= 0.0 for row in tables]
    unknown = [math.nan] * probes
    return np.array([row if ok else unknown for row, ok in zip(tables, whole, strict=True)])
