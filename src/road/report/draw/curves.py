"""Learning curves of several methods: a mean with its band, and every seed as a thin line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from road.report.draw.axes import Scale, Timeline, fit_scale, y_axis
from road.report.draw.document import panel
from road.report.draw.downsample import spread_evenly
from road.report.draw.format import compact, score
from road.report.draw.markup import Markup, tag
from road.report.draw.svg import area, box, hover_strips, line, plot, stretch, text
from road.statistics import Floats

HEIGHT = 300.0
SMALL = 150.0
MOST_POINTS, FEW_POINTS, LEAST_POINTS, FEW_HOVERS = 200, 60, 30, 20
"""Of a curve in a large plot, in a small one, behind another, and of those with a hover text."""
BEHIND = "color-mix(in srgb, var(--soft) 55%, var(--surface))"
"""The colour of what is only there to be compared with."""


def phase_ground(timeline: Timeline, height: float) -> list[Markup]:
    if timeline.switch is None:
        return []
    return [box(0.0, 0.0, timeline.switch, height, "offline-ground")]


def phase_names(timeline: Timeline) -> list[Markup]:
    if timeline.switch is None:
        return []
    return [
        text(0.0, 16.0, "offline", "phase", shift=8.0),
        text(timeline.switch, 16.0, "online", "phase", shift=8.0),
    ]


@dataclass(frozen=True)
class MethodCurves:
    """The evaluations of one method on one task: its seeds, their mean, and a band around it."""

    name: str
    steps: Floats
    """Environment steps since the switch."""
    seeds: Floats
    """``[seed, step]``."""
    low: Floats
    high: Floats

    @property
    def mean(self) -> Floats:
        return self.seeds.mean(axis=0)


@dataclass(frozen=True)
class Pretraining:
    """The evaluations before the switch, which all methods of a task share."""

    steps: Floats
    seeds: Floats


def score_plot(timeline: Timeline, scale: Scale, *layers: Markup, label: str) -> Markup:
    """Scores along a run, both of its phases named."""
    return plot(
        HEIGHT,
        *phase_ground(timeline, HEIGHT),
        *y_axis(scale, 6),
        text(0.0, -12.0, "score", "axis before", shift=-8.0),
        *timeline.axis(HEIGHT),
        *phase_names(timeline),
        *layers,
        label=label,
    )


def overlay_curves(
    curves: Sequence[MethodCurves],
    colours: Mapping[str, str],
    pretraining: Pretraining | None = None,
) -> Markup:
    """All methods in one plot: right for a handful of them."""
    curves = [few_points(one, MOST_POINTS) for one in curves]
    timeline, scale = shared_axes(curves, pretraining, HEIGHT)
    bands = [band(one, timeline, scale, colours[one.name]) for one in curves]
    seeds = [mark for one in curves for mark in seed_lines(one, timeline, scale, colours[one.name])]
    means = [mean_line(one, timeline, scale, colours[one.name]) for one in curves]
    before = pretraining_lines(pretraining, timeline, scale)
    layers, ends = stretch(HEIGHT, *bands, *before, *seeds, *means), "; ".join(map(ending, curves))
    return score_plot(timeline, scale, layers, label=f"Learning curves: {ends}")


def curve_panels(
    curves: Sequence[MethodCurves],
    colours: Mapping[str, str],
    pretraining: Pretraining | None = None,
) -> Markup:
    """A small plot per method, the means of all in grey behind it: right for many."""
    curves = [few_points(one, FEW_POINTS) for one in curves]
    timeline, scale = shared_axes(curves, pretraining, SMALL)
    behind = [
        *(
            mean_line(few_points(one, LEAST_POINTS), timeline, scale, BEHIND, "seed")
            for one in curves
        ),
        *pretraining_lines(pretraining, timeline, scale)[-1:],
    ]
    panels = [
        panel([ending(one)], one_panel(one, behind, colours[one.name], timeline, scale))
        for one in curves
    ]
    return tag("div", panels, class_="multiples")


def few_points(one: MethodCurves, most: int) -> MethodCurves:
    kept = spread_evenly(len(one.steps), most)
    return MethodCurves(
        one.name, one.steps[kept], one.seeds[:, kept], one.low[kept], one.high[kept]
    )


def one_panel(
    shown: MethodCurves,
    behind: Sequence[Markup],
    colour: str,
    timeline: Timeline,
    scale: Scale,
) -> Markup:
    x = timeline.place("online", shown.steps)
    hovers = [
        f"step {compact(step)}: {score(value)}"
        for step, value in zip(shown.steps.tolist(), shown.mean.tolist(), strict=True)
    ]
    return plot(
        scale.height,
        *phase_ground(timeline, scale.height),
        *y_axis(scale, 4),
        *timeline.bare_axis(scale.height),
        stretch(
            scale.height,
            *behind,
            band(shown, timeline, scale, colour),
            *seed_lines(shown, timeline, scale, colour),
            mean_line(shown, timeline, scale, colour),
        ),
        *hover_strips(x, scale.height, hovers, start=timeline.part("online")[0], most=FEW_HOVERS),
        label=f"Learning curve: {ending(shown)}",
    )


def shared_axes(
    curves: Sequence[MethodCurves], pretraining: Pretraining | None, height: float
) -> tuple[Timeline, Scale]:
    """One scale for all, so that heights can be compared from plot to plot."""
    before = pretraining.seeds if pretraining else np.zeros((0, 0))
    offline = float(pretraining.steps[-1]) if pretraining else 0.0
    online = max((float(one.steps[-1]) for one in curves if one.steps.size), default=1.0)
    values = [part.ravel() for one in curves for part in (one.seeds, one.low, one.high)]
    return Timeline(offline, online), fit_scale(height, *values, before.ravel(), zero=True)


def band(one: MethodCurves, timeline: Timeline, scale: Scale, colour: str) -> Markup:
    x = timeline.place("online", one.steps)
    return area(x, scale(one.high), scale(one.low), "band", colour)


def seed_lines(one: MethodCurves, timeline: Timeline, scale: Scale, colour: str) -> list[Markup]:
    x = timeline.place("online", one.steps)
    return [line(x, scale(seed), "seed", colour) for seed in one.seeds]


def mean_line(
    one: MethodCurves, timeline: Timeline, scale: Scale, colour: str, look: str = "curve"
) -> Markup:
    return line(timeline.place("online", one.steps), scale(one.mean), look, colour)


def pretraining_lines(
    pretraining: Pretraining | None, timeline: Timeline, scale: Scale
) -> list[Markup]:
    if pretraining is None:
        return []
    x = timeline.place("offline", pretraining.steps)
    seeds = [line(x, scale(seed), "seed", "var(--soft)") for seed in pretraining.seeds]
    return [*seeds, line(x, scale(pretraining.seeds.mean(axis=0)), "curve", "var(--soft)")]


def ending(one: MethodCurves) -> str:
    return f"{one.name}: {score(float(one.mean[-1]) if one.mean.size else None)}"
