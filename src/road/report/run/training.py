"""Losses, Q-values and training episodes as small multiples along the run's timeline."""

from collections.abc import Mapping

import numpy as np

from road.records.naming import shorten
from road.records.reader import RunRecord
from road.report.draw.axes import Timeline, fit_scale, y_axis
from road.report.draw.document import figure, panel
from road.report.draw.downsample import Downsampled, downsample
from road.report.draw.markup import Markup, tag
from road.report.draw.svg import area, hover_strips, line, plot, stretch

HEIGHT = 130.0
MOST_POINTS = 80
"""Per phase: more cannot be distinguished in a third of a page."""
MOST_EPISODE_POINTS = 30
LEAST_EPISODES = 5
"""Single episodes swing from failure to success; what matters is how often."""
MOST_HOVERS = 12
MOST_METRICS = 24


def training_figure(run: RunRecord, timeline: Timeline) -> Markup:
    panels = [
        panel([shorten(name, 60)], metric_plot(run, timeline, name)) for name in metric_names(run)
    ]
    if run.episodes.length:
        panels += [
            panel([name], episode_plot(run, timeline, column, name))
            for column, name in (("return", "training return"), ("length", "episode length"))
        ]
    caption = (
        "Offline in blue, online in orange, each panel on its own scale; pale bands are the "
        "extremes where points were taken together. A Q-value (critic/mean) that keeps growing "
        "while the score does not is over-estimation."
    )
    return figure("Training", caption, tag("div", panels, class_="multiples"), kind="training")


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
        phase: downsample(rows["step"], rows[name], MOST_POINTS) for phase, rows in phases.items()
    }
    return small_multiple(timeline, series, name)


def episode_plot(run: RunRecord, timeline: Timeline, column: str, name: str) -> Markup:
    most = min(MOST_EPISODE_POINTS, max(run.episodes.length // LEAST_EPISODES, 1))
    means = downsample(run.episodes["step"], run.episodes[column], most)
    series = {"online": Downsampled(means.x, means.mean, means.mean, means.mean)}
    return small_multiple(Timeline(0.0, timeline.online), series, name)


def small_multiple(timeline: Timeline, series: Mapping[str, Downsampled], name: str) -> Markup:
    scale = fit_scale(HEIGHT, *(one.extent for one in series.values()))
    drawn: list[Markup] = []
    hovering: list[Markup] = []
    for phase, one in series.items():
        x = timeline.place(phase, one.x)
        if not one.is_whole:
            drawn.append(area(x, scale(one.high), scale(one.low), f"band {phase}"))
        drawn.append(line(x, scale(one.mean), f"trace {phase}"))
        start, end = timeline.part(phase)
        hovering += hover_strips(x, HEIGHT, one.hovers(f"{phase} step"), start, end, MOST_HOVERS)
    return plot(
        HEIGHT,
        *y_axis(scale, 4),
        *timeline.bare_axis(HEIGHT),
        stretch(HEIGHT, *drawn),
        *hovering,
        label=f"{name} over the run",
    )
