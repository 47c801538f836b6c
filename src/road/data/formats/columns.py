"""Which columns of a table make which array: given by name or pattern, or guessed by name."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from road.data.log import ALIASES, REQUIRED
from road.errors import DataError, UsageError

Columns: TypeAlias = Mapping[str, Sequence[str]]
"""Columns of each array, by name or by a pattern with ``*`` and ``?``; none turns off the guess.

``episode`` names one that changes where an episode begins.
"""

EPISODE = (
    "episode",
    "episode_id",
    "episode_index",
    "trajectory",
    "trajectory_id",
    "traj_id",
)
MOST_COLUMNS = 10_000
"""More than any log of vectors has; every column costs time before its first number is read."""
NUMBERED = re.compile(r"(?P<stem>.*?)[_. \[-]?(?P<number>\d+)\]?")


def choose_columns(
    where: str, header: Sequence[str], given: Columns | None
) -> dict[str, list[str]]:
    """The columns of each array: those that were given, and for the other arrays a guess.

    Raises:
        DataError: the table has no such column, or none for an array that is needed.
        UsageError: what was given names no array.
    """
    if len(header) > MOST_COLUMNS:
        raise DataError(
            f"{where}: {len(header):,} columns, at most {MOST_COLUMNS:,} are read; save such rows "
            "as arrays in NPZ or HDF5"
        )
    given = given or {}
    unknown = [name for name in given if name not in (*ALIASES, "episode")]
    if unknown:
        raise UsageError(f"columns: {unknown[0]!r} is none of {', '.join((*ALIASES, 'episode'))}")
    named = {name: expand(where, header, each) for name, each in given.items()}
    taken = {column for each in named.values() for column in each}
    guessed = guess_columns([column for column in header if column not in taken], skip=named)
    chosen = {name: each for name, each in {**guessed, **named}.items() if each}
    check_chosen(where, header, chosen)
    return chosen


def check_chosen(where: str, header: Sequence[str], chosen: Columns) -> None:
    counts = Counter(header)
    twice = [column for each in chosen.values() for column in each if counts[column] > 1]
    if twice:
        raise DataError(f"{where}: two columns are called {twice[0]!r}; rename one of them")
    missing = [name for name in REQUIRED if not chosen.get(name)]
    if missing:
        raise DataError(
            f"{where}: no column for {missing[0]} among {list_columns(header)}; "
            f"say which, as in --columns {missing[0]}=A,B"
        )


def expand(where: str, header: Sequence[str], names: Iterable[str]) -> list[str]:
    """The columns that are meant: of a pattern all that match, in the order of their numbers."""
    known = set(header)
    found: list[str] = []
    for name in names:
        if name in known:
            found.append(name)
            continue
        matches = match_pattern(name, header) if set(name) & set("*?") else []
        if not matches:
            raise DataError(f"{where}: there is no column {name!r}; it has {list_columns(header)}")
        found += [column for column in matches if column not in found]
    return found


def match_pattern(pattern: str, header: Sequence[str]) -> list[str]:
    """Columns that match, ``x_10`` after ``x_2``; brackets mean themselves."""
    signs = {"*": ".*", "?": "."}
    matcher = re.compile("".join(signs.get(sign, re.escape(sign)) for sign in pattern))
    matches = [column for column in header if matcher.fullmatch(column)]
    stems = {re.sub(r"\d+", "", column) for column in matches}
    return sorted(matches, key=numbers_in) if len(stems) == 1 else matches


def numbers_in(column: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", column)]


def list_columns(header: Sequence[str]) -> str:
    return ", ".join(header[:40])[:160] or "no columns"


def guess_columns(header: Sequence[str], skip: Collection[str] = ()) -> dict[str, list[str]]:
    """``obs_3`` or ``observations.3`` is one column of several, ``reward`` is one by itself."""
    present = set(header)
    numbered: dict[str, list[tuple[int, str]]] = {}
    for column in header:
        if (match := NUMBERED.fullmatch(column)) is not None and len(match["number"]) < 9:
            numbered.setdefault(match["stem"], []).append((int(match["number"]), column))
    found = {
        name: columns_of(aliases, present, numbered)
        for name, aliases in ALIASES.items()
        if name not in skip
    }
    if "episode" not in skip:
        found["episode"] = [column for column in EPISODE if column in present][:1]
    return {name: columns for name, columns in found.items() if columns}


def columns_of(
    aliases: Iterable[str], present: Collection[str], numbered: Mapping[str, list[tuple[int, str]]]
) -> list[str]:
    for alias in aliases:
        if alias in present:
            return [alias]
        if alias in numbered:
            return in_order(alias, numbered[alias])
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
