"""What the pictures of a comparison share: names at the left, a scale across, room to scroll."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from road.report.axes import ticks
from road.report.journal import Floats
from road.report.markup import Markup, shorten, tag
from road.report.palette import HUES, series_colour
from road.report.svg import percent, pixels, text, vertical
from road.report.writing import compact

STROKES = ("", "dashed", "dotted")
"""Looks of a line, in the order in which they are taken."""
LETTER = 7.2
"""Pixels that a letter of a label takes, at most."""
MARGIN = 36.0
"""Pixels that every plot leaves at its left, on the smallest screen."""
LONGEST_NAME = 40
"""Letters; labels differ at their ends."""


def wide(drawn: Markup, names: Sequence[str], minimum: float, style: str = "") -> Markup:
    """A plot with long names at its left; on a narrow screen it scrolls by itself."""
    longest = max((len(short(name)) for name in names), default=0)
    room = max(0.0, LETTER * longest + 12 - MARGIN)
    size = f"min-width:{pixels(minimum + room)}px;padding-left:{pixels(room)}px;"
    return tag("div", tag("div", drawn, style=size + style), class_="scroll", tabindex="0")


def short(name: str) -> str:
    return shorten(name, LONGEST_NAME)


def row_name(y: float, name: str) -> Markup:
    return text(0.0, y, short(name), "tick before", shift=-8.0)


def number(x: float, y: float, content: str, look: str = "middle") -> Markup:
    """A number on a coloured ground, in the colour of ink."""
    return tag("text", content, x=percent(x), y=pixels(y), class_=look, style="fill:var(--ink)")


@dataclass(frozen=True)
class Across:
    """From values to fractions of a plot's width."""

    low: float
    high: float

    def at(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def axis(self, height: float, name: str) -> list[Markup]:
        """Lines at round values; the zero is stronger."""
        marks: list[Markup] = []
        for value in ticks(self.low, self.high, 6):
            x = self.at(value)
            marks.append(vertical(x, 0.0, height, "zero" if value == 0 else "grid"))
            marks.append(text(x, height + 16, compact(value), "tick middle"))
        return [*marks, text(1.0, height + 36, name, "axis end")]


def fitted_across(*values: Floats) -> Across:
    """A scale on which all values and zero have room."""
    known = np.concatenate([np.zeros(1), *(np.ravel(each) for each in values)])
    known = known[np.isfinite(known)]
    low, high = float(known.min()), float(known.max())
    margin = 0.04 * (high - low) or 1.0
    return Across(low - margin if low < 0 else low, high + margin)


def method_colours(
    methods: Sequence[str], fixed: Sequence[int], subject: str = ""
) -> dict[str, str]:
    """Constants in the blue of offline data, the more of it the stronger; others a hue each.

    The subject of a comparison has the first hue, wherever it stands.
    """
    ordered = strategies_of(methods, fixed, subject)
    colours = {name: series_colour(place) for place, name in enumerate(ordered)}
    for place, index in enumerate(fixed):
        share = 100 if len(fixed) == 1 else round(40 + 60 * place / (len(fixed) - 1))
        colours[methods[index]] = f"color-mix(in srgb, var(--offline) {share}%, var(--surface))"
    return {name: colours[name] for name in methods}


def method_strokes(
    methods: Sequence[str], fixed: Sequence[int], subject: str = ""
) -> dict[str, str]:
    """Once all hues are taken, lines of the same hue are told apart by dashes, then by dots."""
    ordered = strategies_of(methods, fixed, subject)
    rounds = {name: place // HUES for place, name in enumerate(ordered)}
    return {name: STROKES[min(rounds.get(name, 0), len(STROKES) - 1)] for name in methods}


def strategies_of(methods: Sequence[str], fixed: Sequence[int], subject: str) -> list[str]:
    """Whatever is no constant, the subject first."""
    strategies = [name for index, name in enumerate(methods) if index not in fixed]
    return sorted(strategies, key=lambda name: name != subject)
