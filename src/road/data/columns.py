"""Which columns of a table are which array."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from road.data.log import ALIASES, REQUIRED
from road.errors import DataError, UsageError

Columns: TypeAlias = Mapping[str, Sequence[str]]
"""Columns of each array; ``episode`` names one that changes where an episode begins."""

EPISODE = ("episode", "episode_id", "trajectory", "trajectory_id")


def choose_columns(
    where: str, header: Sequence[str], given: Columns | None
) -> dict[str, list[str]]:
    """The mapping that was given, or what the names of the columns suggest."""
    chosen = guess(header) if given is None else {name: list(each) for name, each in given.items()}
    unknown = [name for name in chosen if name not in (*ALIASES, "episode")]
    if unknown:
        raise UsageError(f"columns: {unknown[0]!r} is none of {', '.join((*ALIASES, 'episode'))}")
    absent = [column for each in chosen.values() for column in each if column not in header]
    if absent:
        raise DataError(f"{where}: there is no column {absent[0]!r}; it has {shown(header)}")
    twice = [column for each in chosen.values() for column in each if header.count(column) > 1]
    if twice:
        raise DataError(f"{where}: two columns are called {twice[0]!r}; rename one of them")
    missing = [name for name in REQUIRED if not chosen.get(name)]
    if missing:
        raise DataError(
            f"{where}: no column for {missing[0]} among {shown(header)}; "
            f"say which, as in --columns {missing[0]}=A,B"
        )
    return chosen


def shown(header: Sequence[str]) -> str:
    return ", ".join(header)[:160] or "no columns"


def guess(header: Sequence[str]) -> dict[str, list[str]]:
    """``obs_3`` or ``observations.3`` is one column of several, ``reward`` stands alone."""
    found = {name: numbered(header, aliases) for name, aliases in ALIASES.items()}
    found["episode"] = [column for column in header if column in EPISODE][:1]
    return {name: columns for name, columns in found.items() if columns}


def numbered(header: Sequence[str], aliases: Sequence[str]) -> list[str]:
    for alias in aliases:
        if alias in header:
            return [alias]
        matches = [re.fullmatch(rf"{alias}[_.\[]?(\d+)\]?", column) for column in header]
        if found := [match for match in matches if match]:
            return in_order(alias, [(int(match[1]), match[0]) for match in found])
    return []


def in_order(alias: str, found: list[tuple[int, str]]) -> list[str]:
    """The columns of an array by their number."""
    ranked = sorted(found)
    for (number, one), (other, two) in pairwise(ranked):
        if number == other:
            raise UsageError(
                f"columns {one!r} and {two!r} are both number {number} of {alias}; say which are "
                "meant with --columns"
            )
    return [column for _, column in ranked]
