"""Several runs next to each other: groups of seeds, their tables, and a careful verdict."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from road.records.dip import Dip
from road.records.naming import shorten
from road.records.summary import Summary
from road.report.draw import format
from road.report.draw.markup import Markup
from road.report.draw.tables import drop_constant_columns, table

ENOUGH_SEEDS = 5


@dataclass(frozen=True)
class Group:
    """The runs that differ in their seed only."""

    task: str
    agent: str
    mixer: str
    runs: tuple[Summary, ...]

    @property
    def finals(self) -> list[float]:
        return [run.final for run in self.runs if run.final is not None]

    @property
    def mean(self) -> float:
        return float(np.mean(self.finals)) if self.finals else math.nan

    @property
    def deviation(self) -> float:
        """Between seeds; NaN for a single one."""
        return float(np.std(self.finals, ddof=1)) if len(self.finals) > 1 else math.nan

    @property
    def mean_dip(self) -> float | None:
        """Over the seeds that have been evaluated online."""
        depths = [run.dip.depth for run in self.runs if run.dip is not None]
        return float(np.mean(depths)) if depths else None


def strategy_names(summaries: Sequence[Summary]) -> list[str]:
    """The mixer of each run, with its agent; two runs of one name differ in task or seed only."""
    return [f"{run.mixer} ({run.agent})" for run in summaries]


def group(summaries: Sequence[Summary]) -> list[Group]:
    """In the order in which they first appear."""
    cells = dict.fromkeys((run.task, run.agent, run.mixer) for run in summaries)
    return [
        Group(*cell, tuple(run for run in summaries if (run.task, run.agent, run.mixer) == cell))
        for cell in cells
    ]


def comparison_verdict(summaries: Sequence[Summary]) -> str:
    """A sentence or two for every task."""
    groups = group(summaries)
    tasks = dict.fromkeys(one.task for one in groups)
    return " ".join(
        task_verdict(shorten(task, 80), [one for one in groups if one.task == task])
        for task in tasks
    )


def task_verdict(task: str, groups: Sequence[Group]) -> str:
    ranked = sorted((one for one in groups if one.finals), key=lambda one: -one.mean)
    if not ranked:
        return f"On {task} no run has been evaluated online yet."
    alone = len({one.agent for one in groups}) == 1
    named = [shorten(one.mixer if alone else strategy_names(one.runs)[0], 80) for one in ranked]
    if len(ranked) == 1:
        return (
            f"On {task}, {named[0]} ended at {mean_with_spread(ranked[0])}; there is no other "
            "strategy to compare it with."
        )
    first, second = ranked[:2]
    return (
        f"On {task}, {named[0]} ended best, at {mean_with_spread(first)}, before {named[1]} at "
        f"{mean_with_spread(second)}; {caveat(ranked)}."
    )


def mean_with_spread(one: Group) -> str:
    if len(one.finals) == 1:
        return f"{one.mean:.1f} (one seed)"
    return f"{one.mean:.1f} ± {one.deviation:.1f} ({len(one.finals)} seeds)"


def caveat(ranked: Sequence[Group]) -> str:
    """What can be claimed about the first two, given the number of seeds."""
    first, second = ranked[:2]
    fewest = min(len(one.finals) for one in ranked)
    if fewest == 1:
        return "with a single seed this may be chance"
    lead, spread = (first.mean - second.mean, math.hypot(first.deviation, second.deviation))
    if lead < spread:
        return "the lead is smaller than the spread between seeds"
    if fewest < ENOUGH_SEEDS:
        return f"the lead exceeds the spread between seeds, but {fewest} seeds are few"
    return f"the lead exceeds the spread between {fewest} seeds"


def scores_table(summaries: Sequence[Summary]) -> Markup:
    """A row per run, seeds of one strategy together."""
    ordered = [run for one in group(summaries) for run in one.runs]
    head = [
        "Run",
        "task",
        "agent",
        "mixer",
        "seed",
        "pretrained",
        "final",
        "best",
        "dip",
        "dip area",
        "regained by",
        "offline",
    ]
    rows = [
        [
            *(shorten(name, 60) for name in (run.name, run.task, run.agent, run.mixer, run.seed)),
            *map(format.score, (run.pretrained, run.final, run.best)),
            *dip_cells(run.dip),
            format.share(run.mean_realised_ratio),
        ]
        for run in ordered
    ]
    return table(*drop_constant_columns(head, rows))


def dip_cells(dip: Dip | None) -> tuple[str, str, str]:
    """Depth, area, and the step by which the pretrained score was regained."""
    if dip is None:
        return format.UNKNOWN, format.UNKNOWN, format.UNKNOWN
    step = dip.steps_to_recover
    dipped = dip.lowest_step is not None
    regained = ("never" if step is None else format.compact(step)) if dipped else format.UNKNOWN
    return format.score(-dip.depth), format.compact(dip.area), regained


def strategies_table(groups: Sequence[Group]) -> Markup:
    """Means over seeds, best final score first."""
    ranked = sorted(groups, key=lambda one: -one.mean if one.finals else math.inf)
    head = ["Mixer", "task", "agent", "seeds", "final, mean", "spread between seeds", "dip, mean"]
    rows = [
        [
            *(shorten(name, 60) for name in (one.mixer, one.task, one.agent)),
            f"{len(one.runs)}",
            format.score(one.mean if one.finals else None),
            format.score(one.deviation if len(one.finals) > 1 else None),
            format.score(None if one.mean_dip is None else -one.mean_dip),
        ]
        for one in ranked
    ]
    return table(*drop_constant_columns(head, rows))
