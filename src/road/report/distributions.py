"""How numbers are spread: histograms, and the range of every column."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from road.report.axes import Scale, fitted, ticks, y_axis
from road.report.markup import Markup
from road.report.svg import box, dot, plot, text, vertical
from road.report.thin import spread_evenly
from road.report.writing import compact

HEIGHT = 150.0
GAP = 0.1
"""Share of a bar that is left free beside it."""
MOST_COLUMNS = 120
MOST_LABELS = 12


def histogram(described: Mapping[str, Any], name: str) -> Markup:
    """Bars of equal width; pointing at one tells its numbers."""
    drawn = described["histogram"]
    counts = np.asarray(drawn["counts"], np.float64)
    edges = np.linspace(drawn["low"], drawn["high"], len(counts) + 1)
    scale = fitted(HEIGHT, counts, zero=True)
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
    scale = fitted(HEIGHT, table[:, 0], table[:, 2])
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
