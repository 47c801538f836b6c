"""Shapes of a plot whose width is only known to the browser.

Heights and y are pixels; x is a fraction of the plot's width and is written in percent. So a plot
fills a phone or a screen, while text, dots and strokes keep their size. Percentages are not allowed
in paths: those go through ``stretch``, which has a coordinate system of its own.
"""

from collections.abc import Sequence

import numpy as np

from road.records.naming import shorten
from road.report.draw.downsample import spread_evenly
from road.report.draw.markup import Markup, tag
from road.statistics import Floats

PATH_WIDTH = 1000.0
"""Units of x in a stretched group."""


def plot(height: float, *layers: Markup, label: str) -> Markup:
    """A plot; axis labels are outside of its box, in the margin that the style sheet leaves."""
    return tag(
        "svg", *layers, class_="plot", width="100%", height=pixels(height),
        role="img", aria_label=shorten(label, 400),
    )  # fmt: skip


def stretch(height: float, *paths: Markup) -> Markup:
    return tag(
        "svg", *paths, class_="stretched", width="100%", height=pixels(height),
        viewBox=f"0 0 {PATH_WIDTH:g} {pixels(height)}", preserveAspectRatio="none",
    )  # fmt: skip


def line(x: Floats, y: Floats, look: str, colour: str | None = None) -> Markup:
    """A polyline, interrupted wherever a value is not known."""
    runs = unbroken_runs(np.isfinite(x) & np.isfinite(y))
    drawn = "".join("M" + points(x[run], y[run]) for run in runs)
    return tag("path", d=drawn, class_=look, style=colour and f"stroke:{colour}")


def area(x: Floats, upper: Floats, lower: Floats, look: str, colour: str | None = None) -> Markup:
    """What lies between two polylines over the same x."""
    runs = unbroken_runs(np.isfinite(x) & np.isfinite(upper) & np.isfinite(lower))
    drawn = "".join(
        f"M{points(x[run], upper[run])}L{points(x[run][::-1], lower[run][::-1])}Z" for run in runs
    )
    return tag("path", d=drawn, class_=look, style=colour and f"fill:{colour}")


def unbroken_runs(known: Sequence[bool] | np.ndarray) -> list[slice]:
    """The stretches of a mask that are true throughout."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(int)))
    return [
        slice(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)
    ]


def points(x: Floats, y: Floats) -> str:
    pairs = zip(x * PATH_WIDTH, y, strict=True)
    return "L".join(f"{pixels(float(across))} {pixels(float(down))}" for across, down in pairs)


def dot(x: float, y: float, radius: float, look: str, colour: str | None = None) -> Markup:
    style = colour and f"fill:{colour}"
    return tag("circle", cx=percent(x), cy=pixels(y), r=radius, class_=look, style=style)


def text(x: float, y: float, content: str, look: str, shift: float = 0.0) -> Markup:
    """Text at a point, moved right by ``shift`` pixels."""
    dx = pixels(shift) if shift else None
    return tag("text", content, x=percent(x), y=pixels(y), dx=dx, class_=look)


def horizontal(y: float, look: str, start: float = 0.0, end: float = 1.0) -> Markup:
    return tag("line", x1=percent(start), x2=percent(end), y1=pixels(y), y2=pixels(y), class_=look)


def vertical(x: float, top: float, bottom: float, look: str) -> Markup:
    return tag("line", x1=percent(x), x2=percent(x), y1=pixels(top), y2=pixels(bottom), class_=look)


def box(
    x: float, y: float, width: float, height: float, look: str, style: str | None = None,
    hover: str | None = None,
) -> Markup:  # fmt: skip
    inside = () if hover is None else (tag("title", hover),)
    return tag(
        "rect", *inside, x=percent(x), y=pixels(y), width=percent(width), height=pixels(height),
        class_=look, style=style,
    )  # fmt: skip


def hover_strips(
    x: Floats, height: float, hovers: Sequence[str], start: float = 0.0, end: float = 1.0,
    most: int = 40,
) -> list[Markup]:  # fmt: skip
    """Invisible columns between ``start`` and ``end`` whose hover text is their value."""
    if not x.size:
        return []
    kept = spread_evenly(len(x), most)
    middles = (x[kept][:-1] + x[kept][1:]) / 2
    edges = [start, *map(float, middles), end]
    return [
        box(left, 0.0, max(right - left, 0.0), height, "strip", hover=hovers[int(index)])
        for left, right, index in zip(edges[:-1], edges[1:], kept, strict=True)
    ]


def percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}".rstrip("0").rstrip(".") + "%"


def pixels(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
