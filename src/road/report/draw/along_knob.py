"""A family of cases along a knob: ratios in one small plot, scores in another below it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from road.report.draw.axes import Scale, fit_scale, y_axis
from road.report.draw.format import compact
from road.report.draw.markup import Markup
from road.report.draw.svg import area, dot, line, plot, stretch, text
from road.statistics import Floats

HEIGHT = 130.0
INSET = 0.06
"""Of the width, left and right of the settings."""
BEST = "var(--offline)"
"""The colour of the best fixed ratio."""


@dataclass(frozen=True)
class Strip:
    """A quantity along the settings: ``[setting, seed]``, NaN where it is not known."""

    name: str
    seeds: Floats
    colour: str

    @property
    def means(self) -> Floats:
        return np.array([seeds[np.isfinite(seeds)].mean() if np.isfinite(seeds).any() else np.nan
                         for seeds in self.seeds])  # fmt: skip

    @property
    def errors(self) -> Floats:
        """Standard errors of the means; 0 of one seed."""
        known = [seeds[np.isfinite(seeds)] for seeds in self.seeds]
        return np.array([k.std(ddof=1) / np.sqrt(k.size) if k.size > 1 else 0.0 for k in known])


def places(count: int) -> Floats:
    """Settings lie equally far apart, whatever their values."""
    return np.linspace(INSET, 1.0 - INSET, count) if count > 1 else np.array([0.5])


def ratio_panel(
    values: Sequence[float], knob: str, best: Floats, within: tuple[Floats, Floats], used: Strip
) -> Markup:
    """The best fixed ratio with the range of those not worse, and the ratio that was used."""
    scale, x = Scale(-0.04, 1.04, HEIGHT), places(len(values))
    low, high = within
    return plot(
        HEIGHT,
        *y_axis(scale, 3),
        stretch(
            HEIGHT,
            area(x, scale(high), scale(low), "band", BEST),
            line(x, scale(best), "curve", BEST),
            line(x, scale(used.means), "curve", used.colour),
        ),
        *dots(x, scale(best), 4.0, "", BEST),
        *(
            mark
            for seed in used.seeds.T
            for mark in dots(x, scale(seed), 3.0, "sample", used.colour)
        ),
        *setting_ticks(values),
        label=f"Ratios along the {knob}",
    )


def score_panel(values: Sequence[float], knob: str, strips: Sequence[Strip]) -> Markup:
    """Means over seeds, each with a band of one standard error."""
    bands = [part for one in strips for part in (one.means - one.errors, one.means + one.errors)]
    scale, x = fit_scale(HEIGHT, *bands), places(len(values))
    return plot(
        HEIGHT,
        *y_axis(scale, 4),
        stretch(
            HEIGHT,
            *(error_band(one, x, scale) for one in strips),
            *(line(x, scale(one.means), "curve", one.colour) for one in strips),
        ),
        *(mark for one in strips for mark in dots(x, scale(one.means), 3.0, "", one.colour)),
        *setting_ticks(values),
        text(1.0, HEIGHT + 36, knob, "axis end"),
        label=f"Scores along the {knob}",
    )


def error_band(one: Strip, x: Floats, scale: Scale) -> Markup:
    low, high = one.means - one.errors, one.means + one.errors
    return area(x, scale(high), scale(low), "band", one.colour)


def dots(x: Floats, y: Floats, radius: float, look: str, colour: str) -> list[Markup]:
    known = np.isfinite(y)
    return [
        dot(float(across), float(down), radius, look, colour)
        for across, down in zip(x[known], y[known], strict=True)
    ]


def setting_ticks(values: Sequence[float]) -> list[Markup]:
    return [
        text(float(x), HEIGHT + 18, compact(value), "tick middle")
        for x, value in zip(places(len(values)), values, strict=True)
    ]
