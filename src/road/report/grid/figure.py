"""A comparison as one picture: regret, scores and learning curves, for a page of documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from road.records.naming import shorten
from road.report.draw.along_knob import HEIGHT as KNOB_PANEL
from road.report.draw.axes import Scale, Timeline, y_axis
from road.report.draw.curves import (
    BEHIND,
    FEW_POINTS,
    MethodCurves,
    Pretraining,
    band,
    few_points,
    mean_line,
    phase_ground,
    pretraining_lines,
    shared_axes,
)
from road.report.draw.document import EDGE, WIDTH, heading, place, write_picture
from road.report.draw.format import counted
from road.report.draw.markup import Markup, tag
from road.report.draw.matrix import ROW as MATRIX_ROW
from road.report.draw.matrix import score_plot, space_for_heads
from road.report.draw.palette import method_colours, series_colour
from road.report.draw.rows import LETTER, REGRET_COLOURS, regret_plot, short
from road.report.draw.rows import ROW as REGRET_ROW
from road.report.draw.svg import pixels, plot, stretch
from road.report.grid.answers import Answers
from road.report.grid.families import families_of
from road.report.grid.family_figure import TITLE as FAMILIES
from road.report.grid.family_figure import colours_of, ratio_plot, scores_plot
from road.report.grid.regret import Regrets, headline
from road.report.grid.results import GridResults

PANEL = 140.0
ACROSS = 3
"""Panels of learning curves side by side."""
MOST_BANDS = 3
"""Beyond, bands would hide each other."""
LINE = 22.0
"""From one line of a key to the next."""
BETWEEN = 44.0
"""Space between two parts."""
BEST_FIXED, BEST = "best fixed ratio in hindsight", "best in hindsight"
Chosen = Mapping[str, tuple[str, str]]
"""Curves that are drawn in colour: by what the key calls them, the method's name and its colour."""


@dataclass(frozen=True)
class Part:
    """Marks, and the height at which they end."""

    marks: tuple[Markup, ...]
    bottom: float


def write_grid_figure(results: GridResults, answers: Answers | None, out: Path) -> Path:
    """Regret only where every run is there."""
    regrets = None if answers is None else answers.regrets
    width, parts = width_of(results), list[Part]()
    top = 2 * EDGE
    if regrets is not None:
        parts.append(regret_part(results.table.methods, regrets, width, top))
        top = parts[-1].bottom + BETWEEN
    if results.knobs:
        parts.append(families_part(results, width, top))
        top = parts[-1].bottom + BETWEEN
    parts.append(scores_part(results, width, top))
    if results.curves:
        parts.append(curves_part(results, width, parts[-1].bottom + BETWEEN))
    marks = (mark for part in parts for mark in part.marks)
    said = shorten(headline(results, regrets), 900)
    return write_picture(out, width, parts[-1].bottom + EDGE, *marks, label=said)


def width_of(results: GridResults) -> float:
    """Wide enough for every column of the scores."""
    column, _, right = space_for_heads(results.table.methods)
    return max(WIDTH, space_for(results.table.tasks) + column * len(results.table.methods) + right)


def space_for(names: Sequence[str]) -> float:
    """Pixels for the names at the left of a plot."""
    return EDGE + LETTER * max(len(short(name)) for name in names) + 12


def regret_part(methods: tuple[str, ...], regrets: Regrets, width: float, top: float) -> Part:
    left, below = space_for(methods), top + 48
    drawn = regret_plot(methods, regrets.hindsight.overall, regrets.held_out.overall)
    marks = (
        heading("Regret against the best fixed ratio", top),
        *key(REGRET_COLOURS, width, top + 24).marks,
        place(drawn, left, below, width - left - 2 * EDGE),
    )
    return Part(marks, below + REGRET_ROW * len(methods) + 44)


def scores_part(results: GridResults, width: float, top: float) -> Part:
    cells = results.cells
    _, above, right = space_for_heads(cells.methods)
    left, below = space_for(cells.tasks), top + 12 + above
    drawn = score_plot(cells.tasks, cells.methods, cells.means)
    seeds = counted(len(results.table.seeds), "seed")
    marks = (
        heading(f"Scores: mean over {seeds}, by {results.judged_by}", top),
        place(drawn, left, below, width - left - max(right, EDGE)),
    )
    return Part(marks, below + MATRIX_ROW * len(cells.tasks))


def families_part(results: GridResults, width: float, top: float) -> Part:
    """A column per family: ratios above, scores below."""
    families = families_of(results)
    colours = colours_of(results, families)
    names = key(colours, width, top + 24)
    marks, first = list(names.marks), names.bottom + 48
    space, step = (width - 2 * EDGE) / ACROSS, 2 * KNOB_PANEL + 160
    for index, family in enumerate(families):
        left = EDGE + space * (index % ACROSS)
        down = first + step * (index // ACROSS)
        below = down + KNOB_PANEL + 64
        for said, y in ((f"{family.title}: offline ratio", down), ("score", below)):
            marks.append(tag("text", said, x=pixels(left), y=pixels(y - 14), class_="entry"))
        marks.append(
            place(ratio_plot(family, results.subject, colours), left + 40, down, space - 64)
        )
        marks.append(place(scores_plot(family, colours), left + 40, below, space - 64))
    title = heading(f"{FAMILIES}, by the mean score over the online phase", top)
    return Part((title, *marks), first + step * -(-len(families) // ACROSS) - 40)


def curves_part(results: GridResults, width: float, top: float) -> Part:
    """A panel per task: the means of all methods in grey, those that matter with their bands."""
    tasks = [task for task in results.table.tasks if results.curves.get(task)]
    chosen = {task: in_colour(results, task) for task in tasks}
    named = {what: colour for each in chosen.values() for what, (_, colour) in each.items()}
    space, step = (width - 2 * EDGE) / ACROSS, PANEL + 84
    names = key(named, width, top + 24)
    marks, first = list(names.marks), names.bottom + 48
    for index, task in enumerate(tasks):
        left = EDGE + space * (index % ACROSS)
        down = first + step * (index // ACROSS)
        before = results.pretraining.get(task)
        drawn = task_plot(results.curves[task], chosen[task], before)
        marks.append(tag("text", short(task), x=pixels(left), y=pixels(down - 14), class_="entry"))
        marks.append(place(drawn, left + 40, down, space - 64))
    bands = ", with 95 % bands" if len(named) <= MOST_BANDS else ""
    title = heading(f"Learning curves: score by step, mean over seeds{bands}", top)
    return Part((title, *marks), first + step * -(-len(tasks) // ACROSS) - 40)


def in_colour(results: GridResults, task: str) -> Chosen:
    """The subject, Uniform and the best constant; without those, all methods or the best one."""
    methods = results.table.methods
    chosen = best_called(BEST_FIXED, best_of(results, task, results.fixed), "var(--offline)")
    for member in results.kinds.get("uniform", ())[:1]:
        chosen[methods[member]] = methods[member], series_colour(1)
    if not chosen:
        colours = method_colours(methods, results.fixed, results.subject)
        if len(set(colours.values())) == len(methods):
            return {name: (name, colours[name]) for name in methods}
        best = best_of(results, task, range(len(methods)))
        chosen = best_called(BEST, best, series_colour(1))
    if results.subject in methods:
        chosen[results.subject] = results.subject, series_colour(0)
    return chosen


def best_called(what: str, best: str | None, colour: str) -> dict[str, tuple[str, str]]:
    return {} if best is None else {what: (best, colour)}


def best_of(results: GridResults, task: str, among: Sequence[int]) -> str | None:
    """The method of the greatest mean on a task; None if none has one."""
    means = results.cells.means[results.table.tasks.index(task)][list(among)]
    if not np.isfinite(means).any():
        return None
    return results.table.methods[among[int(np.nanargmax(means))]]


def task_plot(curves: Sequence[MethodCurves], chosen: Chosen, before: Pretraining | None) -> Markup:
    curves = [few_points(one, FEW_POINTS) for one in curves]
    by_name = {one.name: one for one in curves}
    shown = [(by_name[name], colour) for name, colour in chosen.values() if name in by_name]
    banded = shown if len(shown) <= MOST_BANDS else []
    timeline, scale = axes_of(curves, [one for one, _ in banded], before)
    return plot(
        PANEL,
        *phase_ground(timeline, PANEL),
        *y_axis(scale, 4),
        *timeline.bare_axis(PANEL),
        stretch(
            PANEL,
            *pretraining_lines(before, timeline, scale)[-1:],
            *(mean_line(one, timeline, scale, BEHIND, "seed") for one in curves),
            *(band(one, timeline, scale, colour) for one, colour in banded),
            *(mean_line(one, timeline, scale, colour) for one, colour in shown),
        ),
        label="Learning curves",
    )


def axes_of(
    curves: Sequence[MethodCurves], banded: Sequence[MethodCurves], before: Pretraining | None
) -> tuple[Timeline, Scale]:
    """Fitted to what is drawn: means and bands, no single seeds."""
    means = [replace(one, seeds=one.mean[None], low=one.mean, high=one.mean) for one in curves]
    bands = [replace(one, seeds=one.mean[None]) for one in banded]
    mean_before = before and Pretraining(before.steps, before.seeds.mean(axis=0)[None])
    return shared_axes([*means, *bands], mean_before, PANEL)


def key(colours: Mapping[str, str], width: float, y: float) -> Part:
    """What each colour is, on as many lines as that takes."""
    marks, x = list[Markup](), EDGE
    for name, colour in colours.items():
        shown, fill = short(name), f"fill:{colour}"
        space = LETTER * len(shown) + 42
        if EDGE < x > width - space:
            x, y = EDGE, y + LINE
        marks += [
            tag("rect", x=pixels(x), y=pixels(y - 10), width=12, height=12, style=fill),
            tag("text", shown, x=pixels(x + 18), y=pixels(y), class_="entry"),
        ]
        x += space
    return Part(tuple(marks), y)
