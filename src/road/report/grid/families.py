"""Families of cases along a knob: the best fixed ratio, the ratio that was chosen, and scores.

All is judged by the mean score over the online phase, whatever the rest of a report is judged by:
at its end runs of a family often score alike.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from road.records.journal import Floats
from road.report.draw.format import UNKNOWN, compact, rounded
from road.report.draw.tables import Listing
from road.report.grid.placed import KnobSetting
from road.report.grid.results import GridResults
from road.statistics import not_worse_than_best

ABOUT = (
    "These cases differ by one knob; at {identical} the world of the log is the task's. All is "
    "judged by the mean score over the online phase. The best fixed ratio is chosen in hindsight; "
    "in brackets are the ratios that are not worse than it beyond chance (sign-flip test over "
    "pairs of seeds, one-sided p above 0.05; fewer than five seeds exclude none)."
)
USED = " The ratio of {subject} is the mean over the phase: mean ± standard deviation over seeds."


@dataclass(frozen=True)
class Family:
    """Arrays over the settings of a knob, the nearest to identical first; NaN where unknown."""

    name: str
    knob: str
    identical: float
    values: tuple[float, ...]
    best: Floats
    """The fixed ratio of the greatest mean score."""
    lowest: Floats
    highest: Floats
    """Of the ratios next to it that are not worse beyond chance."""
    used: Floats
    """``[setting, seed]``: the mean ratio of the subject over the phase."""
    scores: Mapping[str, Floats]
    """``[setting, seed]`` of the best fixed ratio and of every strategy that is none."""

    @property
    def title(self) -> str:
        return f"{self.name}, {self.knob}"


BEST_FIXED = "best fixed ratio in hindsight"


def families_of(results: GridResults) -> tuple[Family, ...]:
    """Every family that a task of these results belongs to, in the order of its first task."""
    settings = {t: results.knobs[t] for t in results.table.tasks if t in results.knobs}
    names = dict.fromkeys((each.family, each.knob) for each in settings.values())
    return tuple(
        family_of(results, {t: s for t, s in settings.items() if (s.family, s.knob) == name})
        for name in names
    )


def family_of(results: GridResults, members: Mapping[str, KnobSetting]) -> Family:
    tasks = sorted(members, key=lambda task: abs(members[task].value - members[task].identical))
    first, methods = members[tasks[0]], results.table.methods
    unknown = np.full((len(methods), len(results.table.seeds)), np.nan)
    areas = [results.areas.get(task, unknown) for task in tasks]
    chosen = [best_constant(each, results) for each in areas]
    others = [index for index in range(len(methods)) if index not in results.fixed]
    scores = {BEST_FIXED: np.array([each.scores for each in chosen])} if results.fixed else {}
    scores |= {methods[index]: np.array([each[index] for each in areas]) for index in others}
    return Family(
        first.family,
        first.knob,
        first.identical,
        tuple(members[task].value for task in tasks),
        *(np.array(each) for each in zip(*(one.ratios for one in chosen), strict=True)),
        used=np.array([ratio_used(results, task) for task in tasks]),
        scores=scores,
    )


@dataclass(frozen=True)
class BestConstant:
    """The best fixed ratio of a task, and the range of those not worse; NaN if none is known."""

    ratios: tuple[float, float, float]
    scores: Floats


def best_constant(areas: Floats, results: GridResults) -> BestConstant:
    """By the seeds that every constant has been run with."""
    unknown = np.full(areas.shape[1], np.nan)
    order = np.argsort(results.constants)
    constants = areas[np.array(results.fixed, int)[order]] if results.fixed else areas[:0]
    common = np.isfinite(constants).all(axis=0)
    if not len(constants) or not common.any():
        return BestConstant((np.nan, np.nan, np.nan), unknown)
    ratios, kept = np.array(results.constants)[order], constants[:, common]
    best = int(kept.mean(axis=1).argmax())
    within = ratios[not_worse_than_best(kept, np.random.default_rng(0))]
    return BestConstant(
        (float(ratios[best]), float(within.min()), float(within.max())),
        np.where(common, constants[best], np.nan),
    )


def ratio_used(results: GridResults, task: str) -> Floats:
    """``[seed]``: of the subject, the mean over the moments at which a ratio was in force."""
    unknown = np.full(len(results.table.seeds), np.nan)
    if results.subject not in results.table.methods or task not in results.ratios:
        return unknown
    ratios = results.ratios[task][results.table.method(results.subject)]
    return np.array([mean_known(seed) for seed in ratios])


def mean_known(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else np.nan


def spread_known(values: Floats) -> float:
    """The standard deviation (divisor n - 1); NaN of fewer than two."""
    known = values[np.isfinite(values)]
    return float(known.std(ddof=1)) if known.size > 1 else np.nan


def family_listings(results: GridResults) -> Iterator[Listing]:
    """The numbers of every family as a table."""
    for family in families_of(results):
        known = any(np.isfinite(family.used).ravel())
        used = USED.format(subject=results.subject) if known else ""
        yield Listing(
            f"Along the {family.knob} of {family.name}",
            ABOUT.format(identical=compact(family.identical)) + used,
            (family.knob, "best fixed ratio", *([f"ratio of {results.subject}"] if known else []),
             *family.scores),
            [row_of(family, index, known=known) for index in range(len(family.values))],
        )  # fmt: skip


def row_of(family: Family, index: int, *, known: bool) -> list[str]:
    return [
        compact(family.values[index]),
        best_words(family, index),
        *([mean_and_spread(family.used[index], 2)] if known else []),
        *(mean_and_spread(scores[index], 1) for scores in family.scores.values()),
    ]


def best_words(family: Family, index: int) -> str:
    best, low, high = (float(each[index]) for each in (family.best, family.lowest, family.highest))
    if not np.isfinite(best):
        return UNKNOWN
    return f"{compact(best)} ({compact(low)} to {compact(high)})"


def mean_and_spread(values: Floats, digits: int) -> str:
    mean, spread = mean_known(values), spread_known(values)
    if not np.isfinite(mean):
        return UNKNOWN
    return rounded(mean, digits) + (f" ± {rounded(spread, digits)}" if np.isfinite(spread) else "")
