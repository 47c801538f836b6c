"""Learning curves of runs: one with its dip, or many side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from road.records.dip import with_crossings
from road.records.journal import Floats, Table
from road.records.reader import RunRecord
from road.records.scores import score_unit, scored, standard_errors
from road.records.summary import Summary
from road.report.draw import format
from road.report.draw.axes import Scale, Timeline, fit_scale, y_axis
from road.report.draw.curves import HEIGHT, score_plot
from road.report.draw.downsample import downsample, spread_evenly
from road.report.draw.markup import Markup
from road.report.draw.svg import area, dot, hover_strips, line, plot, stretch, text, vertical
from road.report.run.groups import Compared
from road.report.run.tiles import shown, start_word

RATIO_HEIGHT = 150.0
MOST_RATIOS = 100
MOST_POINTS = 400
MOST_DOTS = 60
MOST_BESIDE = 5
"""Characters of a score that fit beside the plot on a phone."""


def timeline_of(*summaries: Summary) -> Timeline:
    """One axis for several runs: as long as the longest of them."""
    plans = [summary.progress for summary in summaries]
    offline = max(max(plan.offline_steps_planned, plan.offline_steps) for plan in plans)
    online = max(max(plan.online_steps_planned, plan.online_steps) for plan in plans)
    return Timeline(float(offline), float(online))


def learning_curve(run: RunRecord, summary: Summary) -> Markup:
    timeline = timeline_of(summary)
    curve = curve_of(run, timeline)
    edges = curve.score - curve.error, curve.score + curve.error
    # A raw return has no scale on which 0 means something.
    scale = fit_scale(HEIGHT, *edges, zero=not summary.raw)
    return score_plot(
        timeline,
        scale,
        *dip_layers(run, summary, timeline, scale),
        stretch(HEIGHT, line(curve.x, scale(curve.score), "curve")),
        *whiskers(curve, scale),
        *end_label(curve, scale, summary),
        *hover_strips(curve.x, HEIGHT, curve.hovers),
        label=f"Learning curve. {summary.verdict}",
    )


@dataclass(frozen=True)
class Curve:
    """The evaluations of a run along its timeline."""

    x: Floats
    score: Floats
    error: Floats
    hovers: list[str]


def curve_of(run: RunRecord, timeline: Timeline) -> Curve:
    unit = score_unit(run)
    phases = {phase: few_rows(scored(run, phase)) for phase in ("offline", "online")}
    return Curve(
        np.concatenate([timeline.place(phase, rows["step"]) for phase, rows in phases.items()]),
        np.concatenate([rows["score"] for rows in phases.values()]),
        np.concatenate([standard_errors(rows, unit) for rows in phases.values()]),
        [
            f"{phase} step {format.compact(step)}: score {format.score(score, raw=run.raw)}"
            for phase, rows in phases.items()
            for step, score in zip(rows["step"].tolist(), rows["score"].tolist(), strict=True)
        ],
    )


def few_rows(rows: Table) -> Table:
    kept = spread_evenly(rows.length, MOST_POINTS)
    return rows.where(np.isin(np.arange(rows.length), kept))


def dip_layers(run: RunRecord, summary: Summary, timeline: Timeline, scale: Scale) -> list[Markup]:
    """The pretrained score, and the area by which the online phase is below it."""
    if summary.pretrained is None or summary.final is None:
        return []
    online = scored(run, "online")
    steps, shortfall = with_crossings(online["step"], summary.pretrained - online["score"])
    x = timeline.place("online", steps)
    below = scale(summary.pretrained - np.maximum(shortfall, 0.0))
    level = np.full_like(x, scale.at(summary.pretrained))
    start, end = timeline.part("online")
    reference = np.array([start, end]), np.full(2, scale.at(summary.pretrained))
    named = f"{start_word(summary)} {shown(summary, summary.pretrained)}"
    return [
        stretch(scale.height, area(x, level, below, "dip"), line(*reference, "reference")),
        text(end, scale.at(summary.pretrained) + 13, named, "reference-name end"),
    ]


def whiskers(curve: Curve, scale: Scale) -> list[Markup]:
    """A dot per evaluation, with one standard error either way, if they are few."""
    if len(curve.x) > MOST_DOTS:
        return []
    marks: list[Markup] = []
    for x, score, error in zip(curve.x, curve.score, curve.error, strict=True):
        if error > 0:
            marks.append(
                vertical(float(x), scale.at(score + error), scale.at(score - error), "whisker")
            )
        marks.append(dot(float(x), scale.at(float(score)), 3.5, "evaluation"))
    return marks


def end_label(curve: Curve, scale: Scale, summary: Summary) -> list[Markup]:
    if not curve.x.size:
        return [text(0.5, HEIGHT / 2, "no evaluation yet", "note middle")]
    x, y = float(curve.x[-1]), scale.at(float(curve.score[-1]))
    named = shown(summary, float(curve.score[-1]))
    if len(named) <= MOST_BESIDE:
        return [text(x, y, named, "value", shift=9.0)]
    above = y - 18.0 if y > 30.0 else y + 18.0
    return [text(1.0, above, named, "value end")]


def comparison_curves(compared: Sequence[Compared], colours: dict[str, str]) -> Markup:
    """All runs of one task; groups of several seeds also get their mean."""
    timeline = timeline_of(*(one.summary for one in compared))
    curves = [curve_of(one.run, timeline) for one in compared]
    zero = not any(one.summary.raw for one in compared)
    scale = fit_scale(HEIGHT, *(curve.score for curve in curves), zero=zero)
    labels = [one.label for one in compared]
    thin = [
        line(
            curve.x,
            scale(curve.score),
            "seed" if labels.count(label) > 1 else "curve",
            colours[label],
        )
        for curve, label in zip(curves, labels, strict=True)
    ]
    counted = {label: counted_curves(compared, curves, label) for label in dict.fromkeys(labels)}
    thick = [
        line(x, scale(score), "curve", colours[label])
        for label, seeds in counted.items()
        if labels.count(label) > 1 and seeds
        for x, score in mean_curve(seeds)
    ]
    ends = (
        f"{one.summary.name} ended at {shown(one.summary, one.summary.final)}" for one in compared
    )
    return score_plot(
        timeline,
        scale,
        stretch(HEIGHT, *thin, *thick),
        label="Learning curves: " + "; ".join(ends),
    )


def counted_curves(
    compared: Sequence[Compared], curves: Sequence[Curve], label: str
) -> list[Curve]:
    """The curves of a group that are averaged."""
    return [
        curve
        for curve, one in zip(curves, compared, strict=True)
        if one.label == label and not one.left_out
    ]


def comparison_ratios(compared: Sequence[Compared], colours: dict[str, str]) -> Markup:
    """The offline share of what every run trained on, period by period."""
    timeline = Timeline(0.0, timeline_of(*(one.summary for one in compared)).online)
    scale = Scale(0.0, 1.0, RATIO_HEIGHT)
    lines: list[Markup] = []
    for one in compared:
        periods = one.run.periods
        series = downsample(periods["step"], periods["realised_ratio"], MOST_RATIOS)
        x = timeline.place("online", series.x)
        lines.append(line(x, scale(series.mean), "trace", colours[one.label]))
    means = (
        f"{one.summary.name} {format.share(one.summary.mean_realised_ratio)} in the mean"
        for one in compared
    )
    return plot(
        RATIO_HEIGHT,
        *y_axis(scale, 4),
        *timeline.axis(RATIO_HEIGHT),
        stretch(RATIO_HEIGHT, *lines),
        label="Realised offline ratio over time: " + "; ".join(means),
    )


def mean_curve(curves: Sequence[Curve]) -> list[tuple[Floats, Floats]]:
    """The mean over seeds, where all of them have been evaluated; nothing if they never agree."""
    common = curves[0].x
    for curve in curves[1:]:
        common = np.intersect1d(common, curve.x)
    if common.size < 2:
        return []
    scores = [curve.score[np.isin(curve.x, common)] for curve in curves]
    equal = all(len(score) == len(common) for score in scores)
    return [(common, np.mean(scores, axis=0))] if equal else []
