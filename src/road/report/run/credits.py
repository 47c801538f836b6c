"""What the mixer received in each period: advantages, other measurements and the credit."""

import numpy as np

from road.records.credits import CreditWords, credit_words, reading_names
from road.records.journal import Floats
from road.records.naming import shorten
from road.records.reader import RunRecord
from road.report.draw.axes import Scale, Timeline, fit_scale, y_axis
from road.report.draw.document import figure, panel
from road.report.draw.downsample import Downsampled, downsample, moving_average
from road.report.draw.markup import Markup, tag
from road.report.draw.svg import area, dot, hover_strips, line, plot, stretch

ADVANTAGES = (
    ("offline_advantage", "offline", "Δ_off", "what the policy gains over the offline actions"),
    ("online_advantage", "online", "Δ_on", "what it gains over its own online actions"),
)
"""Column, colour, symbol and meaning of what R_q is made of."""
READINGS = {
    "offline_change": "by how much Δ_off moved during the period, on the same rows",
    "online_change": "by how much Δ_on moved during the period, on the same rows",
    "error_drop": "by how much the period before lowered the TD error on this one's rows",
    "mean_return": "of the episodes that ended in the period",
    "offline_cosine": "how far gradients on offline rows agree with those on fresh ones",
    "online_cosine": "how far gradients on online rows agree with those on fresh ones",
    "between_cosine": "how far gradients on offline and online rows agree",
}
"""Meaning of what else may be measured; one of another name is shown by its name."""
BESIDE = (
    "Each period and the moving average, by the agent's own critic; every panel has its own scale. "
    "They are measured for comparison with other mixers: this one follows its probes instead."
)
SIGNAL_HEIGHT = 120.0
MOST_POINTS = 150


def signal_figure(run: RunRecord, online: Timeline) -> Markup:
    words = credit_words(run)
    shown = [*ADVANTAGES, ("credit", "credit", words.symbol, words.meaning)]
    shown += [
        (column, "reading", name.replace("_", " "), READINGS.get(name, "as it was measured"))
        for column in reading_names(run)
        for name in [shorten(column.removeprefix("readings."), 60)]
    ]
    panels = [
        panel(
            [tag("b", symbol(name), class_=look), f" {meaning}"],
            signal_plot(run, online, column, look, name),
        )
        for column, look, name, meaning in shown
        if np.isfinite(run.periods[column]).any()
    ]
    if run.probes is not None:
        return figure("What the critic says", BESIDE, *panels, kind="signals")
    return figure("What the mixer received", signal_caption(words), *panels, kind="signals")


def signal_caption(words: CreditWords) -> Markup:
    gain, overestimate = (symbol(name) for _, _, name, _ in ADVANTAGES)
    credit = [
        "Each period and the moving average, by the agent's own critic; every panel has its own "
        "scale. For ROAD, ",
        *(symbol("R_q"), " = ", gain, " \u2212 κ ", overestimate, ". "),
        *([f"{words.sentence} "] if words.sentence else []),
        "A drift that all periods share is the agent learning and says nothing about the ratio.",
    ]
    return tag("span", *credit)


def symbol(name: str) -> Markup:
    letter, _, index = name.partition("_")
    return tag("span", letter, *([tag("sub", index)] if index else []))


def signal_plot(run: RunRecord, timeline: Timeline, column: str, look: str, name: str) -> Markup:
    """A number per period: dots while there are few, and its moving average."""
    series = downsample(run.periods["step"], run.periods[column], MOST_POINTS)
    scale = fit_scale(SIGNAL_HEIGHT, series.extent, zero=True)
    x = timeline.place("online", series.x)
    average = (
        moving_average(series.mean, min(len(x) // 8 + 2, 25) | 1) if len(x) > 2 else series.mean
    )
    last = column == "credit"
    axis = timeline.axis(SIGNAL_HEIGHT) if last else timeline.bare_axis(SIGNAL_HEIGHT, 5)
    return period_plot(series, x, scale, axis, average, look, name)


def realised_plot(run: RunRecord, timeline: Timeline) -> Markup:
    """The offline share of what was trained on, from none of it to all."""
    series = downsample(run.periods["step"], run.periods["realised_ratio"], MOST_POINTS)
    scale = Scale(0.0, 1.0, SIGNAL_HEIGHT)
    x = timeline.place("online", series.x)
    axis = timeline.axis(SIGNAL_HEIGHT)
    return period_plot(series, x, scale, axis, series.mean, "offline", "Realised offline ratio")


def period_plot(
    series: Downsampled, x: Floats, scale: Scale, axis: list[Markup], trace: Floats,
    look: str, name: str,
) -> Markup:  # fmt: skip
    first, last = format_value(series.mean[:1]), format_value(series.mean[-1:])
    return plot(
        SIGNAL_HEIGHT,
        *y_axis(scale, 4),
        *axis,
        *spread_of(series, x, scale, look),
        stretch(SIGNAL_HEIGHT, line(x, scale(trace), f"trace {look}")),
        *hover_strips(x, SIGNAL_HEIGHT, series.hovers(f"{name} by step")),
        label=f"{name} by period, from {first} to {last}",
    )


def spread_of(series: Downsampled, x: Floats, scale: Scale, look: str) -> list[Markup]:
    """Every period as a dot, or the extremes of those that were taken together."""
    if series.is_whole:
        return [
            dot(float(across), scale.at(float(value)), 2.5, f"sample {look}")
            for across, value in zip(x, series.mean, strict=True)
        ]
    band = area(x, scale(series.high), scale(series.low), f"band {look}")
    return [stretch(scale.height, band)]


def format_value(value: Floats) -> str:
    return f"{float(value[0]):.3g}" if value.size else "nothing yet"
