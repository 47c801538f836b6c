"""The parts of a comparison's page that take every run: aggregates, profiles, pairs, regret."""

from collections.abc import Iterable

import numpy as np

from road.report.grid_answers import Answers
from road.report.grid_layout import method_colours, method_strokes
from road.report.grid_listings import listings_of
from road.report.grid_matrix import improvement_matrix
from road.report.grid_profiles import profiles_plot
from road.report.grid_regrets import Regrets
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
    methods, regrets = results.table.methods, answers.regrets
    for kind, listing in listings_of(results, answers):
        drawn = table(listing.head, listing.rows)
        if kind == "regret" and regrets is not None:
            drawn = bars_of(methods, regrets)
        yield figure(listing.title, listing.caption, drawn, kind=kind)
    yield profiles_figure(results)
    yield improvement_figure(methods, answers.improvement)


def bars_of(methods: tuple[str, ...], regrets: Regrets) -> Markup:
    """The listing's numbers as bars."""
    pair = regrets.hindsight.overall, regrets.held_out.overall
    hindsight, held_out = ((one.point, one.low, one.high) for one in pair)
    return regret_bars(methods, hindsight, held_out)


def profiles_figure(results: GridResults) -> Markup:
    methods, scores = results.table.methods, results.table.scores
    thresholds = np.linspace(min(0.0, scores.min()), max(100.0, scores.max()), THRESHOLDS)
    found = estimate_profile(scores, thresholds, np.random.default_rng(0))
    colours = method_colours(methods, results.fixed, results.subject)
    strokes = method_strokes(methods, results.fixed, results.subject)
    few = len(methods) <= MOST_BANDS
    banded = [name for name in methods if few or name == results.subject]
    caption = (
        "The share of a method's runs that end above a score. A line above another everywhere is "
        "better in every quantile; where lines cross, neither is. 95 % bands are drawn for "
        f"{', '.join(banded) or 'none of them'}."
    )
    shares = found.point, found.low, found.high
    drawn = profiles_plot(methods, thresholds, shares, colours, strokes, banded)
    key = colour_chips(colours, strokes)
    return figure("Performance profiles", caption, key, drawn, kind="profiles")


def improvement_figure(methods: tuple[str, ...], found: Estimate) -> Markup:
    caption = (
        "How likely a run of the row's method beats a run of the column's on the same task; 0.5 "
        "says neither. A star marks a 95 % interval that leaves 0.5 out, of each pair by itself. "
        "It says how often, not by how much."
    )
    drawn = improvement_matrix(methods, found.point, found.low, found.high)
    return figure("Probability of improvement", caption, drawn, kind="improvement")
