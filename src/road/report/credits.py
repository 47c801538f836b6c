"""What the bandit was told, and what it made of it: advantages, credits and arms."""

import numpy as np

from road.report.axes import Scale, Timeline, fitted, y_axis
from road.report.heard import heard
from road.report.journal import Floats
from road.report.load import Arms, RunRecord
from road.report.markup import Markup
from road.report.palette import arm_colour
from road.report.svg import (
    area,
    box,
    dot,
    horizontal,
    hover_strips,
    line,
    plot,
    stretched,
    text,
    vertical,
)
from road.report.thin import Thinned, smoothed, spread_evenly, thinned

SIGNAL_HEIGHT = 120.0
STRIP_HEIGHT = 240.0
SMALL_HEIGHT = 150.0
MOST_POINTS = 150
MOST_STRIP_DOTS = 600
MOST_LONG_NAMES = 6


def signal_plot(run: RunRecord, timeline: Timeline, column: str, look: str, name: str) -> Markup:
    """A number per period: dots while they can be told apart, and its moving average."""
    series = thinned(run.periods["step"], run.periods[column], MOST_POINTS)
    scale = fitted(SIGNAL_HEIGHT, series.extent, zero=True)
    x = timeline.place("online", series.x)
    average = smoothed(series.mean, min(len(x) // 8 + 2, 25) | 1) if len(x) > 2 else series.mean
    last = column == "credit"
    axis = timeline.axis(SIGNAL_HEIGHT) if last else timeline.bare_axis(SIGNAL_HEIGHT, 5)
    return plot(
        SIGNAL_HEIGHT,
        *y_axis(scale, 4),
        *axis,
        *spread_of(series, x, scale, look),
        stretched(SIGNAL_HEIGHT, line(x, scale(average), f"trace {look}")),
        *hover_strips(x, SIGNAL_HEIGHT, hovers(name, series.x, series.mean)),
        label=f"{name} by period, from {written(series.mean[:1])} to {written(series.mean[-1:])}",
    )


def realised_plot(run: RunRecord, timeline: Timeline) -> Markup:
    """The offline share of what was trained on, from none of it to all."""
    series = thinned(run.periods["step"], run.periods["realised_ratio"], MOST_POINTS)
    scale = Scale(0.0, 1.0, SIGNAL_HEIGHT)
    x = timeline.place("online", series.x)
    return plot(
        SIGNAL_HEIGHT,
        *y_axis(scale, 4),
        *timeline.axis(SIGNAL_HEIGHT),
        *spread_of(series, x, scale, "offline"),
        stretched(SIGNAL_HEIGHT, line(x, scale(series.mean), "trace offline")),
        *hover_strips(x, SIGNAL_HEIGHT, hovers("realised ratio", series.x, series.mean)),
        label="Realised offline ratio by period, from "
        f"{written(series.mean[:1])} to {written(series.mean[-1:])}",
    )


def spread_of(series: Thinned, x: Floats, scale: Scale, look: str) -> list[Markup]:
    """Every period as a dot, or the extremes of those that were taken together."""
    if series.is_whole:
        return [
            dot(float(across), scale.at(float(value)), 2.5, f"sample {look}")
            for across, value in zip(x, series.mean, strict=True)
        ]
    band = area(x, scale(series.high), scale(series.low), f"band {look}")
    return [stretched(scale.height, band)]


def hovers(name: str, steps: Floats, values: Floats) -> list[str]:
    pairs = zip(steps, values, strict=True)
    return [f"{name} by step {step:,.0f}: {value:.4g}" for step, value in pairs]


def written(value: Floats) -> str:
    return f"{float(value[0]):.3g}" if value.size else "nothing yet"


def strip_plot(run: RunRecord) -> Markup:
    """Credits by ratio: a column each, time running to the right inside every column."""
    ratio, credit = heard(run.periods)
    distinct, column = np.unique(ratio, return_inverse=True)
    time = np.arange(len(ratio)) / max(len(ratio) - 1, 1)
    x = (column + 0.1 + 0.8 * time) / len(distinct)
    scale = fitted(STRIP_HEIGHT, credit)
    y = scale(credit)
    dots = [
        dot(float(x[i]), float(y[i]), 3.0, "credit-dot", arm_colour(int(column[i]), len(distinct)))
        for i in spread_evenly(len(x), MOST_STRIP_DOTS)
    ]
    means = [float(credit[column == rank].mean()) for rank in range(len(distinct))]
    columns = [
        mark
        for rank, mean in enumerate(means)
        for mark in named_column(rank, distinct, mean, scale.at(mean))
    ]
    by_ratio = zip(distinct, means, strict=True)
    return plot(
        STRIP_HEIGHT,
        *y_axis(scale),
        *dots,
        *columns,
        label="Credits by ratio; mean credit "
        + ", ".join(f"{mean:.3g} at m = {ratio:g}" for ratio, mean in by_ratio),
    )


def named_column(rank: int, ratios: Floats, mean: float, y: float) -> list[Markup]:
    """A column's border, its mean credit and its name."""
    width = 1 / len(ratios)
    name = f"m = {ratios[rank]:g}"
    return [
        *([vertical(rank * width, 0.0, STRIP_HEIGHT, "grid")] if rank else []),
        horizontal(y, "mean", (rank + 0.06) * width, (rank + 0.94) * width),
        box(
            rank * width, 0.0, width, STRIP_HEIGHT, "strip", hover=f"{name}: mean credit {mean:.4g}"
        ),
        text(
            (rank + 0.5) * width,
            STRIP_HEIGHT + 18,
            name if len(ratios) <= MOST_LONG_NAMES else f"{ratios[rank]:g}",
            "tick middle",
        ),
    ]


def arms_plot(run: RunRecord, arms: Arms, values: Floats, timeline: Timeline, name: str) -> Markup:
    """One number of every arm at every choice."""
    # A choice is made where the period before it ended.
    steps = np.concatenate([[0.0], run.periods["step"][:-1]])
    series = [thinned(steps, values[:, arm], MOST_POINTS) for arm in range(len(arms.ratios))]
    scale = fitted(SMALL_HEIGHT, *(one.mean for one in series), zero=name == "pulls")
    lines = [
        line(*stairs(timeline.place("online", one.x), scale(one.mean)), "trace", colour)
        for rank, one in enumerate(series)
        for colour in [arm_colour(rank, len(series))]
    ]
    by_ratio = zip(series, arms.ratios, strict=True)
    last = ", ".join(f"{written(one.mean[-1:])} at m = {ratio:g}" for one, ratio in by_ratio)
    return plot(
        SMALL_HEIGHT,
        *y_axis(scale, 4),
        *timeline.bare_axis(SMALL_HEIGHT),
        stretched(SMALL_HEIGHT, *lines),
        label=f"{name} of each arm; in the end {last}",
    )


def stairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A polyline that keeps each value until the next."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
