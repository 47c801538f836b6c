"""The dip: how far, how long and how much a score falls below where pretraining left it.

With p the pretrained score and s(t) the straight lines through the online evaluations:

    depth     max(0, p - lowest evaluation)
    area      integral of max(0, p - s(t)) dt over the online phase, in score x steps
    recovery  the first evaluation after the lowest one that is p or better
"""

from dataclasses import dataclass

import numpy as np

from road.records.journal import Floats


@dataclass(frozen=True)
class Dip:
    """How an agent fared after the switch, measured against its pretrained score."""

    depth: float
    """0 if no online evaluation was below the pretrained score."""
    area: float
    """Score x environment steps."""
    lowest_step: int | None
    """Where the score was lowest; None without a dip."""
    steps_to_recover: int | None
    """Environment steps from the switch until the score was regained; None if it was not."""


def measure_dip(pretrained: float, steps: Floats, scores: Floats) -> Dip:
    """The dip of an online phase of which there is at least one evaluation."""
    shortfall = pretrained - scores
    lowest = int(np.argmax(shortfall))
    if shortfall[lowest] <= 0.0:
        return Dip(depth=0.0, area=0.0, lowest_step=None, steps_to_recover=0)
    regained = np.flatnonzero(shortfall[lowest:] <= 0.0)
    return Dip(
        depth=float(shortfall[lowest]),
        area=positive_area(steps, shortfall),
        lowest_step=int(steps[lowest]),
        steps_to_recover=int(steps[lowest + regained[0]]) if regained.size else None,
    )


def positive_area(x: Floats, y: Floats) -> float:
    """Area between the zero line and those parts of a polyline that are above it."""
    x, y = with_crossings(x, y)
    above = np.maximum(y, 0.0)
    return float(np.sum(np.diff(x) * (above[:-1] + above[1:]) / 2))


def with_crossings(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The same polyline with a point added wherever it crosses zero between two others."""
    crosses = np.flatnonzero(y[:-1] * y[1:] < 0.0)
    before, after = y[crosses], y[crosses + 1]
    at = x[crosses] + (x[crosses + 1] - x[crosses]) * before / (before - after)
    return np.insert(x, crosses + 1, at), np.insert(y, crosses + 1, 0.0)
