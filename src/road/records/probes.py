"""The errors of probe learners as a run recorded them: a table per judge."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from road.mixing.probe_errors import JUDGES
from road.records.journal import Floats, Row, numbers, part_of


@dataclass(frozen=True)
class Probes:
    """Mean errors of the probes on each period's new transitions."""

    ratios: tuple[float, ...]
    """At which each of them trained."""
    errors: Mapping[str, Floats]
    """By judge: a row per period, a column per probe; NaN throughout where it could not judge."""


def read_probes(config: Row, rows: Sequence[Row]) -> Probes | None:
    """None for a run without probes, and before its first period has ended."""
    ratios = numbers(part_of(config, "mixer").get("ratios"))
    cells = [part_of(row, "probe_errors") for row in rows]
    if not ratios or not any(cells):
        return None
    unknown = [math.nan] * len(ratios)

    def over_time(judge: str) -> Floats:
        tables = [numbers(cell.get(judge)) for cell in cells]
        return np.array([row if len(row) == len(ratios) else unknown for row in tables])

    return Probes(tuple(ratios), {judge: over_time(judge) for judge in JUDGES})
