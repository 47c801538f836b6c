"""Performance profiles: which share of a method's runs ends above each score."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from road.report.axes import Scale, y_axis
from road.report.grid_layout import Across
from road.report.journal import Floats
from road.report.markup import Markup, tag
from road.report.svg import area, hover_strips, line, plot, stretched, text
from road.report.writing import compact

HEIGHT = 280.0


def profiles_plot(
    methods: Sequence[str],
    thresholds: Floats,
    shares: tuple[Floats, Floats, Floats],
    colours: Mapping[str, str],
    strokes: Mapping[str, str],
    banded: Collection[str],
) -> Markup:
    """From shares ``[threshold, method]``: their values, and both ends of their bands.

    ``banded`` names the methods whose bands are drawn: those of many would hide each other.
    """
    scale, across = Scale(0.0, 1.0, HEIGHT), Across(float(thresholds[0]), float(thresholds[-1]))
    x = (thresholds - across.low) / (across.high - across.low)
    point, low, high = shares
    bands = [
        area(x, scale(high[:, column]), scale(low[:, column]), "band", colours[name])
        for column, name in enumerate(methods)
        if name in banded
    ]
    lines = [
        line(x, scale(point[:, column]), f"curve {strokes[name]}".strip(), colours[name])
        for column, name in enumerate(methods)
    ]
    drawn = plot(
        HEIGHT,
        *y_axis(scale, 5),
        text(0.0, -16.0, "share of runs", "axis", shift=-32.0),
        *across.axis(HEIGHT, "score"),
        stretched(HEIGHT, *bands, *lines),
        *hover_strips(
            x, HEIGHT, [told(methods, at, row) for at, row in zip(thresholds, point, strict=True)]
        ),
        label="Share of runs above each score; at the middle: "
        + told(methods, float(thresholds[len(thresholds) // 2]), point[len(thresholds) // 2]),
    )
    return tag("div", drawn, style="padding-top:16px")


def told(methods: Sequence[str], threshold: float, shares: Floats) -> str:
    order = np.argsort(-shares, kind="stable")
    ranked = ", ".join(f"{methods[index]} {shares[index]:.0%}" for index in order)
    return f"above {compact(threshold)}: {ranked}"
