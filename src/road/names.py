"""Finding a thing by its name, and the nearest names when there is no such thing."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from road.errors import UsageError

Thing = TypeVar("Thing")

LISTED = ("task", "agent", "mixer")
"""What ``road list`` lists."""


def find_name(name: str, things: Mapping[str, Thing], kind: str) -> Thing:
    if name in things:
        return things[name]
    lowered = {known.lower(): known for known in things}
    near = [lowered[each] for each in get_close_matches(name.lower(), lowered, n=2, cutoff=0.4)]
    listed = ", ".join(repr(known) if "," in known else known for known in things)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"known: {listed}"
    where = f" (see `road list {kind}s`)" if kind in LISTED else ""
    raise UsageError(f"unknown {kind} {name!r}: {hint}{where}")
