"""One self-contained page about a comparison: scores, their uncertainty and comparisons."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import numpy as np

from road.files import write_text
from road.records.journal import Floats
from road.records.naming import shorten
from road.report.draw.curves import curve_panels, overlay_curves
from road.report.draw.document import (
    colour_chips,
    document,
    figure,
    header,
    notice,
    numbers_to_take,
    parts_that_fit,
)
from road.report.draw.markup import Markup, join, tag
from road.report.draw.matrix import score_matrix
from road.report.draw.palette import method_colours
from road.report.draw.ratio_maps import Time, choice_map, ratio_map
from road.report.draw.rows import dip_strip
from road.report.draw.tables import listing_figure
from road.report.grid.answers import Answers
from road.report.grid.estimates import statistics_figures
from road.report.grid.family_figure import family_figures
from road.report.grid.findings import missing_words, scores_caption
from road.report.grid.listings import credit_listings, settings_listing
from road.report.grid.regret import Regrets, headline
from road.report.grid.results import GridResults
from road.report.grid.tables import html_table

MOST_OVERLAID = 4
"""Up to here, methods share one plot of learning curves; beyond, each has its own."""
MOST_UNFOLDED = 3
LARGEST_PAGE = 6_000_000
"""Characters; tasks that no longer fit keep their line in the table but not their figures."""


def write_grid_page(results: GridResults, answers: Answers | None, out: Path) -> Path:
    """Write the page; it appears whole or not at all, and the same results give the same bytes."""
    body = grid_body(results, answers)
    write_text(out, document(f"{shorten(results.title, 80)} · ROAD report", body))
    return out


def grid_body(results: GridResults, answers: Answers | None) -> Iterable[Markup]:
    regrets = None if answers is None else answers.regrets
    yield header(
        f"ROAD report on {shorten(results.title, 80)}",
        shorten(headline(results, regrets), 900),
        [notice(words) for words in (*results.notes, *missing_words(results.table))],
    )
    yield from family_figures(results)
    yield scores_figure(results)
    if answers is not None:
        yield from statistics_figures(results, answers)
    for kind, listing, words in credit_listings(results, answers):
        yield listing_figure(listing, kind, words)
    yield from parts_that_fit(run_figures(results), LARGEST_PAGE, "tasks")
    if results.settings:
        yield listing_figure(settings_listing(results.settings), "settings")
    if results.command:
        shown = tag("pre", tag("code", results.command))
        yield figure("Reproduction", "In an installed checkout.", shown, kind="command")
    yield numbers_to_take(numbers_of(results, regrets), "results.json")


def scores_figure(results: GridResults) -> Markup:
    cells = results.cells
    beside = "" if results.paper is None else " Below each line is the paper's."
    matrix = score_matrix(cells.tasks, cells.methods, cells.means)
    note = tag("p", "Colour compares within a row: the best method of a task is strongest.",
               class_="panel-title")  # fmt: skip
    return figure(
        "Scores",
        scores_caption(results) + beside,
        html_table(cells, results.paper),
        note,
        matrix,
        kind="scores",
    )


def run_figures(results: GridResults) -> Iterable[Markup]:
    """Curves, ratios and dips of the runs; a fold per task, where tasks are many."""
    unfolded = len(results.table.tasks) <= MOST_UNFOLDED
    for task in results.table.tasks:
        figures = join(task_figures(results, task))
        title = tag("summary", tag("h2", short(task)))
        if figures:
            yield figures if unfolded else tag("details", title, figures, class_="run")


def task_figures(results: GridResults, task: str) -> Iterable[Markup]:
    colours = method_colours(results.table.methods, results.fixed, results.subject)
    if results.curves.get(task):
        yield curves_figure(results, task, colours)
    if task in results.ratios:
        yield ratios_figure(results, task)
    if task in results.dips and np.isfinite(results.dips[task]).any():
        caption = (
            "A dot per seed: how far it fell below its pretrained score after the switch. The bar "
            "is their mean."
        )
        drawn = dip_strip(results.table.methods, list(results.dips[task]), list(colours.values()))
        yield figure(f"Dips on {short(task)}", caption, drawn, kind="dips")


def curves_figure(results: GridResults, task: str, colours: dict[str, str]) -> Markup:
    curves, before = results.curves[task], results.pretraining.get(task)
    caption = (
        "The thick line is the mean over seeds, thin lines are seeds, the band is a 95 % interval "
        "of the mean at each step by itself."
    )
    title = f"Learning curves on {short(task)}"
    if len(curves) <= MOST_OVERLAID:
        key = colour_chips({one.name: colours[one.name] for one in curves})
        drawn = overlay_curves(curves, colours, before)
        return figure(title, caption, key, drawn, kind="overlay")
    grey = " Grey lines are the means of all methods."
    drawn = curve_panels(curves, colours, before)
    return figure(title, caption + grey, drawn, kind="panels")


def ratios_figure(results: GridResults, task: str) -> Markup:
    """The mean of every method; of the subject also what its seeds chose."""
    methods, ratios = results.table.methods, results.ratios[task]
    time = Time(results.steps.get(task, 1.0))
    drawn = ratio_map(methods, mean_over_seeds(ratios), time)
    caption = (
        "The mean over seeds of the ratio in force; at the right, over the whole phase. Nothing is "
        "drawn before the first period and after the last whole one."
    )
    if results.subject not in methods:
        return figure(f"Offline ratio on {short(task)}", caption, drawn, kind="ratios")
    title = f"{results.subject}: the share of its seeds that each ratio was in force for"
    named = tag("p", title, class_="panel-title")
    chosen = choice_map(ratios[results.table.method(results.subject)], time)
    return figure(f"Offline ratio on {short(task)}", caption, drawn, named, chosen, kind="ratios")


def mean_over_seeds(ratios: Floats) -> Floats:
    known = np.isfinite(ratios)
    total = np.where(known, ratios, 0.0).sum(axis=1)
    count = known.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def numbers_of(results: GridResults, regrets: Regrets | None) -> dict[str, object]:
    """The scores and the regrets, as JSON takes them."""
    table = results.table
    found: dict[str, object] = {
        "tasks": table.tasks, "methods": table.methods, "seeds": table.seeds,
        "scores": plain(table.scores.tolist()),
    }  # fmt: skip
    if regrets is not None:
        for name, one in (("hindsight", regrets.hindsight), ("held_out", regrets.held_out)):
            parts = {"mean": one.overall.point, "low": one.overall.low, "high": one.overall.high}
            found[f"regret_{name}"] = {key: part.tolist() for key, part in parts.items()}
    return found


def plain(value: object) -> object:
    """Lists of numbers in which what is not one is None."""
    if isinstance(value, list):
        return [plain(each) for each in cast("list[object]", value)]
    return value if isinstance(value, float) and np.isfinite(value) else None


def short(task: str) -> str:
    return shorten(task, 80)
