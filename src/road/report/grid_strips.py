"""Rows of methods against one axis: regret as bars with intervals, dips as a dot per run."""

from collections.abc import Sequence

import numpy as np

from road.report.grid_layout import Across, fitted_across, row_name, wide
from road.report.journal import Floats
from road.report.layout import colour_chips
from road.report.markup import Markup, tag
from road.report.svg import box, dot, horizontal, plot, vertical
from road.report.writing import score, signed

ROW = 34.0
BAR = 9.0
MOST_DOTS = 400
"""Of one row; more would be a smear, and a large page."""

Interval = tuple[Floats, Floats, Floats]
"""A value for each method, and the lower and upper end of its interval."""

HINDSIGHT, HELD_OUT = (
    f"color-mix(in srgb, var(--ink) {share}%, var(--surface))" for share in (60, 22)
)
"""Dark and light, and no colour: those are of methods."""
REGRET_COLOURS = {"chosen in hindsight": HINDSIGHT, "chosen on other seeds": HELD_OUT}
"""The best fixed ratio, by how it was chosen."""


def regret_bars(methods: Sequence[str], hindsight: Interval, held_out: Interval) -> Markup:
    """A pair of bars per method, with a key."""
    drawn = regret_plot(methods, hindsight, held_out)
    return tag("div", colour_chips(REGRET_COLOURS), wide(drawn, methods, 240.0))


def regret_plot(methods: Sequence[str], hindsight: Interval, held_out: Interval) -> Markup:
    """Left of zero a method beats the best fixed ratio."""
    across = fitted_across(*hindsight, *held_out)
    height = ROW * max(len(methods), 1)
    bars = [
        mark
        for row, name in enumerate(methods)
        for mark in (
            row_name(ROW * (row + 0.5), name),
            *bar(across, ROW * row + 6, each(hindsight, row), HINDSIGHT, f"{name}, in hindsight"),
            *bar(across, ROW * row + 18, each(held_out, row), HELD_OUT, f"{name}, held out"),
        )
    ]
    return plot(
        height,
        *across.axis(height, "regret against the best fixed ratio, in points of score"),
        *bars,
        label="Regret in hindsight: "
        + ", ".join(
            f"{name} {value:.1f}" for name, value in zip(methods, hindsight[0], strict=True)
        ),
    )


def each(interval: Interval, row: int) -> tuple[float, float, float]:
    point, low, high = (float(part[row]) for part in interval)
    return point, low, high


def bar(
    across: Across, top: float, estimate: tuple[float, float, float], colour: str, named: str
) -> list[Markup]:
    point, low, high = estimate
    start, end = sorted((across.at(0.0), across.at(point)))
    hover = signed(f"{named}: {point:.2f} ({low:.2f} to {high:.2f})")
    middle = top + BAR / 2
    return [
        box(start, top, end - start, BAR, "bar", f"fill:{colour};fill-opacity:1", hover),
        horizontal(middle, "mean", across.at(low), across.at(high)),
        vertical(across.at(low), middle - 3, middle + 3, "mean"),
        vertical(across.at(high), middle - 3, middle + 3, "mean"),
    ]


def dip_strip(methods: Sequence[str], depths: Sequence[Floats], colours: Sequence[str]) -> Markup:
    """From how deep each run fell below its pretrained score; a bar marks the mean of a method."""
    across = fitted_across(*depths)
    height = ROW * max(len(methods), 1)
    rows = [
        mark
        for row, (name, values, colour) in enumerate(zip(methods, depths, colours, strict=True))
        for mark in (row_name(ROW * (row + 0.5), name), *dots(across, row, values, colour))
    ]
    drawn = plot(
        height,
        *across.axis(height, "depth of the dip after the switch, in points of score"),
        *rows,
        label="Mean depth of the dip: "
        + ", ".join(
            f"{name} {score(float(found.mean()) if (found := known_of(values)).size else None)}"
            for name, values in zip(methods, depths, strict=True)
        ),
    )
    return wide(drawn, methods, 240.0)


def known_of(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def dots(across: Across, row: int, values: Floats, colour: str) -> list[Markup]:
    known = known_of(values)
    if not known.size:
        return []
    top = ROW * row
    # Seeds of one depth would hide each other: neighbours stand at different heights.
    heights = top + ROW / 2 + 7.0 * (np.arange(len(known)) % 3 - 1)
    mean = across.at(float(known.mean()))
    return [
        *(
            dot(across.at(value), y, 3.2, "credit-dot", colour)
            for value, y in zip(known.tolist()[:MOST_DOTS], heights.tolist(), strict=False)
        ),
        vertical(mean, top + 4, top + ROW - 4, "mean"),
    ]
