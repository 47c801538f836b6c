"""From the runs of a grid to what its page is made from.

A run counts once it is finished: the last score of a run that is still going is no final score.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from road.mixing.informedness import MOST_ARMS, arm_effects
from road.report.grid_cells import Results
from road.report.grid_curves import MethodCurves, Pretraining
from road.report.grid_informed import Informed, informed_runs
from road.report.grid_results import GridResults
from road.report.grid_settings import asked_of
from road.report.heard import heard
from road.report.journal import Floats, number
from road.report.load import RunRecord
from road.report.naming import part_of, text_of
from road.report.summary import Summary, scored, summarise
from road.statistics import ScoreTable, curve_band

Measure: TypeAlias = Literal["final", "area"]
JUDGED_BY: dict[Measure, str] = {
    "final": "the last evaluation of each run",
    "area": "the mean score over the online phase, along straight lines between evaluations",
}
"""What a run's score is."""
FEW_SEEDS = 10
TOO_NARROW = (
    "Intervals over few seeds are too narrow: one of 95 % holds the truth in 75 % of cases with 3 "
    "seeds on one task, 83 % with 5 and 90 % with 10; on four tasks in 84 %, 91 % and 93 %. Of a "
    "method that is as good as the best fixed ratio it is claimed in 8 to 18 % that it is worse."
)
"""As measured (docs/statistics.md)."""
MOMENTS = 50
"""Of the online phase, at which the ratio in force is looked up."""


@dataclass(frozen=True)
class PlacedRun:
    """A run and where it stands in the grid."""

    task: str
    method: str
    seed: int
    record: RunRecord
    area: float | None = None
    """Mean score over the online phase; None if it was not evaluated there."""


@dataclass(frozen=True)
class Axes:
    """Every task, method and seed that the grid asks for, whether its runs are there or not."""

    tasks: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...]


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
        asked=tuple(asked_of(run.task, run.method, run.record.config) for run, _ in finished),
        notes=(*version_notes(finished), *seed_notes(axes)),
    )


Judged = tuple[PlacedRun, Summary]


def version_notes(finished: Sequence[Judged]) -> Iterator[str]:
    """Whether the runs come from different versions of this library or of another."""
    found: dict[str, set[str]] = {}
    for run, _ in finished:
        for name, version in part_of(run.record.meta, "versions").items():
            found.setdefault(name, set()).add(str(version))
    different = (
        f"{name} {' and '.join(sorted(versions))}"
        for name, versions in sorted(found.items())
        if len(versions) > 1
    )
    if told := ", ".join(different):
        yield f"Runs were made with different versions: {told}."


def seed_notes(axes: Axes) -> Iterator[str]:
    """What intervals are worth; of one seed there are none."""
    if 2 <= len(axes.seeds) <= FEW_SEEDS:
        yield TOO_NARROW


def scores_of(finished: Sequence[Judged], axes: Axes, measure: Measure) -> ScoreTable:
    scores = np.full((len(axes.tasks), len(axes.methods), len(axes.seeds)), np.nan)
    for run, summary in finished:
        at = axes.tasks.index(run.task), axes.methods.index(run.method), axes.seeds.index(run.seed)
        score = summary.final if measure == "final" else run.area
        scores[at] = np.nan if score is None else score
    return ScoreTable(axes.tasks, axes.methods, axes.seeds, scores)


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
    ratios = np.full((len(axes.methods), len(axes.seeds), MOMENTS), np.nan)
    moments = (np.arange(MOMENTS) + 0.5) / MOMENTS * online_steps(pairs)
    for run, _ in pairs:
        at = axes.methods.index(run.method), axes.seeds.index(run.seed)
        ratios[at] = ratio_in_force(run.record, moments)
    return ratios


def ratio_in_force(run: RunRecord, moments: Floats) -> Floats:
    """NaN before the first period and after the last; a mixer without a ratio has its realised."""
    ends, lengths = run.periods["step"], run.periods["steps"]
    if not ends.size:
        return np.full_like(moments, np.nan)
    asked, realised = run.periods["offline_ratio"], run.periods["realised_ratio"]
    ratio = np.where(np.isfinite(asked), asked, realised)
    period = np.minimum(np.searchsorted(ends, moments), len(ends) - 1)
    inside = (moments <= ends[period]) & (moments > (ends - lengths)[period])
    return np.where(inside, ratio[period], np.nan)


def online_steps(pairs: Sequence[Judged]) -> float:
    return float(max(max(summary.progress.online_steps_planned, 1) for _, summary in pairs))


def dips_of(pairs: Sequence[Judged], axes: Axes) -> Floats:
    depths = np.full((len(axes.methods), len(axes.seeds)), np.nan)
    for run, summary in pairs:
        if summary.dip is not None:
            at = axes.methods.index(run.method), axes.seeds.index(run.seed)
            depths[at] = summary.dip.depth
    return depths


def constants_of(finished: Sequence[Judged], axes: Axes, fixed: Sequence[int]) -> tuple[float, ...]:
    found = {
        run.method: number(part_of(run.record.config, "mixer").get("offline_ratio"))
        for run, _ in finished
    }
    return tuple(found[axes.methods[index]] for index in fixed)


def credits_of(pairs: Sequence[Judged], axes: Axes, constants: Sequence[float]) -> Floats:
    """``[method, seed, constant]``: what periods with that ratio add to the credits of a run."""
    credits = np.full((len(axes.methods), len(axes.seeds), len(constants)), np.nan)
    for run, _ in pairs:
        ratio, credit = heard(run.record.periods)
        if len(np.unique(ratio)) > MOST_ARMS:
            continue
        ratios, effects = arm_effects(ratio, credit)
        at = axes.methods.index(run.method), axes.seeds.index(run.seed)
        for place, constant in enumerate(constants):
            if (there := np.isclose(ratios, constant)).any():
                credits[*at, place] = effects[there][0]
    return credits


def informed_of(finished: Sequence[Judged], axes: Axes) -> tuple[Informed, ...]:
    return tuple(
        line
        for method in axes.methods
        for line in informed_runs(
            method, [summary.informedness for run, summary in finished if run.method == method]
        )
    )
