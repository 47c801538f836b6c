"""A run as named numbers on one axis of steps, for programs that draw such curves.

The axis counts offline updates first and goes on with online steps. A row of a journal stands where
the journal has it; names are

    metrics.jsonl       as they are: critic/loss
    evaluations.jsonl   evaluation/score
    episodes.jsonl      episode/return
    mixer.jsonl         mixing/offline_ratio, and arms/means/0.1 for the arm 0.1
"""

from collections.abc import Iterable, Mapping

import numpy as np

from road.records.journal import PHASES, Floats, Table
from road.records.reader import RunRecord, measure_progress

NO_NUMBERS = {"phase", "step"}
"""Columns that say where a row stands."""


def rows_by_step(run: RunRecord) -> Mapping[int, Mapping[str, float]]:
    """Every finite number by its step and name, in the order of steps.

    Where a journal has a step twice, the later row counts.
    """
    switch = measure_progress(run).offline_steps_planned
    rows: dict[int, dict[str, float]] = {}
    for name, steps, values in columns(run, switch):
        known = np.isfinite(steps) & np.isfinite(values)
        for step, value in zip(steps[known].tolist(), values[known].tolist(), strict=True):
            rows.setdefault(int(step), {})[name] = value
    return dict(sorted(rows.items()))


def columns(run: RunRecord, switch: int) -> Iterable[tuple[str, Floats, Floats]]:
    """Name, steps and values of every column; the online phase begins at ``switch``."""
    journals = {
        "": run.metrics,
        "evaluation/": run.evaluations,
        "episode/": run.episodes,
        "mixing/": run.periods,
    }
    for prefix, table in journals.items():
        steps = on_one_axis(table, switch)
        for name, column in table.columns.items():
            if name not in NO_NUMBERS:
                yield prefix + name, steps, column
    yield from arm_columns(run, switch)


def arm_columns(run: RunRecord, switch: int) -> Iterable[tuple[str, Floats, Floats]]:
    """What the bandit knew of each arm when it chose."""
    if run.arms is None:
        return
    steps = on_one_axis(run.periods, switch)
    known = {"means": run.arms.means, "bonuses": run.arms.bonuses, "counts": run.arms.counts}
    for what, over_time in known.items():
        for arm, ratio in enumerate(run.arms.ratios.tolist()):
            yield f"arms/{what}/{ratio:g}", steps, over_time[:, arm]


def on_one_axis(table: Table, switch: int) -> Floats:
    """Steps from the beginning of the run; a journal without phases is of the online one."""
    return table["step"] + np.where(table["phase"] == PHASES["offline"], 0.0, float(switch))
