"""Learning curves of runs: one with its dip, or many side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from road.records.dip import with_crossings
from road.records.journal import Floats, Table
from road.records.reader import RunRecord
from road.records.summary import Summary, scored
from road.report.draw import format
from road.report.draw.axes import Scale, Timeline, fit_scale, y_axis
from road.report.draw.curves import HEIGHT, score_plot
from road.report.draw.downsample import downsample, spread_evenly
from road.report.draw.markup import Markup
from road.report.draw.svg import area, dot, hover_strips, line, plot, stretch, text, vertical
from road.report.run.comparison import strategy_names

RATIO_HEIGHT = 150.0
MOST_RATIOS = 100
MOST_POINTS = 400
MOST_DOTS = 60


def timeline_of(*summaries: Summary) -> Timeline:
    """One axis for several runs: as long as the longest of them."""
    plans = [summary.progress for summary in summaries]
    offline = max(max(plan.offline_steps_planned, plan.offline_steps) for plan in plans)
    online = max(max(plan.online_steps_planned, plan.online_steps) for plan in plans)
    return Timeline(float(offline), float(online))


def learning_curve(run: RunRecord, summary: Summary) -> Markup:
    timeline = timeline_of(summary)
    curve = curve_of(run, timeline)
    scale = fit_scale(HEIGHT, curve.score - curve.error, curve.score + curve.error, zero=True)
    return score_plot(
        timeline,
        scale,
        *dip_layers(run, summary, timeline, scale),
        stretch(HEIGHT, line(curve.x, scale(curve.score), "curve")),
        *whiskers(curve, scale),
        *end_label(curve, scale),
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
    phases = {phase: few_rows(scored(run, phase)) for phase in ("offline", "online")}
    return Curve(
        np.concatenate([timeline.place(phase, rows["step"]) for phase, rows in phases.items()]),
        np.concatenate([rows["score"] for rows in phases.values()]),
        np.concatenate([standard_error(rows) for rows in phases.values()]),
        [
            f"{phase} step {format.compact(step)}: score {format.score(score)}"
            for phase, rows in phases.items()
            for step, score in zip(rows["step"].tolist(), rows["score"].tolist(), strict=True)
        ],
    )


def few_rows(rows: Table) -> Table:
    kept = spread_evenly(rows.length, MOST_POINTS)
    return rows.where(np.isin(np.arange(rows.length), kept))


def standard_error(rows: Table) -> Floats:
    """Of each score, over its episodes; 0 where it is not known.

    Scores are an affine function of returns, so their spread is that of the returns in other units;
    the unit is read off two evaluations.
    """
    returns, scores = rows["return_mean"], rows["score"]
    known = np.isfinite(returns)
    if not known.any() or np.ptp(returns[known]) == 0.0:
        return np.zeros(rows.length)
    ends = [np.argmin(returns[known]), np.argmax(returns[known])]
    (low, high), (worst, best) = returns[known][ends], scores[known][ends]
    error = (
        (best - worst)
        / (high - low)
        * rows["return_std"]
        / np.sqrt(np.maximum(rows["episodes"], 1.0))
    )
    return np.where(np.isfinite(error), np.abs(error), 0.0)


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
    named = f"pretrained {format.score(summary.pretrained)}"
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


def end_label(curve: Curve, scale: Scale) -> list[Markup]:
    if not curve.x.size:
        return [text(0.5, HEIGHT / 2, "no evaluation yet", "note middle")]
    x, score = float(curve.x[-1]), float(curve.score[-1])
    return [text(x, scale.at(score), format.score(score), "value", shift=9.0)]


def comparison_curves(
    runs: Sequence[RunRecord], summaries: Sequence[Summary], colours: dict[str, str]
) -> Markup:
    """All runs of one task; strategies with several seeds also get their mean."""
    timeline = timeline_of(*summaries)
    curves = [curve_of(run, timeline) for run in runs]
    scale = fit_scale(HEIGHT, *(curve.score for curve in curves), zero=True)
    names = strategy_names(summaries)
    thin = [
        line(
            curve.x,
            scale(curve.score),
            "seed" if names.count(name) > 1 else "curve",
            colours[name],
        )
        for curve, name in zip(curves, names, strict=True)
    ]
    thick = [
        line(x, scale(score), "curve", colours[name])
        for name in dict.fromkeys(names)
        if names.count(name) > 1
        for x, score in mean_curve(
            [curve for curve, other in zip(curves, names, strict=True) if other == name]
        )
    ]
    return score_plot(
        timeline,
        scale,
        stretch(HEIGHT, *thin, *thick),
        label="Learning curves: "
        + "; ".join(f"{one.name} ended at {format.score(one.final)}" for one in summaries),
    )


def comparison_ratios(
    runs: Sequence[RunRecord], summaries: Sequence[Summary], colours: dict[str, str]
) -> Markup:
    """The offline share of what every run trained on, period by period."""
    timeline = Timeline(0.0, timeline_of(*summaries).online)
    scale = Scale(0.0, 1.0, RATIO_HEIGHT)
    lines: list[Markup] = []
    for run, name in zip(runs, strategy_names(summaries), strict=True):
        series = downsample(run.periods["step"], run.periods["realised_ratio"], MOST_RATIOS)
        x = timeline.place("online", series.x)
        lines.append(line(x, scale(series.mean), "trace", colours[name]))
    return plot(
        RATIO_HEIGHT,
        *y_axis(scale, 4),
        *timeline.axis(RATIO_HEIGHT),
        stretch(RATIO_HEIGHT, *lines),
        label="Realised offline ratio over time: "
        + "; ".join(
            f"{one.name} {format.share(one.mean_realised_ratio)} in the mean" for one in summaries
        ),
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
