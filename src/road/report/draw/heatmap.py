"""Which mixing ratio, when: a row per ratio, time to the right, colour for the share of periods."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from road.report.draw.axes import ticks, y_label
from road.report.draw.downsample import bin_starts
from road.report.draw.format import compact
from road.report.draw.markup import Markup, tag
from road.report.draw.svg import box, plot, text, vertical
from road.statistics import Floats

ROW = 26.0
MOST_ROWS = 12
MOST_COLUMNS = 100
MAP_WIDTH = 0.80
"""The rest of the width is for the shares over the whole run."""
BARS = 0.83


@dataclass(frozen=True)
class Choices:
    """How often each ratio was chosen in each stretch of periods."""

    names: list[str]
    """One per row, lowest ratio first."""
    starts: np.ndarray
    """The first period of each column."""
    shares: Floats
    """Rows by columns; a column adds up to 1."""
    total: Floats
    """Share of each row over all periods."""
    periods: int

    def span(self, column: int) -> str:
        first = int(self.starts[column])
        last = int(np.append(self.starts, self.periods)[column + 1]) - 1
        return f"period {first}" if first == last else f"periods {first} to {last}"


def tally_of(ratio: Floats, arms: Sequence[float]) -> Choices:
    """How often each ratio was chosen, by period."""
    names, row = rows_of(ratio, arms)
    chosen = np.eye(len(names))[row]
    starts = bin_starts(len(ratio), MOST_COLUMNS)
    sizes = np.diff(np.append(starts, len(ratio)))
    shares = np.add.reduceat(chosen, starts, axis=0) / sizes[:, None] if len(ratio) else chosen
    return Choices(names, starts, shares.T, chosen.sum(axis=0) / max(len(ratio), 1), len(ratio))


def rows_of(ratio: Floats, arms: Sequence[float]) -> tuple[list[str], np.ndarray]:
    """A row per ratio, arms never chosen among them; a row per tenth where ratios are many."""
    distinct = np.unique(np.concatenate([ratio, np.array(arms, np.float64)]))
    distinct = distinct[np.isfinite(distinct)]
    if len(distinct) <= MOST_ROWS or not ratio.size:
        names = [f"{value:g}" for value in distinct[:MOST_ROWS]]
        return names, np.searchsorted(distinct, ratio)
    tenths = np.clip(np.floor(ratio * 10 + 1e-9), 0, 9).astype(int)
    first, last = int(tenths.min()), int(tenths.max())
    names = [f"{tenth / 10:.1f}\u2013{(tenth + 1) / 10:.1f}" for tenth in range(first, last + 1)]
    return names, tenths - first


def choices_map(choices: Choices) -> Markup:
    rows = len(choices.names)
    height = ROW * max(rows, 1)
    tops = [ROW * (rows - 1 - row) for row in range(rows)]
    return plot(
        height,
        *(mark for row, top in enumerate(tops) for mark in choices_row(choices, row, top)),
        *period_axis(choices.periods, height),
        *even_share(rows, height, float(choices.total.max(initial=0.0))),
        label=describe(choices),
    )


def choices_row(choices: Choices, row: int, top: float) -> list[Markup]:
    """A ratio: when it was chosen, and in what share of all periods."""
    share, largest = float(choices.total[row]), float(choices.total.max())
    middle = top + ROW / 2
    return [
        box(0.0, top + 1, MAP_WIDTH, ROW - 2, "ground"),
        y_label(middle, choices.names[row]),
        *cells(choices, row, top),
        box(BARS, middle - 5, share_width(share, largest), 10.0, "bar"),
        text(BARS + share_width(largest, largest), middle, f"{share:.0%}", "tick", shift=5.0),
    ]


def describe(choices: Choices) -> str:
    used = ", ".join(
        f"m = {name} in {share:.0%}"
        for name, share in zip(choices.names, choices.total, strict=True)
    )
    return f"Offline ratio of {choices.periods} periods: {used or 'none yet'}"


def cells(choices: Choices, row: int, top: float) -> list[Markup]:
    """Nothing is drawn where the ratio was not chosen: the ground is its zero."""
    edges = MAP_WIDTH * np.append(choices.starts, choices.periods) / max(choices.periods, 1)
    shares = choices.shares[row]
    return [
        box(
            float(edges[column]), top + 1, float(edges[column + 1] - edges[column]), ROW - 2,
            "cell", f"fill-opacity:{strength(float(shares[column])):.2f}",
            f"{choices.span(column)}: m = {choices.names[row]} in {shares[column]:.0%}",
        )
        for column in np.flatnonzero(shares > 0).tolist()
    ]  # fmt: skip


def period_axis(periods: int, height: float) -> list[Markup]:
    marks = [period for period in ticks(0.0, max(periods - 1.0, 1.0)) if period == int(period)]
    return [
        *(
            text(
                MAP_WIDTH * (period + 0.5) / max(periods, 1),
                height + 18,
                compact(period),
                "tick middle",
            )
            for period in marks
        ),
        text(0.0, height + 36, "period", "axis"),
        text(BARS, height + 18, "all periods", "tick"),
    ]


def share_width(share: float, largest: float) -> float:
    return 0.10 * share / max(largest, 1e-9)


def even_share(rows: int, height: float, largest: float) -> list[Markup]:
    """Where every bar would end if the ratios had taken turns."""
    if rows < 2 or largest == 0.0:
        return []
    return [vertical(BARS + share_width(1 / rows, largest), 2.0, height - 2, "even")]


def strength_key(least: str, most: str, opacities: Iterable[float]) -> Markup:
    """What the strengths of the colour mean, between two labels."""
    patches = [
        tag("i", class_="patch", style=f"background:var(--heat);opacity:{opacity:.2f}")
        for opacity in opacities
    ]
    return tag("p", least, tag("span", patches), most, class_="key below")


def strength(share: float) -> float:
    """Opacity: even a small share differs from none."""
    return 0.12 + 0.88 * share
