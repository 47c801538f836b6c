"""The parts of a comparison's page that take every run: aggregates, profiles, pairs, regret."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from road.report.grid_layout import method_colours
from road.report.grid_matrix import improvement_matrix
from road.report.grid_profiles import profiles_plot
from road.report.grid_results import GridResults
from road.report.grid_strips import regret_bars
from road.report.layout import colour_chips, figure
from road.report.markup import Markup
from road.report.tables import table
from road.report.writing import probability, signed
from road.statistics import (
    Estimate,
    Regret,
    bootstrap_estimate,
    compare_paired,
    estimate_improvement,
    estimate_profile,
    held_out_regret,
    hindsight_regret,
    interquartile_mean,
    mean,
    median,
    optimality_gap,
)

THRESHOLDS = 61
MOST_BANDS = 4
"""Up to here every profile has its band; beyond, the subject's alone."""
AGGREGATES = {
    "IQM": interquartile_mean,
    "median": median,
    "mean": mean,
    "optimality gap": optimality_gap,
}


@dataclass(frozen=True)
class Regrets:
    """Against the best fixed ratio, chosen in both ways."""

    hindsight: Regret
    held_out: Regret


def regrets_of(results: GridResults, rng: np.random.Generator, samples: int) -> Regrets | None:
    """None where there is no constant to compare with, or no second seed to choose it by."""
    scores = results.table.scores
    if not results.fixed or scores.shape[-1] < 2:
        return None
    return Regrets(
        hindsight_regret(scores, results.fixed, rng, samples),
        held_out_regret(scores, results.fixed, rng, samples),
    )


def statistics_figures(
    results: GridResults, regrets: Regrets | None, rng: np.random.Generator, samples: int
) -> Iterable[Markup]:
    scores, methods = results.table.scores, results.table.methods
    if regrets is not None:
        yield regret_figure(methods, regrets)
    if results.subject in methods:
        yield paired_figure(results, rng, samples)
    yield aggregates_figure(methods, scores, rng, samples)
    yield profiles_figure(results, rng)
    yield improvement_figure(methods, estimate_improvement(scores, rng, samples))


def regret_figure(methods: tuple[str, ...], regrets: Regrets) -> Markup:
    pair = regrets.hindsight.overall, regrets.held_out.overall
    hindsight, held_out = ((one.point, one.low, one.high) for one in pair)
    caption = (
        "How far a method stays behind the best fixed ratio of each task, on average over tasks; "
        "left of zero it is ahead. The ratio chosen in hindsight was also lucky, so that regret is "
        "too large; the one chosen on other seeds is sometimes the wrong one, so that regret is "
        "too small. The truth lies between, on average. Lines are 95 % intervals over seeds."
    )
    drawn = regret_bars(methods, hindsight, held_out)
    return figure("Regret against the best fixed ratio", caption, drawn, kind="regret")


def paired_figure(results: GridResults, rng: np.random.Generator, samples: int) -> Markup:
    """The subject against every other method, seed by seed."""
    methods, scores = results.table.methods, results.table.scores
    subject = results.table.method(results.subject)
    rows: list[list[str]] = []
    for index, name in enumerate(methods):
        if index != subject:
            found = compare_paired(scores, subject, index, rng, samples)
            ahead = int(np.count_nonzero(found.by_task.point > 0))
            rows.append(
                [name, interval_words(found.overall, 0), probability(found.p),
                 f"{ahead} of {len(results.table.tasks)}"]
            )  # fmt: skip
    caption = (
        f"{results.subject} minus each other method, over pairs of runs with one task and one "
        "seed; above zero it is better. p is that of a sign-flip test, for each line by itself."
    )
    head = [f"{results.subject} minus", "difference", "p", "tasks ahead"]
    return figure("Seed by seed", caption, table(head, rows), kind="paired")


def aggregates_figure(
    methods: tuple[str, ...], scores: np.ndarray, rng: np.random.Generator, samples: int
) -> Markup:
    found = {
        name: bootstrap_estimate(aggregate, scores, rng, samples)
        for name, aggregate in AGGREGATES.items()
    }
    rows = [
        [name, *(interval_words(estimate, index) for estimate in found.values())]
        for index, name in enumerate(methods)
    ]
    caption = (
        "Over all tasks, with 95 % intervals by the stratified bootstrap: other seeds, the same "
        "tasks. The IQM is the mean of the middle half of all runs."
    )
    return figure("Aggregates", caption, table(["Method", *found], rows), kind="aggregates")


def profiles_figure(results: GridResults, rng: np.random.Generator) -> Markup:
    methods, scores = results.table.methods, results.table.scores
    thresholds = np.linspace(min(0.0, scores.min()), max(100.0, scores.max()), THRESHOLDS)
    found = estimate_profile(scores, thresholds, rng)
    colours = method_colours(methods, results.fixed, results.subject)
    few = len(methods) <= MOST_BANDS
    banded = [name for name in methods if few or name == results.subject]
    caption = (
        "The share of a method's runs that end above a score. A line above another everywhere is "
        "better in every quantile; where lines cross, neither is. 95 % bands are drawn for "
        f"{', '.join(banded) or 'none of them'}."
    )
    shares = found.point, found.low, found.high
    drawn = profiles_plot(methods, thresholds, shares, colours, banded)
    return figure("Performance profiles", caption, colour_chips(colours), drawn, kind="profiles")


def improvement_figure(methods: tuple[str, ...], found: Estimate) -> Markup:
    caption = (
        "How likely a run of the row's method beats a run of the column's on the same task; 0.5 "
        "says neither. A star marks a 95 % interval that leaves 0.5 out. It says how often, not by "
        "how much."
    )
    drawn = improvement_matrix(methods, found.point, found.low, found.high)
    return figure("Probability of improvement", caption, drawn, kind="improvement")


def interval_words(estimate: Estimate, index: int) -> str:
    point, low, high = (
        float(part[index]) for part in (estimate.point, estimate.low, estimate.high)
    )
    return signed(f"{point:.1f} ({low:.1f} to {high:.1f})")
