"""Cells that earlier commands have entered, held against what their grid asks for now.

A label stands for one experiment. If its settings have changed since, the cells of before are
others and must not be averaged with those of now; if it was only renamed, a cell must not stand
there twice. Where the data of a case, or a policy that makes it, is not at hand, nothing is said.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from road.errors import DataError
from road.experiments.grid import Grid
from road.experiments.jobs import work_of
from road.experiments.store import Place, place_of


def outdated(
    grid: Grid, entered: Sequence[Mapping[str, Any]], policies: Path | None
) -> list[Place]:
    """Places whose cell has become another one, or has another label now."""
    seeds = tuple(sorted({int(cell["seed"]) for cell in entered}))
    if not seeds:
        return []
    now = dict[Place, str]()
    for case in grid.cases:
        now |= keys_of(dataclasses.replace(grid, cases=(case,), seeds=seeds), policies)
    return list(no_longer_asked_for(grid, entered, now))


def keys_of(grid: Grid, policies: Path | None) -> dict[Place, str]:
    """The keys of a case's cells; none, where its data is not at hand."""
    data = grid.cases[0].data
    if data is not None and set(data.given(policies)) != set(data.policies):
        return {}
    try:
        cells = work_of(grid.cells(), policies).cells
    except DataError:
        return {}
    return {(cell.case, cell.strategy, cell.seed): key for cell, key in cells}


def no_longer_asked_for(
    grid: Grid, entered: Sequence[Mapping[str, Any]], now: Mapping[Place, str]
) -> Iterator[Place]:
    cases = {case.label for case in grid.cases}
    strategies = {strategy.label for strategy in grid.strategies}
    for cell in entered:
        place, key = place_of(cell), cell["key"]
        named = place[0] in cases and place[1] in strategies
        if named and now.get(place, key) != key:
            yield place
        if not named and key in now.values():
            yield place
