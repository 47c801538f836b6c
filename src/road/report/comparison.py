"""Several runs next to each other: groups of seeds, and a verdict that knows how few they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from road.report.markup import shorten
from road.report.summary import Summary

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
            f"On {task}, {named[0]} ended at {written(ranked[0])}; there is no other strategy to "
            "compare it with."
        )
    first, second = ranked[:2]
    return (
        f"On {task}, {named[0]} ended best, at {written(first)}, before {named[1]} at "
        f"{written(second)}; {caveat(ranked)}."
    )


def written(one: Group) -> str:
    if len(one.finals) == 1:
        return f"{one.mean:.1f} (one seed)"
    return f"{one.mean:.1f} ± {one.deviation:.1f} ({len(one.finals)} seeds)"


def caveat(ranked: Sequence[Group]) -> str:
    """What the number of seeds allows to say about the first two."""
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
