"""The tables of a comparison beside its scores, in one order for its page and for Markdown."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from road.records.journal import Floats
from road.report.draw.format import between, interval_at, probability, score
from road.report.draw.tables import Listing
from road.report.grid.answers import Answers
from road.report.grid.credit_quality import (
    informed_listing,
    informed_verdict,
    quality_listing,
    quality_verdict,
)
from road.report.grid.placed import RunSettings
from road.report.grid.regret import regret_listing
from road.report.grid.results import GridResults
from road.report.grid.selection import selection_listing
from road.statistics import Estimate, PairedComparison, holm_adjusted, means_without_one

Columns = tuple[tuple[str, ...], list[list[str]]]
"""The heads of some columns, and the cells of each row."""
FEW_TASKS = 3
"""With fewer tasks, no means without one of them are given."""
WITHOUT_ONE = (
    " With any task left out the difference lies between the two numbers beside it: where zero "
    "does too, one task decides which method is ahead."
)
BY_TASK = (
    "The {one} with the greatest mean, how far the best and the worst {one} lie apart, and p of a "
    "permutation test: how often {one}s that make no difference would lie as far apart.{several} A "
    "small p says that they differ, not which is best; where it is not small, no best {best} can "
    "be named.{lost}"
)
SEVERAL = " p is for each task by itself; next to it is p adjusted for all {} tasks (Holm)."
LOST = " Then what {} loses against the best one, chosen in both ways."
SETTINGS = (
    "Settings as each run's config.json has them. What all runs share comes first, then what "
    "belongs to a task, then what belongs to a method; several values where tasks differ."
)


def listings_of(results: GridResults, answers: Answers) -> Iterable[tuple[str, Listing]]:
    """Each with a word for its kind."""
    methods = results.table.methods
    if answers.regrets is not None:
        yield "regret", regret_listing(methods, answers.regrets)
    if answers.regrets is not None or results.compared[1:]:
        yield "tasks", by_task_listing(results, answers)
    if answers.paired:
        yield "paired", paired_listing(results, answers.paired)
    if answers.families:
        yield "selection", selection_listing(results, answers.families)
    yield "aggregates", aggregates_listing(methods, answers.aggregates)


def credit_listings(
    results: GridResults, answers: Answers | None
) -> Iterable[tuple[str, Listing, str | None]]:
    """Each with a word for its kind and, if there is one, the sentence about the subject."""
    subject = results.subject
    if results.informed:
        there = subject in results.table.methods
        words = informed_verdict(subject, results.informed) if there else None
        yield "informed", informed_listing(results.informed), words
    if answers is not None and (rated := answers.rated) is not None:
        yield "quality", quality_listing(results, rated), quality_verdict(subject, rated)


def paired_listing(results: GridResults, paired: Mapping[str, PairedComparison]) -> Listing:
    """The subject against every other method, seed by seed."""
    heads, chances = chances_of(np.array([found.p for found in paired.values()]), "methods")
    left_heads, left = left_out_of(paired.values())
    several = f"; next to it is p adjusted for all {len(paired)} of them (Holm)"
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
    """The range of the difference when any task is left out; nothing where tasks are few."""
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


def by_task_listing(results: GridResults, answers: Answers) -> Listing:
    methods, found = results.table.methods, answers.differences
    chance_heads, chances = chances_of(found.p, "tasks")
    loss_heads, losses = losses_of(results, answers)
    rows = [
        [
            task,
            methods[found.best[index]],
            score(float(found.range[index])),
            *chances[index],
            *losses[index],
        ]
        for index, task in enumerate(results.table.tasks)
    ]
    one, best = ("constant", "ratio") if results.fixed else ("method", "method")
    caption = BY_TASK.format(
        one=one,
        best=best,
        several=SEVERAL.format(len(rows)) if rows[1:] else "",
        lost=LOST.format(results.subject) if loss_heads else "",
    )
    title = f"Does the {'ratio' if results.fixed else 'choice of method'} matter?"
    head = ("Task", f"best {one}", "best minus worst", *chance_heads, *loss_heads)
    return Listing(title, caption, head, rows)


def losses_of(results: GridResults, answers: Answers) -> Columns:
    """What the subject loses on each task; no column without a regret."""
    regrets, subject, tasks = answers.regrets, results.subject, len(results.table.tasks)
    if regrets is None or subject not in results.table.methods:
        return (), [[] for _ in range(tasks)]
    at, both = results.table.method(subject), (regrets.hindsight, regrets.held_out)
    cells = [[interval_at(one.by_task[task], at) for one in both] for task in range(tasks)]
    return (f"{subject} loses, in hindsight", "on other seeds"), cells


def settings_listing(runs: Sequence[RunSettings]) -> Listing:
    names = list(dict.fromkeys(name for run in runs for name in run.settings))
    shared = [name for name in names if one_value(runs, name)]
    tasks, methods = by_name(runs, "task"), by_name(runs, "method")
    of_task = [
        name
        for name in names
        if name not in shared and all(one_value(those, name) for those in tasks.values())
    ]
    of_method = [name for name in names if name not in {*shared, *of_task}]
    rows = [["all runs", describe_settings(runs, shared)]]
    for groups, own in ((tasks, of_task), (methods, of_method)):
        rows += [[name, describe_settings(those, own)] for name, those in groups.items() if own]
    return Listing("What was run", SETTINGS, ("of", "settings"), rows)


def by_name(runs: Sequence[RunSettings], which: str) -> dict[str, list[RunSettings]]:
    found: dict[str, list[RunSettings]] = {}
    for run in runs:
        found.setdefault(run.task if which == "task" else run.method, []).append(run)
    return found


def one_value(runs: Sequence[RunSettings], name: str) -> bool:
    return len({run.settings.get(name) for run in runs}) == 1


def describe_settings(runs: Sequence[RunSettings], names: Iterable[str]) -> str:
    """The settings of those runs that have them; several values where they differ."""
    parts: list[str] = []
    for name in names:
        values = dict.fromkeys(run.settings[name] for run in runs if name in run.settings)
        if values:
            parts.append(f"{name} {' or '.join(values)}")
    return "; ".join(parts)
