"""Several runs next to each other: the tables of their groups, and a careful verdict."""

import math
from collections.abc import Sequence

from road.records.dip import Dip
from road.records.naming import shorten
from road.report.draw import format
from road.report.draw.markup import Markup
from road.report.draw.tables import drop_constant_columns, table
from road.report.run.groups import Compared, Group, group
from road.report.run.tiles import shown

ENOUGH_SEEDS = 5


def comparison_verdict(compared: Sequence[Compared]) -> str:
    """A sentence or two for every task."""
    groups = group(compared)
    tasks = dict.fromkeys(one.first.task for one in groups)
    return " ".join(
        task_verdict(shorten(task, 80), [one for one in groups if one.first.task == task])
        for task in tasks
    )


def task_verdict(task: str, groups: Sequence[Group]) -> str:
    ranked = sorted((one for one in groups if one.finals), key=lambda one: -one.mean)
    if not ranked:
        return f"On {task} no run has finished and been evaluated online yet."
    named = [shorten(one.label, 160) for one in ranked]
    if len(ranked) == 1:
        other = "has finished" if len(groups) > 1 else "is there to compare it with"
        return (
            f"On {task}, {named[0]} ended at {mean_with_spread(ranked[0])}; no other strategy "
            f"{other}."
        )
    first, second = ranked[:2]
    return (
        f"On {task}, {named[0]} ended best, at {mean_with_spread(first)}, before {named[1]} at "
        f"{mean_with_spread(second)}; {caveat(ranked)}."
    )


def mean_with_spread(one: Group) -> str:
    mean = shown(one.first, one.mean)
    if len(one.finals) == 1:
        return f"{mean} (one seed)"
    return f"{mean} ± {shown(one.first, one.deviation)} ({len(one.finals)} seeds)"


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


def scores_table(compared: Sequence[Compared]) -> Markup:
    """A row per run, seeds of one group together."""
    head = [
        *("Run", "task", "agent", "settings", "seed", "pretrained", "final", "best", "dip"),
        *("dip area", "regained by", "offline"),
    ]
    rows = [run_row(one) for each in group(compared) for one in each.members]
    if any(one.left_out for one in compared):
        head.append("left out of means")
        left = [one.left_out for each in group(compared) for one in each.members]
        rows = [[*row, reason or format.UNKNOWN] for row, reason in zip(rows, left, strict=True)]
    return table(*drop_constant_columns(head, rows))


def run_row(one: Compared) -> list[str]:
    run = one.summary
    pretrained = run.pretrained if run.was_pretrained else None
    return [
        *(shorten(name, 60) for name in (run.name, run.task, run.agent)),
        shorten(one.label, 120),
        shorten(run.seed, 60),
        *(shown(run, score) for score in (pretrained, run.final, run.best)),
        *dip_cells(run.dip, raw=run.raw),
        format.share(run.mean_realised_ratio),
    ]


def dip_cells(dip: Dip | None, *, raw: bool = False) -> tuple[str, str, str]:
    """Depth, area, and the step by which the pretrained score was regained."""
    if dip is None:
        return format.UNKNOWN, format.UNKNOWN, format.UNKNOWN
    step = dip.steps_to_recover
    dipped = dip.lowest_step is not None
    regained = ("never" if step is None else format.compact(step)) if dipped else format.UNKNOWN
    return format.score(-dip.depth, raw=raw), format.compact(dip.area), regained


def strategies_table(groups: Sequence[Group]) -> Markup:
    """Means over seeds, best final score first."""
    ranked = sorted(groups, key=lambda one: -one.mean if one.finals else math.inf)
    head = [
        "Settings",
        "task",
        "agent",
        "seeds",
        "final, mean",
        "spread between seeds",
        "dip, mean",
    ]
    rows = [
        [
            shorten(one.label, 120),
            *(shorten(name, 60) for name in (one.first.task, one.first.agent)),
            f"{len(one.counted)}",
            shown(one.first, one.mean if one.finals else None),
            shown(one.first, one.deviation if len(one.finals) > 1 else None),
            shown(one.first, None if one.mean_dip is None else -one.mean_dip),
        ]
        for one in ranked
    ]
    return table(*drop_constant_columns(head, rows))
