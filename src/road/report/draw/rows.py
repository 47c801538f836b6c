"""Plots with a row per method: their names, regret as bars, dips as a dot per run."""

from collections.abc import Sequence

import numpy as np

from road.records.naming import shorten
from road.report.draw.axes import Across, fit_across
from road.report.draw.document import colour_chips
from road.report.draw.format import score, signed
from road.report.draw.markup import Markup, tag
from road.report.draw.svg import box, dot, horizontal, percent, pixels, plot, text, vertical
from road.statistics import Estimate, Floats

LETTER = 7.2
"""Pixels that a letter of a label takes, at most."""
MARGIN = 36.0
"""Pixels that every plot leaves at its left, on the smallest screen."""
LONGEST_NAME = 40
"""Letters; labels differ at their ends."""
ROW = 34.0
BAR = 9.0
MOST_DOTS = 400
"""Of one row; more would overlap and make a large page."""
HINDSIGHT, HELD_OUT = (
    f"color-mix(in srgb, var(--ink) {share}%, var(--surface))" for share in (60, 22)
)
"""Dark and light, and no colour: those are of methods."""
REGRET_COLOURS = {"chosen in hindsight": HINDSIGHT, "chosen on other seeds": HELD_OUT}
"""The best fixed ratio, by how it was chosen."""


def scrollable(drawn: Markup, names: Sequence[str], minimum: float, style: str = "") -> Markup:
    """A plot with long names at its left; on a narrow screen it scrolls by itself."""
    longest = max((len(short(name)) for name in names), default=0)
    space = max(0.0, LETTER * longest + 12 - MARGIN)
    size = f"min-width:{pixels(minimum + space)}px;padding-left:{pixels(space)}px;"
    return tag("div", tag("div", drawn, style=size + style), class_="scroll", tabindex="0")


def short(name: str) -> str:
    return shorten(name, LONGEST_NAME)


def row_name(y: float, name: str) -> Markup:
    return text(0.0, y, short(name), "tick before", shift=-8.0)


def number(x: float, y: float, content: str, look: str = "middle") -> Markup:
    """A number on a coloured ground, in the colour of ink."""
    return tag("text", content, x=percent(x), y=pixels(y), class_=look, style="fill:var(--ink)")


def regret_bars(methods: Sequence[str], hindsight: Estimate, held_out: Estimate) -> Markup:
    """A pair of bars per method, with a key."""
    drawn = regret_plot(methods, hindsight, held_out)
    return tag("div", colour_chips(REGRET_COLOURS), scrollable(drawn, methods, 240.0))


def regret_plot(methods: Sequence[str], hindsight: Estimate, held_out: Estimate) -> Markup:
    """Left of zero a method beats the best fixed ratio."""
    both = (hindsight, held_out)
    across = fit_across(*(part for one in both for part in (one.point, one.low, one.high)))
    height = ROW * max(len(methods), 1)
    bars = [
        mark
        for row, name in enumerate(methods)
        for mark in (
            row_name(ROW * (row + 0.5), name),
            *bar(across, ROW * row + 6, hindsight[row], HINDSIGHT, f"{name}, in hindsight"),
            *bar(across, ROW * row + 18, held_out[row], HELD_OUT, f"{name}, held out"),
        )
    ]
    values = zip(methods, hindsight.point, strict=True)
    return plot(
        height,
        *across.axis(height, "regret against the best fixed ratio, in points of score"),
        *bars,
        label="Regret in hindsight: " + ", ".join(f"{name} {value:.1f}" for name, value in values),
    )


def bar(across: Across, top: float, estimate: Estimate, colour: str, named: str) -> list[Markup]:
    point, low, high = (float(part) for part in (estimate.point, estimate.low, estimate.high))
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
    across = fit_across(*depths)
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
    return scrollable(drawn, methods, 240.0)


def known_of(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def dots(across: Across, row: int, values: Floats, colour: str) -> list[Markup]:
    known = known_of(values)
    if not known.size:
        return []
    top = ROW * row
    # Seeds of one depth would hide each other: neighbours are drawn at different heights.
    heights = top + ROW / 2 + 7.0 * (np.arange(len(known)) % 3 - 1)
    mean = across.at(float(known.mean()))
    return [
        *(
            dot(across.at(value), y, 3.2, "credit-dot", colour)
            for value, y in zip(known.tolist()[:MOST_DOTS], heights.tolist(), strict=False)
        ),
        vertical(mean, top + 4, top + ROW - 4, "mean"),
    ]
