"""From the runs of a grid to what its page is made from.

A run counts once it is finished: the last score of a run that is still going is no final score.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from road.records.journal import Floats
from road.records.naming import part_of, text_of
from road.records.reader import RunRecord
from road.records.summary import scored, summarise
from road.report.draw.curves import MethodCurves, Pretraining
from road.report.grid.cells import Results
from road.report.grid.placed import (
    Axes,
    Informed,
    Judged,
    PlacedRun,
    constants_of,
    credits_of,
    informed_runs,
    seed_notes,
    settings_of,
    version_notes,
)
from road.report.grid.results import GridResults
from road.statistics import ScoreTable, curve_band

Measure: TypeAlias = Literal["final", "area"]
JUDGED_BY: dict[Measure, str] = {
    "final": "the last evaluation of each run",
    "area": "the mean score over the online phase, along straight lines between evaluations",
}
"""What a run's score is."""
MOMENTS = 50
"""Of the online phase, at which the ratio in force is looked up."""


def results_of(
    runs: Sequence[PlacedRun],
    axes: Axes,
    title: str,
    command: str = "",
    paper: Results | None = None,
    subject: str = "ROAD",
    measure: Measure = "final",
) -> GridResults:
    """Scores, curves, ratios and dips of the runs that are finished."""
    judged = [(run, summarise(run.record)) for run in runs]
    finished = [(run, summary) for run, summary in judged if summary.finished]
    of_task = {task: [pair for pair in finished if pair[0].task == task] for task in axes.tasks}
    of_task = {task: pairs for task, pairs in of_task.items() if pairs}
    kinds = kinds_of(finished, axes)
    fixed = kinds.get("fixed", ())
    constants = constants_of(finished, axes, fixed)
    return GridResults(
        title=title,
        table=scores_of(finished, axes, measure),
        judged_by=JUDGED_BY[measure],
        areas={task: areas_of(pairs, axes) for task, pairs in of_task.items()},
        fixed=fixed,
        kinds=kinds,
        subject=subject,
        command=command,
        paper=paper if measure == "final" else None,
        curves={task: curves_of(pairs, axes) for task, pairs in of_task.items()},
        pretraining={
            task: found for task, pairs in of_task.items() for found in pretraining_of(pairs)
        },
        ratios={task: ratios_of(pairs, axes) for task, pairs in of_task.items()},
        steps={task: online_steps(pairs) for task, pairs in of_task.items()},
        dips={task: dips_of(pairs, axes) for task, pairs in of_task.items()},
        informed=informed_of(finished, axes),
        constants=constants,
        credits={task: credits_of(pairs, axes, constants) for task, pairs in of_task.items()},
        settings=tuple(settings_of(run.task, run.method, run.record.config) for run, _ in finished),
        notes=(*version_notes(finished), *seed_notes(axes, constants=bool(fixed))),
    )


def scores_of(finished: Sequence[Judged], axes: Axes, measure: Measure) -> ScoreTable:
    scores = np.full((len(axes.tasks), len(axes.methods), len(axes.seeds)), np.nan)
    for run, summary in finished:
        score = summary.final if measure == "final" else run.area
        scores[axes.tasks.index(run.task), *axes.place(run)] = np.nan if score is None else score
    return ScoreTable(axes.tasks, axes.methods, axes.seeds, scores)


def areas_of(pairs: Sequence[Judged], axes: Axes) -> Floats:
    areas = axes.unknown()
    for run, _ in pairs:
        areas[axes.place(run)] = np.nan if run.area is None else run.area
    return areas


def kinds_of(finished: Sequence[Judged], axes: Axes) -> dict[str, tuple[int, ...]]:
    """The methods of each kind of mixer, in the order of the grid."""
    kinds = {
        run.method: text_of(part_of(run.record.config, "mixer"), "name", run.method)
        for run, _ in finished
    }
    found: dict[str, tuple[int, ...]] = {}
    for index, method in enumerate(axes.methods):
        if method in kinds:
            found[kinds[method]] = (*found.get(kinds[method], ()), index)
    return found


def curves_of(pairs: Sequence[Judged], axes: Axes) -> tuple[MethodCurves, ...]:
    """A method has curves where all of its seeds were evaluated at the same steps."""
    found: list[MethodCurves] = []
    for method in axes.methods:
        seeds = [run.record for run, _ in pairs if run.method == method]
        steps, scores = common_curve(seeds, "online")
        if len(steps) > 1:
            band = curve_band(scores, np.random.default_rng(0))
            found.append(MethodCurves(method, steps, scores, band.low, band.high))
    return tuple(found)


def pretraining_of(pairs: Sequence[Judged]) -> list[Pretraining]:
    """Of the method that comes first; every method of a seed begins with the same agent."""
    first = pairs[0][0].method
    steps, scores = common_curve([run.record for run, _ in pairs if run.method == first], "offline")
    return [Pretraining(steps, scores)] if len(steps) > 1 else []


def common_curve(runs: Sequence[RunRecord], phase: str) -> tuple[Floats, Floats]:
    """The steps at which all runs were evaluated, and ``[run, step]`` of their scores."""
    tables = [scored(run, phase) for run in runs]
    if not tables:
        return np.zeros(0), np.zeros((0, 0))
    steps = tables[0]["step"]
    for each in tables[1:]:
        steps = np.intersect1d(steps, each["step"])
    steps = np.unique(steps)
    # Where a step was evaluated twice, the later score counts.
    places = [np.searchsorted(each["step"], steps, side="right") - 1 for each in tables]
    return steps, np.array(
        [each["score"][place] for each, place in zip(tables, places, strict=True)]
    )


def ratios_of(pairs: Sequence[Judged], axes: Axes) -> Floats:
    """``[method, seed, moment]``: the ratio in force at moments spread over the online phase."""
    ratios = axes.unknown(MOMENTS)
    moments = (np.arange(MOMENTS) + 0.5) / MOMENTS * online_steps(pairs)
    for run, _ in pairs:
        ratios[axes.place(run)] = ratio_in_force(run.record, moments)
    return ratios


def ratio_in_force(run: RunRecord, moments: Floats) -> Floats:
    """NaN before the first period and after the last; a mixer without a ratio has its realised."""
    ends, lengths = run.periods["step"], run.periods["steps"]
    if not ends.size:
        return np.full_like(moments, np.nan)
    requested, realised = run.periods["offline_ratio"], run.periods["realised_ratio"]
    ratio = np.where(np.isfinite(requested), requested, realised)
    period = np.minimum(np.searchsorted(ends, moments), len(ends) - 1)
    inside = (moments <= ends[period]) & (moments > (ends - lengths)[period])
    return np.where(inside, ratio[period], np.nan)


def online_steps(pairs: Sequence[Judged]) -> float:
    return float(max(max(summary.progress.online_steps_planned, 1) for _, summary in pairs))


def dips_of(pairs: Sequence[Judged], axes: Axes) -> Floats:
    depths = axes.unknown()
    for run, summary in pairs:
        if summary.dip is not None:
            depths[axes.place(run)] = summary.dip.depth
    return depths


def informed_of(finished: Sequence[Judged], axes: Axes) -> tuple[Informed, ...]:
    return tuple(
        line
        for method in axes.methods
        for line in informed_runs(
            method, [summary.informedness for run, summary in finished if run.method == method]
        )
    )
