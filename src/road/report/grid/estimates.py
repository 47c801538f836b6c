"""The figures of a comparison that need every run: tables, profiles, probability of improvement."""

from collections.abc import Iterable

import numpy as np

from road.report.draw.curves import BEHIND
from road.report.draw.distributions import profiles_plot
from road.report.draw.document import colour_chips, figure
from road.report.draw.markup import Markup
from road.report.draw.matrix import improvement_matrix
from road.report.draw.palette import method_colours, method_strokes
from road.report.draw.rows import regret_bars
from road.report.draw.tables import listing_figure
from road.report.grid.answers import Answers
from road.report.grid.listings import listings_of
from road.report.grid.results import GridResults
from road.statistics import Estimate, estimate_profile

THRESHOLDS = 61
MOST_BANDS = 4
"""Up to here every profile has its band; beyond, the subject's alone."""
MOST_LINES = 10
"""Up to here every profile has its colour; beyond, those that stand out."""
CONSTANTS = ", and the best mean of a constant"


def statistics_figures(results: GridResults, answers: Answers) -> Iterable[Markup]:
    methods, regrets = results.table.methods, answers.regrets
    for kind, listing in listings_of(results, answers):
        if kind == "regret" and regrets is not None:
            bars = regret_bars(methods, regrets.hindsight.overall, regrets.held_out.overall)
            yield figure(listing.title, listing.caption, bars, kind=kind)
        else:
            yield listing_figure(listing, kind)
    yield profiles_figure(results)
    yield improvement_figure(methods, answers.improvement)


def profiles_figure(results: GridResults) -> Markup:
    methods, scores = results.table.methods, results.table.scores
    front = highlighted_methods(results)
    thresholds = np.linspace(min(0.0, scores.min()), max(100.0, scores.max()), THRESHOLDS)
    found = estimate_profile(scores, thresholds, np.random.default_rng(0))
    colours = method_colours(methods, results.fixed, results.subject)
    strokes = method_strokes(methods, results.fixed, results.subject)
    key = {name: colours[name] for name in methods if name in front}
    banded = [name for name in methods if len(methods) <= MOST_BANDS or name == results.subject]
    caption = (
        "The share of a method's runs that end above a score. A line above another everywhere is "
        "better in every quantile; where lines cross, neither is. 95 % bands are drawn for "
        f"{', '.join(banded) or 'none of them'}."
    )
    if len(key) < len(methods):
        key["the others"] = BEHIND
        caption += f" In colour: the subject, the best mean{CONSTANTS if results.fixed else ''}."
    order = sorted(range(len(methods)), key=lambda index: methods[index] in front)
    ordered = [methods[index] for index in order]  # what is drawn last lies on top
    shown = {name: key.get(name, BEHIND) for name in methods}
    looks = {name: strokes[name] if name in front else "" for name in methods}
    drawn = profiles_plot(ordered, thresholds, found[:, order], shown, looks, banded)
    chips = colour_chips(key, looks)
    return figure("Performance profiles", caption, chips, drawn, kind="profiles")


def highlighted_methods(results: GridResults) -> set[str]:
    """All methods; of many the subject, and the best by the mean among all and among constants."""
    methods, means = results.table.methods, results.table.scores.mean(axis=(0, 2))
    if len(methods) <= MOST_LINES:
        return set(methods)
    groups = [members for members in (range(len(methods)), results.fixed) if members]
    best = {methods[max(members, key=lambda index: means[index])] for members in groups}
    return {*best, results.subject}


def improvement_figure(methods: tuple[str, ...], found: Estimate) -> Markup:
    caption = (
        "How likely a run of the row's method beats a run of the column's on the same task; 0.5 "
        "says neither. A star marks a 95 % interval that leaves 0.5 out, of each pair by itself. "
        "It says how often, not by how much."
    )
    drawn = improvement_matrix(methods, found)
    return figure("Probability of improvement", caption, drawn, kind="improvement")
