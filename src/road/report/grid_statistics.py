"""The parts of a comparison's page that take every run: aggregates, profiles, pairs, regret."""

from collections.abc import Iterable

import numpy as np

from road.report.grid_answers import Answers, Regrets, aggregate_rows, paired_rows
from road.report.grid_layout import method_colours
from road.report.grid_matrix import improvement_matrix
from road.report.grid_profiles import profiles_plot
from road.report.grid_results import GridResults
from road.report.grid_strips import regret_bars
from road.report.layout import colour_chips, figure
from road.report.markup import Markup
from road.report.tables import table
from road.statistics import Estimate, estimate_profile

THRESHOLDS = 61
MOST_BANDS = 4
"""Up to here every profile has its band; beyond, the subject's alone."""


def statistics_figures(results: GridResults, answers: Answers) -> Iterable[Markup]:
    methods = results.table.methods
    if answers.regrets is not None:
        yield regret_figure(methods, answers.regrets)
    if answers.paired:
        yield paired_figure(results, answers)
    yield aggregates_figure(methods, answers)
    yield profiles_figure(results)
    yield improvement_figure(methods, answers.improvement)


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


def paired_figure(results: GridResults, answers: Answers) -> Markup:
    """The subject against every other method, seed by seed."""
    caption = (
        f"{results.subject} minus each other method, over pairs of runs with one task and one "
        "seed; above zero it is better. p is that of a sign-flip test, for each line by itself."
    )
    head = [f"{results.subject} minus", "difference", "p", "tasks ahead"]
    rows = paired_rows(len(results.table.tasks), answers.paired)
    return figure("Seed by seed", caption, table(head, rows), kind="paired")


def aggregates_figure(methods: tuple[str, ...], answers: Answers) -> Markup:
    caption = (
        "Over all tasks, with 95 % intervals by the stratified bootstrap: other seeds, the same "
        "tasks. The IQM is the mean of the middle half of all runs."
    )
    rows = aggregate_rows(methods, answers.aggregates)
    head = ["Method", *answers.aggregates]
    return figure("Aggregates", caption, table(head, rows), kind="aggregates")


def profiles_figure(results: GridResults) -> Markup:
    methods, scores = results.table.methods, results.table.scores
    thresholds = np.linspace(min(0.0, scores.min()), max(100.0, scores.max()), THRESHOLDS)
    found = estimate_profile(scores, thresholds, np.random.default_rng(0))
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
