"""Which offline ratio, when: a row per method, time to the right, colour for the ratio."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from road.report.axes import ticks
from road.report.grid_layout import row_name, wide
from road.report.journal import Floats
from road.report.markup import Markup, tag
from road.report.svg import box, plot, text
from road.report.thin import bin_starts
from road.report.writing import UNKNOWN, compact

ROW = 24.0
MOST_COLUMNS = 50
MIDDLE = "tick middle"
MAP_WIDTH = 0.9
"""The rest of the width is for the mean over all time."""
ROOM = (314.0, "padding-right:14px")
"""Pixels that a map has at least; on a phone the mean needs more than the rest of them."""


@dataclass(frozen=True)
class Time:
    """The online phase, from its first environment step to its last."""

    steps: float

    def span(self, start: float, end: float) -> str:
        """A stretch of it, given in shares."""
        return f"steps {compact(start * self.steps)} to {compact(end * self.steps)}"

    def axis(self, height: float) -> list[Markup]:
        # At the ends a centred label would run into what stands beside the map.
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
    height = ROW * max(len(methods), 1)
    drawn = plot(
        height,
        *marks,
        *time.axis(height),
        text(MAP_WIDTH, height + 16, "mean", "tick", shift=8.0),
        label="Offline ratio over time: "
        + ", ".join(
            f"{name} {written(mean_of(row))}" for name, row in zip(methods, ratios, strict=True)
        ),
    )
    return tag("div", wide(drawn, methods, *ROOM), ratio_key(greatest))


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
    ground = box(0.0, top + 1, MAP_WIDTH, ROW - 2, "ground")
    overall = text(MAP_WIDTH, top + ROW / 2, written(mean_of(ratios)), "tick", shift=8.0)
    return [ground, row_name(top + ROW / 2, name), *cells, overall]


def stretches(ratios: Floats, starts: np.ndarray) -> list[tuple[int, int, float]]:
    """First, last and mean of each bin; neighbours that are printed alike are one."""
    found: list[tuple[int, int, float]] = []
    for first, last in pairwise([*starts.tolist(), len(ratios)]):
        value = mean_of(ratios[first:last])
        if found and written(found[-1][2]) == written(value):
            found[-1] = (found[-1][0], last, found[-1][2])
        else:
            found.append((first, last, value))
    return found


def mean_of(ratios: Floats) -> float:
    """NaN, if nothing is known; comparisons with it are false, so nothing is drawn."""
    known = ratios[np.isfinite(ratios)]
    return float(known.mean()) if known.size else np.nan


def written(ratio: float) -> str:
    return f"{ratio:.2f}" if np.isfinite(ratio) else UNKNOWN


def ratio_key(greatest: float) -> Markup:
    patches = [
        tag("i", class_="patch", style=f"background:var(--heat);opacity:{share:.2f}")
        for share in (0.2, 0.4, 0.6, 0.8, 1.0)
    ]
    return tag(
        "p", f"offline ratio m: {greatest / 5:.2f}", tag("span", patches), f"{greatest:.2f}",
        class_="key below",
    )  # fmt: skip
