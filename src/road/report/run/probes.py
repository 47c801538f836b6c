"""Errors of probe learners on fresh transitions, the weights they led to, and the ratio chosen."""

import numpy as np

from road.mixing.probe_errors import relative_logs
from road.mixing.support import Support, factor, interval
from road.records.journal import Floats
from road.records.probes import Probes
from road.records.reader import RunRecord
from road.records.verdict import capitalised
from road.report.draw import format
from road.report.draw.axes import Scale, Timeline, fit_scale, y_axis
from road.report.draw.document import colour_chips, figure, panel
from road.report.draw.downsample import downsample, spread_evenly
from road.report.draw.heatmap import MOST_ROWS
from road.report.draw.markup import Markup, tag
from road.report.draw.palette import arm_colour
from road.report.draw.svg import hover_strips, line, plot, stretch
from road.report.draw.tables import table
from road.report.run.credits import MOST_POINTS, SIGNAL_HEIGHT, format_value, realised_plot

HEIGHT = 220.0
JUDGES = {"bellman": "Bellman error", "return": "error of the return"}
READING = (
    "A line per probe, a learner that trains at a constant ratio. Its error is taken on every new "
    "transition before it trains on it; here the logarithm, relative to the mean over the probes: "
    "0.1 higher is an error a tenth larger. Thin lines are intervals, thick ones the discounted "
    "mean that the mixer follows. Lines at one height mean that the ratio makes no difference. The "
    "table has means over the last half, and errors as a multiple of those of the lowest ratio "
    "with 98 % intervals. Errors on the policy's own transitions lean towards online data: low "
    "ratios that lie lower by no more than the preference for offline data are no evidence against "
    "the logs."
)


def chosen_figure(run: RunRecord, online: Timeline) -> Markup:
    """In place of a row per ratio, of which there is none for a continuous one."""
    caption = (
        "The offline ratio m chosen for every interval: the mean of the probes' ratios, weighted "
        "by how small their errors were. It starts high where offline data is preferred, and "
        "settles as errors come in."
    )
    chosen = panel(
        [tag("b", "chosen"), " ratio of every interval"],
        ratio_plot(run.periods["step"], run.periods["offline_ratio"], online),
    )
    drawn = [chosen]
    if np.isfinite(run.periods["realised_ratio"]).any():
        title = [tag("b", "realised"), " share of the rows trained on that were offline"]
        drawn.append(panel(title, realised_plot(run, online)))
    return figure("Which mixing ratio, when", caption, *drawn, kind="chosen")


def ratio_plot(steps: Floats, ratios: Floats, timeline: Timeline) -> Markup:
    """A ratio holds from the end of the interval before to the end of its own."""
    series = downsample(steps, ratios, MOST_POINTS)
    x, scale = timeline.place("online", series.x), Scale(0.0, 1.0, SIGNAL_HEIGHT)
    began = np.concatenate([timeline.place("online", np.zeros(1)), x[:-1]])[: len(x)]
    across = np.stack([began, x], -1).reshape(-1)
    first, last = format_value(series.mean[:1]), format_value(series.mean[-1:])
    return plot(
        SIGNAL_HEIGHT,
        *y_axis(scale, 4),
        *timeline.axis(SIGNAL_HEIGHT),
        stretch(SIGNAL_HEIGHT, line(across, np.repeat(scale(series.mean), 2), "trace offline")),
        *hover_strips(x, SIGNAL_HEIGHT, series.hovers("Chosen offline ratio by step")),
        label=f"Offline ratio chosen for every interval, from {first} to {last}",
    )


def errors_figure(run: RunRecord, probes: Probes, judged: Support, online: Timeline) -> Markup:
    shown = few(probes)
    caption = tag(
        "span",
        tag("strong", f"{capitalised(judged.sentence)}. "),
        READING,
    )
    panels = [
        panel([tag("b", name), f" {heed(probes, judge)}"], errors_plot(run, probes, judge, online))
        for judge, name in JUDGES.items()
        if np.isfinite(probes.errors[judge]).any()
    ]
    if (weights := weights_of(run, probes)) is not None:
        title = [tag("b", "weight"), " of every ratio in the choice"]
        panels.append(panel(title, weights_plot(run, weights, shown, online)))
    return figure(
        "Log error by ratio over time", caption, ratio_key(probes, shown), *panels,
        comparison(run, probes, judged, shown), kind="probes",
    )  # fmt: skip


def heed(probes: Probes, judge: str) -> str:
    weight = probes.weights.get(judge)
    return f"followed with weight {weight:g}" if weight else "not followed, its weight is 0"


def ratio_key(probes: Probes, shown: list[int]) -> Markup:
    names = [f"m = {probes.ratios[index]:g}" for index in shown]
    return colour_chips({name: arm_colour(rank, len(shown)) for rank, name in enumerate(names)})


def few(probes: Probes) -> list[int]:
    """Which of them are drawn: no more than a reader can distinguish."""
    return spread_evenly(len(probes.ratios), MOST_ROWS).tolist()


def errors_plot(run: RunRecord, probes: Probes, judge: str, timeline: Timeline) -> Markup:
    """Every interval as a thin line, and what the mixer follows as a thick one."""
    shown = few(probes)
    errors = relative_logs(probes.errors[judge])
    followed = discounted_means(errors, probes.discount)
    steps = run.periods["step"]
    thin = [downsample(steps, errors[:, index], MOST_POINTS) for index in shown]
    thick = [downsample(steps, followed[:, index], MOST_POINTS) for index in shown]
    scale = fit_scale(HEIGHT, *(one.mean for one in thin), *(one.mean for one in thick), zero=True)
    looks = [("seed", thin), ("trace", thick)]
    lines = [
        line(timeline.place("online", one.x), scale(one.mean), look, arm_colour(rank, len(shown)))
        for look, series in looks
        for rank, one in enumerate(series)
    ]
    last = ", ".join(
        f"{format_value(one.mean[-1:])} at m = {probes.ratios[index]:g}"
        for one, index in zip(thick, shown, strict=True)
    )
    return plot(
        HEIGHT,
        *y_axis(scale, 5),
        *timeline.axis(HEIGHT),
        stretch(HEIGHT, *lines),
        label=f"{JUDGES[judge]} of every probe, as a relative logarithm; in the end {last}",
    )


def discounted_means(errors: Floats, discount: float) -> Floats:
    """After every interval; an interval without errors changes nothing."""
    total, count = np.zeros(errors.shape[1]), 0.0
    means: list[Floats] = []
    for row in errors:
        if np.isfinite(row).all():
            total, count = discount * total + row, discount * count + 1.0
        means.append(total / count if count else np.full(errors.shape[1], np.nan))
    return np.array(means)


def weights_of(run: RunRecord, probes: Probes) -> Floats | None:
    """Of every probe at every choice; None where the mixer did not record them."""
    arms = run.arms
    known = arms is not None and arms.ratios.tolist() == list(probes.ratios)
    return arms.counts if arms is not None and known else None


def weights_plot(run: RunRecord, weights: Floats, shown: list[int], timeline: Timeline) -> Markup:
    steps = np.concatenate([[0.0], run.periods["step"][:-1]])
    scale = Scale(0.0, 1.0, SIGNAL_HEIGHT)
    series = [downsample(steps, weights[:, index], MOST_POINTS) for index in shown]
    lines = [
        line(
            timeline.place("online", one.x), scale(one.mean), "trace", arm_colour(rank, len(shown))
        )
        for rank, one in enumerate(series)
    ]
    last = ", ".join(format_value(one.mean[-1:]) for one in series)
    return plot(
        SIGNAL_HEIGHT,
        *y_axis(scale, 4),
        *timeline.axis(SIGNAL_HEIGHT),
        stretch(SIGNAL_HEIGHT, *lines),
        label=f"Weight of every ratio at every choice, lowest ratio first; in the end {last}",
    )


def comparison(run: RunRecord, probes: Probes, judged: Support, shown: list[int]) -> Markup:
    """Every probe in the last half of the intervals, and against the lowest ratio's."""
    weights = weights_of(run, probes)
    late = {
        judge: np.array([mean_of(column) for column in relative_logs(errors).T])
        for judge, errors in probes.errors.items()
    }
    times = {
        each.ratio: f"{factor(each.mean)} ({interval(each)})" for each in judged.differences[1:]
    }
    head = [
        "In the last half",
        *(f"log {name}" for name in JUDGES.values()),
        f"times m = {min(probes.ratios):g}",
        "last weight",
    ]
    rows = [
        [
            f"m = {probes.ratios[index]:g}",
            *(format.plain(float(late[judge][index])) for judge in JUDGES),
            times.get(probes.ratios[index], "1" if judged.differences else format.UNKNOWN),
            format.UNKNOWN if weights is None else format.plain(float(weights[-1, index])),
        ]
        for index in shown
    ]
    return table(head, rows)


def mean_of(column: Floats) -> float:
    """Over the last half of the intervals that were judged."""
    known = column[np.isfinite(column)]
    late = known[len(known) // 2 :]
    return float(late.mean()) if late.size else float("nan")


def support_words(judged: Support) -> tuple[str, str]:
    """For a tile: the ratio, and what it says about the logs."""
    if judged.logs is None or judged.ratio is None:
        return format.UNKNOWN, "too few intervals to say"
    if judged.logs == "no clear preference":
        return "none", f"{judged.logs}; errors were least at m = {judged.ratio:g}"
    return f"m = {judged.ratio:g}", judged.logs
