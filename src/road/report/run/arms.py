"""The bandit's statistics of each ratio, and whether the credits differ between ratios."""

import numpy as np

from road.records.credits import credit_pairs
from road.records.journal import Floats
from road.records.reader import Arms, RunRecord
from road.records.summary import Summary
from road.records.verdict import capitalised
from road.report.draw import format
from road.report.draw.axes import Timeline, fit_scale, y_axis
from road.report.draw.document import colour_chips, figure, panel
from road.report.draw.downsample import downsample, spread_evenly
from road.report.draw.heatmap import MOST_ROWS
from road.report.draw.markup import Markup, tag
from road.report.draw.palette import arm_colour
from road.report.draw.svg import box, dot, horizontal, line, plot, stretch, text, vertical
from road.report.draw.tables import table
from road.report.run.credits import MOST_POINTS, format_value

STRIP_HEIGHT = 240.0
SMALL_HEIGHT = 150.0
MOST_STRIP_DOTS = 600
MOST_LONG_NAMES = 6


def informed_figure(run: RunRecord, summary: Summary) -> Markup:
    """The sentence for every run; dots and numbers where there are ratios to compare."""
    judged = summary.informedness
    sentence = judged.sentence if judged else why_not_tested(run)
    strong = tag("strong", f"{capitalised(sentence)}. ")
    title = "Do the credits differ between the ratios?"
    if judged is None or not 2 <= len(judged.ratios) <= MOST_ROWS:
        return figure(title, strong, kind="informed")
    caption = (
        "A column per ratio, a dot per period, time running to the right inside each column; the "
        "bar is the column's mean. If the ratio matters, the columns are at different heights. A "
        "slope that all of them share is drift, which the table's second row takes out."
    )
    drawn = strip_plot(run)
    words = tag("span", strong, caption)
    return figure(title, words, drawn, *informedness_table(summary), kind="informed")


def why_not_tested(run: RunRecord) -> str:
    """Why there is no test of the credits."""
    if not credit_pairs(run.periods)[0].size:
        return "no period was credited with anything; there is nothing to compare the ratios by"
    return "too many ratios were used to compare them; none can be judged"


def arms_figure(run: RunRecord, arms: Arms, online: Timeline) -> Markup:
    shown = some_arms(arms)
    numbers = {"mean credit": shown.means, "bonus": shown.bonuses, "pulls": shown.counts}
    panels = [
        panel([f"{name} in the window"], arms_plot(run, shown, values, online, name))
        for name, values in numbers.items()
    ]
    count = "" if shown is arms else f" {len(shown.ratios)} of {len(arms.ratios)} arms are shown."
    return figure(
        "Statistics of the arms", bonus_against_means(arms) + count, arm_key(shown),
        tag("div", panels, class_="multiples"), arms_table(shown), kind="arms",
    )  # fmt: skip


def some_arms(arms: Arms) -> Arms:
    """No more than a reader can distinguish."""
    if len(arms.ratios) <= MOST_ROWS:
        return arms
    kept = spread_evenly(len(arms.ratios), MOST_ROWS)
    return Arms(arms.ratios[kept], arms.means[:, kept], arms.bonuses[:, kept], arms.counts[:, kept])


def bonus_against_means(arms: Arms) -> str:
    """Why a bandit explores or settles: the larger of its two terms."""
    rule = "At each period the arm of greatest mean plus bonus is pulled."
    known = np.isfinite(arms.means[-1]) & np.isfinite(arms.bonuses[-1])
    if known.sum() < 2:
        return f"{rule} Too few arms have been pulled so far to compare the two."
    spread = float(np.ptp(arms.means[-1][known]))
    bonus = float(arms.bonuses[-1][known].mean())
    decides = (
        "the bonus decides, and the arms take turns"
        if bonus > spread
        else "the means decide, and the better arms are pulled more"
    )
    return (
        f"{rule} At the last choice the means lay {spread:.2g} apart and the bonus was about "
        f"{bonus:.2g}: {decides}."
    )


def arm_key(arms: Arms) -> Markup:
    colours = [arm_colour(rank, len(arms.ratios)) for rank in range(len(arms.ratios))]
    names = [f"m = {ratio:g}" for ratio in arms.ratios]
    return colour_chips(dict(zip(names, colours, strict=True)))


def informedness_table(summary: Summary) -> list[Markup]:
    """Nothing if there was nothing to test."""
    judged = summary.informedness
    if judged is None or judged.f is None:
        return []
    rows = [
        ("as recorded", judged.f, judged.p, judged.eta_squared),
        ("trend removed", judged.detrended_f, judged.detrended_p, judged.detrended_eta_squared),
    ]
    cells = [
        [name, format.plain(f), format.probability(p), format.plain(eta_squared)]
        for name, f, p, eta_squared in rows
    ]
    return [table(["Credit by ratio", "F", "p", "η²"], cells)]


def arms_table(arms: Arms) -> Markup:
    """The statistics at the last choice."""
    means, bonuses, counts = arms.means[-1], arms.bonuses[-1], arms.counts[-1]
    return table(
        ["At the last choice", "mean credit", "bonus", "upper bound", "pulls in window"],
        [
            [f"m = {ratio:g}", *map(format.plain, (mean, bonus, mean + bonus, count))]
            for ratio, mean, bonus, count in zip(arms.ratios, means, bonuses, counts, strict=True)
        ],
    )


def strip_plot(run: RunRecord) -> Markup:
    """Credits by ratio: a column each, time running to the right inside every column."""
    ratio, credit = credit_pairs(run.periods)
    distinct, column = np.unique(ratio, return_inverse=True)
    time = np.arange(len(ratio)) / max(len(ratio) - 1, 1)
    x = (column + 0.1 + 0.8 * time) / len(distinct)
    scale = fit_scale(STRIP_HEIGHT, credit)
    y = scale(credit)
    dots = [
        dot(float(x[i]), float(y[i]), 3.0, "credit-dot", arm_colour(int(column[i]), len(distinct)))
        for i in spread_evenly(len(x), MOST_STRIP_DOTS)
    ]
    means = [float(credit[column == rank].mean()) for rank in range(len(distinct))]
    columns = [
        mark
        for rank, mean in enumerate(means)
        for mark in ratio_column(rank, distinct, mean, scale.at(mean))
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


def ratio_column(rank: int, ratios: Floats, mean: float, y: float) -> list[Markup]:
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
    series = [downsample(steps, values[:, arm], MOST_POINTS) for arm in range(len(arms.ratios))]
    scale = fit_scale(SMALL_HEIGHT, *(one.mean for one in series), zero=name == "pulls")
    lines = [
        line(*stairs(timeline.place("online", one.x), scale(one.mean)), "trace", colour)
        for rank, one in enumerate(series)
        for colour in [arm_colour(rank, len(series))]
    ]
    by_ratio = zip(series, arms.ratios, strict=True)
    last = ", ".join(f"{format_value(one.mean[-1:])} at m = {ratio:g}" for one, ratio in by_ratio)
    return plot(
        SMALL_HEIGHT,
        *y_axis(scale, 4),
        *timeline.bare_axis(SMALL_HEIGHT),
        stretch(SMALL_HEIGHT, *lines),
        label=f"{name} of each arm; in the end {last}",
    )


def stairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A polyline that keeps each value until the next."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
