"""The numbers that a comparison is judged by, drawn once for the page and for Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from road.report.grid_advice import Advice, advice_of
from road.report.grid_elsewhere import Family, families_of
from road.report.grid_regrets import Regrets, regrets_of
from road.report.grid_results import GridResults
from road.report.journal import Floats
from road.report.tables import Listing
from road.report.writing import between, interval_at, probability
from road.statistics import (
    Constants,
    Estimate,
    PairedComparison,
    bootstrap_estimate,
    compare_constants,
    compare_paired,
    estimate_improvement,
    holm_adjusted,
    interquartile_mean,
    mean,
    means_without_one,
    median,
    optimality_gap,
)
from road.statistics.resampling import SAMPLES

Columns = tuple[tuple[str, ...], list[list[str]]]
"""The heads of some columns, and the cells of each row."""

FEW_TASKS = 3
"""Fewer than this, and a mean without one of them is hardly a mean."""
WITHOUT_ONE = (
    " With any task left out the difference lies between the two numbers beside it: where zero "
    "does too, who is ahead hangs on one task."
)
AGGREGATES = {
    "IQM": interquartile_mean,
    "median": median,
    "mean": mean,
    "optimality gap": optimality_gap,
}


@dataclass(frozen=True)
class Answers:
    """What takes every run of a grid, and several seeds."""

    regrets: Regrets | None
    differences: Constants
    """Whether the fixed ratios differ on a task; without any, whether the methods do."""
    paired: Mapping[str, PairedComparison]
    """The subject against each other method."""
    aggregates: Mapping[str, Estimate]
    improvement: Estimate
    families: Sequence[Family] = ()
    """Kinds of strategies, by what their options bring where they were not chosen."""
    advice: Advice | None = None
    """Whether credits favour ratios that are good constants."""


def answers_of(results: GridResults, samples: int = SAMPLES, seed: int = 0) -> Answers | None:
    """None while a run is missing, and with one seed: every interval would be a point."""
    if results.table.missing() or len(results.table.seeds) < 2:
        return None
    scores, rng = results.table.scores, np.random.default_rng(seed)
    return Answers(
        regrets_of(results, rng, samples),
        compare_constants(scores, results.compared, rng, samples),
        pairs_of(results, rng, samples),
        {
            name: bootstrap_estimate(aggregate, scores, rng, samples)
            for name, aggregate in AGGREGATES.items()
        },
        estimate_improvement(scores, rng, samples),
        families_of(results, rng, samples),
        advice_of(results, rng, samples),
    )


def pairs_of(
    results: GridResults, rng: np.random.Generator, samples: int
) -> dict[str, PairedComparison]:
    """The subject against every other method, seed by seed."""
    methods, scores = results.table.methods, results.table.scores
    if results.subject not in methods:
        return {}
    subject = results.table.method(results.subject)
    return {
        name: compare_paired(scores, subject, index, rng, samples)
        for index, name in enumerate(methods)
        if index != subject
    }


def paired_listing(results: GridResults, paired: Mapping[str, PairedComparison]) -> Listing:
    """The subject against every other method, seed by seed."""
    heads, chances = chances_of(np.array([found.p for found in paired.values()]), "methods")
    left_heads, left = left_out_of(paired.values())
    several = f"; beside it stands p adjusted for all {len(paired)} of them (Holm)"
    caption = (
        f"{results.subject} minus each other method, over pairs of runs with one task and one "
        "seed; above zero it is better. p is that of a sign-flip test, for each line by itself"
        f"{several if heads[1:] else ''}. The interval is about other seeds on these tasks; for "
        f"p, tasks that disagree are chance too.{WITHOUT_ONE if left_heads else ''}"
    )
    rows = [
        [
            name,
            interval_at(found.overall, 0),
            *left[index],
            *chances[index],
            f"{int(np.count_nonzero(found.by_task.point > 0))} of {len(results.table.tasks)}",
        ]
        for index, (name, found) in enumerate(paired.items())
    ]
    head = (f"{results.subject} minus", "difference", *left_heads, *heads, "tasks ahead")
    return Listing("Seed by seed", caption, head, rows)


def left_out_of(paired: Iterable[PairedComparison]) -> Columns:
    """Between what the difference lies when a task is left out; nothing where tasks are few."""
    by_task = [found.by_task.point for found in paired]
    if any(len(one) < FEW_TASKS for one in by_task):
        return (), [[] for _ in by_task]
    return ("any task left out",), [[between(*means_without_one(one))] for one in by_task]


def chances_of(p: Floats, things: str) -> Columns:
    """By itself and adjusted for all of them; of one that is the same."""
    both = {"p": p, f"p, of all {things}": holm_adjusted(p)} if p[1:].size else {"p": p}
    cells = [[probability(float(one[index])) for one in both.values()] for index in range(len(p))]
    return tuple(both), cells


def aggregates_listing(methods: tuple[str, ...], aggregates: Mapping[str, Estimate]) -> Listing:
    caption = (
        "Over all tasks, with 95 % intervals by the stratified bootstrap: other seeds, the same "
        "tasks. The IQM is the mean of the middle half of all runs."
    )
    rows = [
        [name, *(interval_at(estimate, index) for estimate in aggregates.values())]
        for index, name in enumerate(methods)
    ]
    return Listing("Aggregates", caption, ("Method", *aggregates), rows)
