"""Two matrices: scores of methods by task, and how likely one method beats another."""

import math
from collections.abc import Sequence

import numpy as np

from road.report.draw.format import UNKNOWN, signed
from road.report.draw.markup import Markup
from road.report.draw.rows import LETTER, number, row_name, scrollable, short
from road.report.draw.svg import box, pixels, plot, text
from road.statistics import Estimate, Floats

ROW = 26.0
COLUMN = 66.0
"""Pixels that a column has at least."""
WIDEST_HEAD = 10
"""Letters that fit above a column; longer names are slanted, and columns may be narrower."""
NARROW = 48.0
SLANT = math.radians(40)
"""The angle of the style sheet."""
STRONGEST = 0.45
"""Opacity of the strongest colour: ink must stay readable on it, in light and in dark."""


def score_matrix(tasks: Sequence[str], methods: Sequence[str], means: Floats) -> Markup:
    """A table of colours, with space for its names."""
    return with_heads(score_plot(tasks, methods, means), tasks, methods)


def score_plot(tasks: Sequence[str], methods: Sequence[str], means: Floats) -> Markup:
    """From ``means[task, method]``. Colour compares within a row: its best is strongest."""
    columns, height = max(len(methods), 1), ROW * max(len(tasks), 1)
    cells = [
        mark
        for row, task in enumerate(tasks)
        for column, method in enumerate(methods)
        for mark in score_cell(row, column, columns, means[row], f"{task}, {method}")
    ]
    return plot(
        height,
        *heads(methods),
        *(row_name(ROW * (row + 0.5), task) for row, task in enumerate(tasks)),
        *cells,
        label=f"Mean scores of {len(methods)} methods on {len(tasks)} tasks; best: "
        + "; ".join(
            f"{task} {best_of(methods, row)}" for task, row in zip(tasks, means, strict=True)
        ),
    )


def score_cell(row: int, column: int, columns: int, means: Floats, named: str) -> list[Markup]:
    value = float(means[column])
    if not np.isfinite(value):
        return [number((column + 0.5) / columns, ROW * (row + 0.5), UNKNOWN)]
    low, high = float(np.nanmin(means)), float(np.nanmax(means))
    share = (value - low) / (high - low) if high > low else 1.0
    shown = signed(f"{value:.1f}")
    return cell(row, column, columns, f"fill:var(--score);fill-opacity:{STRONGEST * share:.3f}",
                shown, f"{named}: {shown}")  # fmt: skip


def cell(row: int, column: int, columns: int, style: str, content: str, hover: str) -> list[Markup]:
    place = (column / columns, ROW * row + 1, 1 / columns, ROW - 2)
    return [
        box(*place, "ground", style),
        number((column + 0.5) / columns, ROW * (row + 0.5), content),
        # Above the number, so that it does not keep the pointer from the hover text.
        box(*place, "strip", hover=hover),
    ]


def heads(methods: Sequence[str]) -> list[Markup]:
    columns = max(len(methods), 1)
    look = "tick slanted" if longest_head(methods) > WIDEST_HEAD else "tick middle"
    return [
        text((column + 0.5) / columns, -10.0, short(name), look)
        for column, name in enumerate(methods)
    ]


def longest_head(methods: Sequence[str]) -> int:
    return max((len(short(name)) for name in methods), default=0)


def with_heads(drawn: Markup, rows: Sequence[str], methods: Sequence[str]) -> Markup:
    """Names are above a matrix, and nothing is below it."""
    column, top, right = space_for_heads(methods)
    style = f"padding-top:{pixels(top)}px;padding-right:{pixels(right)}px;margin-bottom:-36px"
    return scrollable(drawn, rows, column * max(len(methods), 1) + right, style)


def space_for_heads(methods: Sequence[str]) -> tuple[float, float, float]:
    """Pixels that a column takes at least, and those above and to the right for its name."""
    longest = longest_head(methods)
    if longest <= WIDEST_HEAD:
        return COLUMN, 14.0, 0.0
    right = max(LETTER * longest * math.cos(SLANT) - NARROW / 2, 0.0)
    return NARROW, 14.0 + LETTER * longest * math.sin(SLANT), right


def best_of(methods: Sequence[str], means: Floats) -> str:
    return methods[int(np.nanargmax(means))] if np.isfinite(means).any() else "none"


def improvement_matrix(methods: Sequence[str], probability: Estimate) -> Markup:
    """Row against column, ``[method, method]``; a star where the interval leaves 0.5 out."""
    count = max(len(methods), 1)
    cells = [
        mark
        for row, first in enumerate(methods)
        for column, second in enumerate(methods)
        if row != column
        for mark in improvement_cell(
            row, column, count, probability[row, column], f"P({first} > {second})"
        )
    ]
    drawn = plot(
        ROW * count,
        *heads(methods),
        *(row_name(ROW * (row + 0.5), name) for row, name in enumerate(methods)),
        *cells,
        label=f"How likely a run of one of {len(methods)} methods beats a run of another",
    )
    return with_heads(drawn, methods, methods)


def improvement_cell(
    row: int, column: int, count: int, estimate: Estimate, named: str
) -> list[Markup]:
    point, low, high = (float(part) for part in (estimate.point, estimate.low, estimate.high))
    colour = "score" if point >= 0.5 else "dip"
    strength = STRONGEST * min(2 * abs(point - 0.5), 1.0)
    star = "*" if low > 0.5 or high < 0.5 else ""
    return cell(
        row, column, count, f"fill:var(--{colour});fill-opacity:{strength:.3f}",
        f"{point:.2f}{star}", f"{named} = {point:.2f} ({low:.2f} to {high:.2f})",
    )  # fmt: skip
