"""Runs that may be averaged: those that differ in nothing but their seed.

A run that is not finished, or that repeats a seed of its group, is named and never averaged.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from road.records.naming import shorten
from road.records.reader import RunRecord
from road.records.summary import Summary
from road.report.draw.tables import flatten

NO_DIFFERENCE = {"seed", "format"}
"""What may differ within a group."""
GROWING = "online_steps"
"""Of a loop that is not ours: its steps so far."""
MOST_NAMED = 3
"""Settings that a label names."""


@dataclass(frozen=True)
class Compared:
    """One of several runs."""

    run: RunRecord
    summary: Summary
    label: str
    """Of its group: the mixer, and what else distinguishes it."""
    left_out: str = ""
    """Why it is not averaged; empty if it is."""


@dataclass(frozen=True)
class Group:
    """The runs of one label on one task."""

    label: str
    members: tuple[Compared, ...]

    @property
    def first(self) -> Summary:
        return self.members[0].summary

    @property
    def counted(self) -> list[Summary]:
        return [each.summary for each in self.members if not each.left_out]

    @property
    def finals(self) -> list[float]:
        return [run.final for run in self.counted if run.final is not None]

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
        depths = [run.dip.depth for run in self.counted if run.dip is not None]
        return float(np.mean(depths)) if depths else None


def compare(runs: Sequence[RunRecord], summaries: Sequence[Summary]) -> list[Compared]:
    """Every run with its label and, if it is not to be averaged, the reason."""
    several = len({one.agent for one in summaries}) > 1
    names = [f"{one.mixer} ({one.agent})" if several else one.mixer for one in summaries]
    settings = [settings_of(run) for run in runs]
    found = [
        Compared(run, one, name + difference(index, names, summaries, settings))
        for index, (run, one, name) in enumerate(zip(runs, summaries, names, strict=True))
    ]
    return numbered(found, settings)


def settings_of(run: RunRecord) -> dict[str, str]:
    """All settings but the seed, by their dotted names."""
    left_out = NO_DIFFERENCE | ({GROWING} if run.foreign else set())
    return {name: text for name, text in flatten(run.config) if name not in left_out}


def difference(
    index: int,
    names: Sequence[str],
    summaries: Sequence[Summary],
    settings: Sequence[Mapping[str, str]],
) -> str:
    """The settings in which runs of one name and task differ, as this one has them."""
    alike = [
        other
        for other, name, one in zip(settings, names, summaries, strict=True)
        if name == names[index] and one.task == summaries[index].task
    ]
    known = dict.fromkeys(name for other in alike for name in other)
    differing = [name for name in known if len({other.get(name) for other in alike}) > 1]
    shown = [setting(name, settings[index]) for name in differing[:MOST_NAMED]]
    if len(differing) > MOST_NAMED:
        shown.append(f"and {len(differing) - MOST_NAMED} more")
    return "".join(f", {each}" for each in shown)


def setting(name: str, settings: Mapping[str, str]) -> str:
    bare = name.removeprefix("agent.").removeprefix("mixer.").removeprefix("own.")
    return shorten(f"{bare} {settings.get(name, 'none')}", 60)


def numbered(found: Sequence[Compared], settings: Sequence[Mapping[str, str]]) -> list[Compared]:
    """The same with labels that no two groups share, and without what repeats another run."""
    kinds: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    seeds: dict[tuple[str, str, str], Summary] = {}
    result: list[Compared] = []
    for one, own in zip(found, settings, strict=True):
        alike = kinds.setdefault((one.summary.task, one.label), [])
        if own not in alike:
            alike.append(own)
        number = alike.index(own) + 1
        label = one.label if number == 1 else f"{one.label} ({number})"
        seed = (one.summary.task, label, one.summary.seed)
        reason = reason_to_leave_out(one.summary, seeds.get(seed))
        if not reason:
            seeds[seed] = one.summary
        result.append(replace(one, label=label, left_out=reason))
    return result


def reason_to_leave_out(one: Summary, earlier: Summary | None) -> str:
    if not one.finished:
        return f"not finished ({one.progress})"
    if earlier is not None:
        return f"the same settings and seed as {shorten(earlier.name, 80)}"
    return ""


def group(compared: Sequence[Compared]) -> list[Group]:
    """In the order in which they first appear."""
    cells = dict.fromkeys((one.summary.task, one.label) for one in compared)
    return [
        Group(
            label,
            tuple(one for one in compared if (one.summary.task, one.label) == (task, label)),
        )
        for task, label in cells
    ]


def left_out_words(compared: Sequence[Compared]) -> str:
    """Which runs are not averaged, and why; empty if all are."""
    left = [one for one in compared if one.left_out]
    if not left:
        return ""
    named = Counter(f"{shorten(one.summary.name, 80)}: {one.left_out}" for one in left)
    return f"Shown, but left out of means and comparisons: {'; '.join(named)}."
