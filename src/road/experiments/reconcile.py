"""Cells that earlier commands have entered, held against what their grid asks for now.

A label names one experiment. If its settings have changed since, the cells of before are
others and must not be averaged with those of now; if it was renamed or taken out, they have no
place any more. Where the data of a case, or a policy that makes it, is not at hand, its cells stay
as they are, and none can be added.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from road.errors import DataError, UsageError
from road.experiments.grid import Case, Grid
from road.experiments.jobs import work_of
from road.experiments.store import Place, place_of

Entered = Sequence[Mapping[str, Any]]
"""Cells as ``grid.json`` has them."""


def outdated(grid: Grid, entered: Entered, policies: Path | None) -> list[Place]:
    """Places that the grid no longer has, or whose cell has become another one."""
    now = dict[Place, str]()
    for case in grid.cases:
        if at_hand(case, policies):
            now |= keys_of(grid, case, entered, policies)
    cases = {case.label for case in grid.cases}
    strategies = {strategy.label for strategy in grid.strategies}

    def is_asked_for(cell: Mapping[str, Any]) -> bool:
        named = cell["case"] in cases and cell["strategy"] in strategies
        return named and now.get(place_of(cell), cell["key"]) == cell["key"]

    return [place_of(cell) for cell in entered if not is_asked_for(cell)]


def check_at_hand(
    grid: Grid, wanted: Collection[str], entered: Entered, policies: Path | None
) -> None:
    """Refuse cells of the wanted cases if their data would not be that of the cells before."""
    for case in grid.cases:
        if case.label not in wanted or at_hand(case, policies):
            continue
        now = keys_of(grid, case, entered, policies)
        if any(now.get(place_of(cell), cell["key"]) != cell["key"] for cell in entered):
            raise UsageError(
                f"earlier cells of {case.label} have other data or settings, and the policies that "
                "its data is collected with are not all here: give --policies, or another --out"
            )


def at_hand(case: Case, policies: Path | None) -> bool:
    """Whether the data of a case would be made by the policies that it names."""
    return case.data is None or set(case.data.given(policies)) == set(case.data.policies)


def keys_of(grid: Grid, case: Case, entered: Entered, policies: Path | None) -> dict[Place, str]:
    """What the cells of a case are now, with all seeds so far; nothing without its data."""
    seeds = tuple(sorted({int(cell["seed"]) for cell in entered}))
    if not seeds:
        return {}
    alone = dataclasses.replace(grid, cases=(case,), seeds=seeds)
    try:
        cells = work_of(alone.cells(), policies).cells
    except DataError:
        return {}
    return {(cell.case, cell.strategy, cell.seed): key for cell, key in cells}
