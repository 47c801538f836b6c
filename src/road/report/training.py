"""Losses, Q-values and training episodes as small multiples along the run's timeline."""

from collections.abc import Mapping

import numpy as np

from road.report.axes import Timeline, fitted, y_axis
from road.report.load import RunRecord
from road.report.markup import Markup
from road.report.svg import area, hover_strips, line, plot, stretched
from road.report.thin import Thinned, thinned

HEIGHT = 130.0
MOST_POINTS = 80
"""Per phase: more cannot be told apart in a third of a page."""
MOST_EPISODE_POINTS = 30
LEAST_EPISODES = 5
"""Single episodes swing from failure to success; what matters is how often."""
MOST_HOVERS = 12
MOST_METRICS = 24


def metric_names(run: RunRecord) -> list[str]:
    known = [
        name
        for name, column in run.metrics.columns.items()
        if name not in {"phase", "step"} and np.isfinite(column).any()
    ]
    return sorted(known)[:MOST_METRICS]


def metric_plot(run: RunRecord, timeline: Timeline, name: str) -> Markup:
    phases = {phase: run.metrics.in_phase(phase) for phase in ("offline", "online")}
    series = {
        phase: thinned(rows["step"], rows[name], MOST_POINTS) for phase, rows in phases.items()
    }
    return small_multiple(timeline, series, name)


def episode_plot(run: RunRecord, timeline: Timeline, column: str, name: str) -> Markup:
    most = min(MOST_EPISODE_POINTS, max(run.episodes.length // LEAST_EPISODES, 1))
    means = thinned(run.episodes["step"], run.episodes[column], most)
    series = {"online": Thinned(means.x, means.mean, means.mean, means.mean)}
    return small_multiple(Timeline(0.0, timeline.online), series, name)


def small_multiple(timeline: Timeline, series: Mapping[str, Thinned], name: str) -> Markup:
    scale = fitted(HEIGHT, *(one.extent for one in series.values()))
    drawn: list[Markup] = []
    hovering: list[Markup] = []
    for phase, one in series.items():
        x = timeline.place(phase, one.x)
        if not one.is_whole:
            drawn.append(area(x, scale(one.high), scale(one.low), f"band {phase}"))
        drawn.append(line(x, scale(one.mean), f"trace {phase}"))
        start, end = timeline.part(phase)
        hovering += hover_strips(x, HEIGHT, hovers(phase, one), start, end, MOST_HOVERS)
    return plot(
        HEIGHT,
        *y_axis(scale, 4),
        *timeline.bare_axis(HEIGHT),
        stretched(HEIGHT, *drawn),
        *hovering,
        label=f"{name} over the run",
    )


def hovers(phase: str, one: Thinned) -> list[str]:
    pairs = zip(one.x, one.mean, strict=True)
    return [f"{phase} step {step:,.0f}: {value:.4g}" for step, value in pairs]
