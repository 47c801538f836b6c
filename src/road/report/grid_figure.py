"""A comparison as one picture: regret, scores and learning curves, for a page of documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from road.report.axes import Scale, Timeline, y_axis
from road.report.curves import phase_ground
from road.report.grid_answers import Answers
from road.report.grid_curves import (
    BEHIND,
    FEW_POINTS,
    MethodCurves,
    Pretraining,
    band,
    few_points,
    mean_line,
    pretraining_lines,
    shared_axes,
)
from road.report.grid_layout import LETTER, method_colours, short
from road.report.grid_matrix import ROW as MATRIX_ROW
from road.report.grid_matrix import room_for_heads, score_plot
from road.report.grid_regrets import Regrets
from road.report.grid_results import GridResults
from road.report.grid_strips import REGRET_COLOURS, regret_plot
from road.report.grid_strips import ROW as REGRET_ROW
from road.report.grid_verdict import headline
from road.report.markup import Markup, shorten, tag
from road.report.palette import series_colour
from road.report.picture import EDGE, WIDTH, heading, placed, write_picture
from road.report.svg import pixels, plot, stretched
from road.report.writing import counted

PANEL = 140.0
ACROSS = 3
"""Panels of learning curves side by side."""
MOST_BANDS = 3
"""Beyond, bands would hide each other."""
LINE = 22.0
"""From one line of a key to the next."""
BETWEEN = 44.0
"""Room between two parts."""
BEST_FIXED, BEST = "best fixed ratio in hindsight", "best in hindsight"

Chosen = Mapping[str, tuple[str, str]]
"""Curves that are drawn in colour: by what the key calls them, the method's name and its colour."""


@dataclass(frozen=True)
class Part:
    """Something below something else."""

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
    parts.append(scores_part(results, width, top))
    if results.curves:
        parts.append(curves_part(results, width, parts[-1].bottom + BETWEEN))
    marks = (mark for part in parts for mark in part.marks)
    said = shorten(headline(results, regrets), 900)
    return write_picture(out, width, parts[-1].bottom + EDGE, *marks, label=said)


def width_of(results: GridResults) -> float:
    """Wide enough for every column of the scores."""
    column, _, right = room_for_heads(results.table.methods)
    return max(WIDTH, room_for(results.table.tasks) + column * len(results.table.methods) + right)


def room_for(names: Sequence[str]) -> float:
    """Names stand left of a plot."""
    return EDGE + LETTER * max(len(short(name)) for name in names) + 12


def regret_part(methods: tuple[str, ...], regrets: Regrets, width: float, top: float) -> Part:
    pair = regrets.hindsight.overall, regrets.held_out.overall
    hindsight, held_out = ((one.point, one.low, one.high) for one in pair)
    left, below = room_for(methods), top + 48
    drawn = regret_plot(methods, hindsight, held_out)
    marks = (
        heading("Regret against the best fixed ratio", top),
        *key(REGRET_COLOURS, width, top + 24).marks,
        placed(drawn, left, below, width - left - 2 * EDGE),
    )
    return Part(marks, below + REGRET_ROW * len(methods) + 44)


def scores_part(results: GridResults, width: float, top: float) -> Part:
    cells = results.cells
    _, above, right = room_for_heads(cells.methods)
    left, below = room_for(cells.tasks), top + 12 + above
    drawn = score_plot(cells.tasks, cells.methods, cells.means)
    seeds = counted(len(results.table.seeds), "seed")
    marks = (
        heading(f"Scores: mean over {seeds}, by {results.judged_by}", top),
        placed(drawn, left, below, width - left - max(right, EDGE)),
    )
    return Part(marks, below + MATRIX_ROW * len(cells.tasks))


def curves_part(results: GridResults, width: float, top: float) -> Part:
    """A panel per task: the means of all methods in grey, those that matter with their bands."""
    tasks = [task for task in results.table.tasks if results.curves.get(task)]
    named = {
        what: colour
        for task in tasks
        for what, (_, colour) in in_colour(results, task).items()
    }  # fmt: skip
    room, step = (width - 2 * EDGE) / ACROSS, PANEL + 84
    names = key(named, width, top + 24)
    marks, first = list(names.marks), names.bottom + 48
    for index, task in enumerate(tasks):
        left = EDGE + room * (index % ACROSS)
        down = first + step * (index // ACROSS)
        before = results.pretraining.get(task)
        drawn = task_plot(results.curves[task], in_colour(results, task), before)
        marks.append(tag("text", short(task), x=pixels(left), y=pixels(down - 14), class_="entry"))
        marks.append(placed(drawn, left + 40, down, room - 64))
    bands = ", with 95 % bands" if len(named) <= MOST_BANDS else ""
    title = heading(f"Learning curves: score by step, mean over seeds{bands}", top)
    return Part((title, *marks), first + step * -(-len(tasks) // ACROSS) - 40)


def in_colour(results: GridResults, task: str) -> Chosen:
    """The subject, Uniform and the constant that came out best; or what there is without those."""
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
        stretched(
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
        room = LETTER * len(shown) + 42
        if EDGE < x > width - room:
            x, y = EDGE, y + LINE
        marks += [
            tag("rect", x=pixels(x), y=pixels(y - 10), width=12, height=12, style=fill),
            tag("text", shown, x=pixels(x + 18), y=pixels(y), class_="entry"),
        ]
        x += room
    return Part(tuple(marks), y)
