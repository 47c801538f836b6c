"""Which ratios the seeds of one method chose, when: a row per ratio, colour for their share."""

import numpy as np

from road.report.grid_layout import row_name, wide
from road.report.grid_ratios import MAP_WIDTH, ROOM, ROW, Time
from road.report.heatmap import MOST_ROWS, strength
from road.report.journal import Floats
from road.report.markup import Markup
from road.report.svg import box, plot, text


def choice_map(ratios: Floats, time: Time) -> Markup:
    """From ``ratios[seed, moment]``; NaN where no ratio was in force."""
    names, shares, total = shares_of(ratios)
    rows, height = len(names), ROW * max(len(names), 1)
    marks = [
        mark
        for row, name in enumerate(names)
        for mark in choice_row(ROW * (rows - 1 - row), name, shares[row], total[row], time)
    ]
    told = ", ".join(
        f"m = {name} {share:.0%}" for name, share in zip(names, total.tolist(), strict=True)
    )
    drawn = plot(
        height,
        *marks,
        *time.axis(height),
        text(MAP_WIDTH, height + 16, "in all", "tick", shift=8.0),
        label=f"Offline ratios that {len(ratios)} seeds chose: {told or 'none yet'}",
    )
    return wide(drawn, names, *ROOM)


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
    return [
        box(0.0, top + 1, MAP_WIDTH, ROW - 2, "ground"),
        row_name(top + ROW / 2, name),
        *cells,
        text(MAP_WIDTH, top + ROW / 2, f"{total:.0%}", "tick", shift=8.0),
    ]
