"""One self-contained page about a comparison: how good, how sure, and better than what."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import numpy as np

from road.mixing.folder import write_whole
from road.report.grid_advice import Advice, advice_listing, advice_verdict
from road.report.grid_answers import Answers
from road.report.grid_choices import choice_map
from road.report.grid_curves import curve_panels, overlaid_curves
from road.report.grid_informed import informed_listing, informed_verdict
from road.report.grid_layout import method_colours
from road.report.grid_matrix import score_matrix
from road.report.grid_missing import missing_words
from road.report.grid_ratios import Time, ratio_map
from road.report.grid_regrets import Regrets
from road.report.grid_results import GridResults
from road.report.grid_settings import settings_listing
from road.report.grid_statistics import statistics_figures
from road.report.grid_strips import dip_strip
from road.report.grid_tables import html_table
from road.report.grid_verdict import headline
from road.report.html import document, numbers_to_take
from road.report.journal import Floats
from road.report.layout import colour_chips, figure
from road.report.markup import Markup, shorten, tag
from road.report.tables import table

MOST_OVERLAID = 4
"""Up to here, methods share one plot of learning curves; beyond, each has its own."""
MOST_UNFOLDED = 3
LARGEST_PAGE = 6_000_000
"""Characters; tasks that no longer fit keep their line in the table but not their figures."""


def write_grid_page(results: GridResults, answers: Answers | None, out: Path) -> Path:
    """Write the page; it appears whole or not at all, and the same results give the same bytes."""
    body = grid_body(results, answers)
    write_whole(out, document(f"{shorten(results.title, 80)} · ROAD report", body))
    return out


def grid_body(results: GridResults, answers: Answers | None) -> Iterable[Markup]:
    regrets = None if answers is None else answers.regrets
    yield tag(
        "header", tag("p", f"ROAD report on {shorten(results.title, 80)}", class_="eyebrow"),
        tag("h1", shorten(headline(results, regrets), 900)),
        [tag("p", note, class_="notice", role="note") for note in results.notes],
        [tag("p", words, class_="notice", role="note") for words in missing_words(results.table)],
    )  # fmt: skip
    yield scores_figure(results)
    if answers is not None:
        yield from statistics_figures(results, answers)
    yield from informed_figures(results)
    if answers is not None and answers.advice is not None:
        yield advice_figure(results, answers.advice)
    yield from run_figures(results)
    yield from settings_figure(results)
    yield from reproduction(results)
    yield numbers_to_take(numbers_of(results, regrets), "results.json")


def scores_figure(results: GridResults) -> Markup:
    cells = results.cells
    beside = "" if results.paper is None else " Below each line stands the paper's."
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


def scores_caption(results: GridResults) -> str:
    underlined = ", underlined the best fixed ratio" if results.fixed else ""
    return (
        f"By {results.judged_by}: mean ± standard deviation over seeds (divisor n − 1). Bold is "
        f"the best of a row{underlined}."
    )


def informed_figures(results: GridResults) -> Iterable[Markup]:
    if results.informed:
        listing = informed_listing(results.informed)
        there = results.subject in results.table.methods
        words = informed_verdict(results.subject, results.informed) if there else listing.title
        drawn = table(listing.head, listing.rows)
        yield figure(words, listing.caption, drawn, kind="informed")


def advice_figure(results: GridResults, advice: Advice) -> Markup:
    listing = advice_listing(results, advice)
    words = next(advice_verdict(results.subject, advice), listing.title)
    return figure(words, listing.caption, table(listing.head, listing.rows), kind="advice")


def run_figures(results: GridResults) -> Iterable[Markup]:
    """What is known of the runs on the way to their scores; a fold per task, where many."""
    unfolded = len(results.table.tasks) <= MOST_UNFOLDED
    size, left_out = 0, 0
    for task in results.table.tasks:
        figures = list(task_figures(results, task))
        size += sum(map(len, figures))
        if size > LARGEST_PAGE:
            left_out += 1
        elif unfolded:
            yield from figures
        elif figures:
            title = tag("summary", tag("h2", short(task)))
            yield tag("details", title, figures, class_="run")
    if left_out:
        words = f"The figures of {left_out} tasks were left out to keep this page small"
        yield tag("p", f"{words}; report on them separately to see them.", class_="notice")


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
        drawn = overlaid_curves(curves, colours, before)
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


def settings_figure(results: GridResults) -> Iterable[Markup]:
    if results.asked:
        listing = settings_listing(results.asked)
        drawn = table(listing.head, listing.rows)
        yield figure(listing.title, listing.caption, drawn, kind="settings")


def reproduction(results: GridResults) -> Iterable[Markup]:
    if results.command:
        shown = tag("pre", tag("code", results.command))
        yield figure("To make this again", "In an installed checkout.", shown, kind="command")


def numbers_of(results: GridResults, regrets: Regrets | None) -> dict[str, object]:
    """The scores and the regrets, as JSON takes them."""
    table = results.table
    found: dict[str, object] = {
        "tasks": table.tasks, "methods": table.methods, "seeds": table.seeds,
        "scores": plain(table.scores.tolist()),
    }  # fmt: skip
    if regrets is not None:
        for name, one in (("hindsight", regrets.hindsight), ("held_out", regrets.held_out)):
            overall = one.overall
            found[f"regret_{name}"] = {
                "mean": overall.point.tolist(), "low": overall.low.tolist(),
                "high": overall.high.tolist(),
            }  # fmt: skip
    return found


def plain(value: object) -> object:
    """Lists of numbers in which what is not one is None."""
    if isinstance(value, list):
        return [plain(each) for each in cast("list[object]", value)]
    return value if isinstance(value, float) and np.isfinite(value) else None


def short(task: str) -> str:
    return shorten(task, 80)
