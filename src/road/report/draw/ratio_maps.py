"""Offline ratios over environment steps: of every method, or how many seeds of one had which."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from road.report.draw.axes import ticks
from road.report.draw.downsample import bin_starts
from road.report.draw.format import UNKNOWN, compact
from road.report.draw.heatmap import MOST_ROWS, strength, strength_key
from road.report.draw.markup import Markup, tag
from road.report.draw.rows import row_name, scrollable
from road.report.draw.svg import box, plot, text
from road.statistics import Floats

ROW = 24.0
MOST_COLUMNS = 50
MIDDLE = "tick middle"
MAP_WIDTH = 0.9
"""The rest of the width is for the mean over all time."""
LEAST_SIZE = (314.0, "padding-right:14px")
"""Pixels that a map has at least; on a phone the mean needs more than the rest of them."""


@dataclass(frozen=True)
class Time:
    """The online phase, from its first environment step to its last."""

    steps: float

    def span(self, start: float, end: float) -> str:
        """A stretch of it, given in shares."""
        return f"steps {compact(start * self.steps)} to {compact(end * self.steps)}"

    def axis(self, height: float) -> list[Markup]:
        # At the ends a centred label would run into what is beside the map.
        marks = [
            text(
                MAP_WIDTH * value / self.steps, height + 16, compact(value),
                "tick" if value == 0 else "tick end" if value > self.steps * 0.95 else MIDDLE,
            )
            for value in ticks(0.0, self.steps)
        ]  # fmt: skip
        return [*marks, text(0.0, height + 36, "online environment steps", "axis")]


def ratio_map(methods: Sequence[str], ratios: Floats, time: Time) -> Markup:
    """From ``ratios[method, moment]``, the mean over seeds; NaN where there was none.

    The strongest colour is the greatest ratio of all, the ground is zero.
    """
    starts = bin_starts(ratios.shape[1], MOST_COLUMNS)
    greatest = float(np.nanmax(ratios, initial=0.0)) or 1.0
    marks = [
        mark
        for row, name in enumerate(methods)
        for mark in ratio_row(row, name, ratios[row], starts, greatest, time)
    ]
    means = (
        f"{name} {format_ratio(mean_of(row))}" for name, row in zip(methods, ratios, strict=True)
    )
    drawn = map_of(methods, marks, time, "mean", f"Offline ratio over time: {', '.join(means)}")
    least, most = f"offline ratio m: {greatest / 5:.2f}", f"{greatest:.2f}"
    return tag("div", drawn, strength_key(least, most, (0.2, 0.4, 0.6, 0.8, 1.0)))


def map_of(names: Sequence[str], marks: list[Markup], time: Time, last: str, label: str) -> Markup:
    """Rows along the online phase; ``last`` names what is to the right of them."""
    height = ROW * max(len(names), 1)
    beside = text(MAP_WIDTH, height + 16, last, "tick", shift=8.0)
    drawn = plot(height, *marks, *time.axis(height), beside, label=label)
    return scrollable(drawn, names, *LEAST_SIZE)


def map_row(top: float, name: str, cells: list[Markup], overall: str) -> list[Markup]:
    return [
        box(0.0, top + 1, MAP_WIDTH, ROW - 2, "ground"),
        row_name(top + ROW / 2, name),
        *cells,
        text(MAP_WIDTH, top + ROW / 2, overall, "tick", shift=8.0),
    ]


def ratio_row(
    row: int, name: str, ratios: Floats, starts: np.ndarray, greatest: float, time: Time
) -> list[Markup]:
    top, moments = ROW * row, len(ratios)
    cells = [
        box(
            MAP_WIDTH * float(first) / moments, top + 1,
            MAP_WIDTH * float(last - first) / moments, ROW - 2,
            "cell", f"fill-opacity:{value / greatest:.3f}",
            f"{name}, {time.span(first / moments, last / moments)}: m = {value:.2f}",
        )
        for first, last, value in stretches(ratios, starts)
        if value > 0
    ]  # fmt: skip
    return map_row(top, name, cells, format_ratio(mean_of(ratios)))


def stretches(ratios: Floats, starts: np.ndarray) -> list[tuple[int, int, float]]:
    """First, last and mean of each bin; neighbours that are printed alike are one."""
    found: list[tuple[int, int, float]] = []
    for first, last in pairwise([*starts.tolist(), len(ratios)]):
        value = mean_of(ratios[first:last])
        if found and format_ratio(found[-1][2]) == format_ratio(value):
            found[-1] = (found[-1][0], last, found[-1][2])
        else:
            found.append((first, last, value))
    return found


def mean_of(ratios: Floats) -> float:
    """NaN, if nothing is known; comparisons with it are false, so nothing is drawn."""
    known = ratios[np.isfinite(ratios)]
    return float(known.mean()) if known.size else np.nan


def format_ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if np.isfinite(ratio) else UNKNOWN


def choice_map(ratios: Floats, time: Time) -> Markup:
    """From ``ratios[seed, moment]``; NaN where no ratio was in force."""
    names, shares, total = shares_of(ratios)
    marks = [
        mark
        for row, name in enumerate(names)
        for mark in choice_row(ROW * (len(names) - 1 - row), name, shares[row], total[row], time)
    ]
    used = ", ".join(
        f"m = {name} {share:.0%}" for name, share in zip(names, total.tolist(), strict=True)
    )
    label = f"Offline ratios that {len(ratios)} seeds chose: {used or 'none yet'}"
    return map_of(names, marks, time, "in all", label)


def shares_of(ratios: Floats) -> tuple[list[str], Floats, Floats]:
    """The share of seeds with each ratio, at each moment and in all; tenths, if they are many."""
    known = np.isfinite(ratios)
    distinct = np.unique(ratios[known])
    if len(distinct) <= MOST_ROWS:
        names, row = [f"{value:g}" for value in distinct], np.searchsorted(distinct, ratios)
    else:
        names = [f"{tenth / 10:.1f}\u2013{(tenth + 1) / 10:.1f}" for tenth in range(10)]
        row = np.clip(np.floor(np.where(known, ratios, 0.0) * 10 + 1e-9), 0, 9).astype(int)
    counts = np.array([((row == index) & known).sum(axis=0) for index in range(len(names))])
    counts = counts.reshape(len(names), ratios.shape[1])
    shares = counts / np.maximum(known.sum(axis=0), 1)
    return names, shares, counts.sum(axis=1) / max(int(known.sum()), 1)


def choice_row(top: float, name: str, shares: Floats, total: float, time: Time) -> list[Markup]:
    moments = len(shares)
    cells = [
        box(
            MAP_WIDTH * moment / moments, top + 1, MAP_WIDTH / moments, ROW - 2, "cell",
            f"fill-opacity:{strength(float(shares[moment])):.2f}",
            f"m = {name}, {time.span(moment / moments, (moment + 1) / moments)}: "
            f"{shares[moment]:.0%} of seeds",
        )
        for moment in np.flatnonzero(shares).tolist()
    ]  # fmt: skip
    return map_row(top, name, cells, f"{total:.0%}")
