"""How numbers are spread: histograms, ranges of columns, and performance profiles."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from road.report.draw.axes import Across, Scale, fit_scale, ticks, y_axis
from road.report.draw.downsample import spread_evenly
from road.report.draw.format import compact
from road.report.draw.markup import Markup, tag
from road.report.draw.svg import area, box, dot, hover_strips, line, plot, stretch, text, vertical
from road.statistics import Estimate, Floats

HEIGHT = 150.0
GAP = 0.1
"""Share of a bar that is left free beside it."""
MOST_COLUMNS = 120
MOST_LABELS = 12
PROFILE_HEIGHT = 280.0


def histogram(described: Mapping[str, Any], name: str) -> Markup:
    """Bars of equal width; the hover text of one has its numbers."""
    drawn = described["histogram"]
    counts = np.asarray(drawn["counts"], np.float64)
    edges = np.linspace(drawn["low"], drawn["high"], len(counts) + 1)
    scale = fit_scale(HEIGHT, counts, zero=True)
    width = 1.0 / len(counts)
    bars = [
        box(
            (index + GAP / 2) * width, scale.at(count), (1 - GAP) * width,
            HEIGHT - scale.at(count), "bar",
            hover=f"{compact(edges[index])} to {compact(edges[index + 1])}: {int(count):,}",
        )
        for index, count in enumerate(counts.tolist())
        if count
    ]  # fmt: skip
    label = f"{name}: from {compact(described['min'])} to {compact(described['max'])}, "
    return plot(
        HEIGHT,
        *y_axis(scale, 3),
        *bars,
        *value_axis(drawn["low"], drawn["high"]),
        label=label + f"median {compact(described['median'])}",
    )


def value_axis(low: float, high: float) -> list[Markup]:
    return [
        text((value - low) / (high - low), HEIGHT + 18, compact(value), "tick middle")
        for value in ticks(low, high, 4)
    ]


def column_ranges(columns: Sequence[Mapping[str, float]], name: str) -> Markup:
    """From least to greatest of every column, with its mean and one deviation either way."""
    kept = [int(index) for index in spread_evenly(len(columns), MOST_COLUMNS)]
    table = np.array([[columns[i][key] for key in ("min", "mean", "max", "std")] for i in kept])
    scale = fit_scale(HEIGHT, table[:, 0], table[:, 2])
    labelled = set(spread_evenly(len(kept), MOST_LABELS).tolist())
    marks: list[Markup] = []
    for at, (index, numbers) in enumerate(zip(kept, table.tolist(), strict=True)):
        x = (at + 0.5) / len(kept)
        marks += one_range(x, 0.5 / len(kept), numbers, scale, f"{name} {index}")
        if at in labelled:
            marks.append(text(x, HEIGHT + 18, str(index), "tick middle"))
    return plot(
        HEIGHT, *y_axis(scale, 4), *marks, label=f"Ranges of {len(columns)} columns: {name}"
    )


def one_range(
    x: float, width: float, numbers: list[float], scale: Scale, name: str
) -> list[Markup]:
    low, mean, high, std = numbers
    top, bottom = scale.at(min(mean + std, high)), scale.at(max(mean - std, low))
    hover = f"{name}: {compact(low)} to {compact(high)}, mean {compact(mean)}"
    return [
        vertical(x, scale.at(high), scale.at(low), "whisker"),
        box(x - width / 2, top, width, max(bottom - top, 1.0), "bar"),
        dot(x, scale.at(mean), 2.5, "evaluation"),
        box(x - width, 0.0, 2 * width, HEIGHT, "strip", hover=hover),
    ]


def profiles_plot(
    methods: Sequence[str],
    thresholds: Floats,
    shares: Estimate,
    colours: Mapping[str, str],
    strokes: Mapping[str, str],
    banded: Collection[str],
) -> Markup:
    """From shares ``[threshold, method]`` with their bands.

    ``banded`` names the methods whose bands are drawn: those of many would hide each other.
    """
    scale = Scale(0.0, 1.0, PROFILE_HEIGHT)
    across = Across(float(thresholds[0]), float(thresholds[-1]))
    x = (thresholds - across.low) / (across.high - across.low)
    middle = len(thresholds) // 2
    bands = [
        area(x, scale(shares.high[:, column]), scale(shares.low[:, column]), "band", colours[name])
        for column, name in enumerate(methods)
        if name in banded
    ]
    lines = [
        line(x, scale(shares.point[:, column]), f"curve {strokes[name]}".strip(), colours[name])
        for column, name in enumerate(methods)
    ]
    drawn = plot(
        PROFILE_HEIGHT,
        *y_axis(scale, 5),
        text(0.0, -16.0, "share of runs", "axis", shift=-32.0),
        *across.axis(PROFILE_HEIGHT, "score"),
        stretch(PROFILE_HEIGHT, *bands, *lines),
        *hover_strips(
            x,
            PROFILE_HEIGHT,
            [ranking(methods, at, row) for at, row in zip(thresholds, shares.point, strict=True)],
        ),
        label="Share of runs above each score; at the middle: "
        + ranking(methods, float(thresholds[middle]), shares.point[middle]),
    )
    return tag("div", drawn, style="padding-top:16px")


def ranking(methods: Sequence[str], threshold: float, shares: Floats) -> str:
    order = np.argsort(-shares, kind="stable")
    ranked = ", ".join(f"{methods[index]} {shares[index]:.0%}" for index in order)
    return f"above {compact(threshold)}: {ranked}"
