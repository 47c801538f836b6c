"""Which runs of a comparison are missing, and which part of it is complete."""

import shlex

from road.report.markup import shorten
from road.statistics import ScoreTable
from road.statistics.table import Axis

MOST_NAMED = 8
FLAGS: dict[str, Axis] = {"tasks": "tasks", "mixers": "methods", "seeds": "seeds"}
"""Of ``road grid report``, by what they name."""


def missing_words(table: ScoreTable) -> list[str]:
    """Nothing, or what is not there, what that costs, and what to ask for instead."""
    missing = table.missing()
    if not missing:
        return []
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    named = "; ".join(shorten(name, 120) for name in missing[:MOST_NAMED])
    words = (
        f"Runs that are missing: {len(missing)}: {named}{more}. What needs every run is left out."
    )
    if parts := complete_parts(table):
        words += f" Complete, to be reported on by themselves: {', or '.join(parts)}."
    return [words]


def complete_parts(table: ScoreTable) -> list[str]:
    """The flags of ``road grid report`` with which nothing is missing."""
    found: list[str] = []
    for flag, axis in FLAGS.items():
        try:
            kept = getattr(table.complete(without=axis), axis)
        except ValueError:  # nothing would be left
            continue
        found.append(f"--{flag} {shlex.join(map(str, kept))}")
    return found
