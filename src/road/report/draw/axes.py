"""Scales from values to pixels or to the width of a plot, ticks, and the timeline of a run."""

import math
from dataclasses import dataclass

import numpy as np

from road.report.draw.format import compact
from road.report.draw.markup import Markup
from road.report.draw.svg import horizontal, text, vertical
from road.statistics import Floats

SPLIT = 0.3
"""Where the offline part of a timeline ends, whatever the lengths: its steps are other steps."""
GAP = 0.03


@dataclass(frozen=True)
class Scale:
    """From values to pixels, high values up."""

    low: float
    high: float
    height: float

    def __call__(self, values: Floats) -> Floats:
        return self.height * (self.high - values) / (self.high - self.low)

    def at(self, value: float) -> float:
        return float(self(np.array([value]))[0])


def fit_scale(height: float, *values: Floats, zero: bool = False) -> Scale:
    """A scale that contains all values; with ``zero``, zero too."""
    known = np.concatenate([*values, [0.0] if zero else []])
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if high - low < 1e-9 * max(abs(low), abs(high), 1e-9):
        margin = abs(high) / 10 or 1.0
        return Scale(low - margin, high + margin, height)
    margin = 0.06 * (high - low)
    at_zero = zero and low == 0.0
    return Scale(low if at_zero else low - margin, high + margin, height)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between two others: 1, 2 or 5 times a power of ten apart."""
    if not high > low:
        return [low]
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= least * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{index * step:.12g}") for index in range(first, last + 1)]


def y_axis(scale: Scale, most: int = 5) -> list[Markup]:
    marks = [(value, scale.at(value)) for value in ticks(scale.low, scale.high, most)]
    return [
        mark
        for value, y in marks
        for mark in (horizontal(y, "zero" if value == 0 else "grid"), y_label(y, compact(value)))
    ]


def y_label(y: float, content: str) -> Markup:
    return text(0.0, y, content, "tick before", shift=-8.0)


@dataclass(frozen=True)
class Timeline:
    """The x axis of a run: offline updates to the left, environment steps to the right."""

    offline: float
    """Steps of the offline part; 0 leaves it out."""
    online: float

    @property
    def switch(self) -> float | None:
        return SPLIT if self.offline > 0 else None

    def part(self, phase: str) -> tuple[float, float]:
        """Where a phase begins and ends."""
        if self.switch is None:
            return (0.0, 0.0) if phase == "offline" else (0.0, 1.0)
        half = GAP / 2
        return (0.0, SPLIT - half) if phase == "offline" else (SPLIT + half, 1.0)

    def place(self, phase: str, steps: Floats) -> Floats:
        start, end = self.part(phase)
        total = self.offline if phase == "offline" else self.online
        return start + (end - start) * np.minimum(steps / max(total, 1.0), 1.0)

    def axis(self, height: float) -> list[Markup]:
        """Steps of both parts, with their names."""
        marks = [text(1.0, height + 36, "environment steps", "axis end")]
        if self.switch is not None:
            marks.append(text(0.0, height + 36, "updates", "axis"))
            marks.append(vertical(self.switch, 0.0, height, "switch"))
            marks += self.labels("offline", height, [0.0, self.offline])
        return marks + self.labels("online", height, ticks(0.0, max(self.online, 1.0)))

    def bare_axis(self, height: float, most: int = 3) -> list[Markup]:
        """For small plots: no names, and no zeros to crowd the switch."""
        steps = ticks(0.0, max(self.online, 1.0), most)
        marks = self.labels("online", height, steps[1:])
        return (
            marks if self.switch is None else [*marks, vertical(self.switch, 0.0, height, "switch")]
        )

    def labels(self, phase: str, height: float, steps: list[float]) -> list[Markup]:
        start, end = self.part(phase)
        places = self.place(phase, np.array(steps))
        # At the ends of a part a centred label would run into its neighbour, or off the page.
        looks = ["start" if x == start else "end" if x > end - GAP else "middle" for x in places]
        return [
            text(float(x), height + 18, compact(step), f"tick {look}")
            for step, x, look in zip(steps, places, looks, strict=True)
        ]


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


def fit_across(*values: Floats) -> Across:
    """A scale that contains all values and zero."""
    known = np.concatenate([np.zeros(1), *(np.ravel(each) for each in values)])
    known = known[np.isfinite(known)]
    low, high = float(known.min()), float(known.max())
    margin = 0.04 * (high - low) or 1.0
    return Across(low - margin if low < 0 else low, high + margin)
