"""``road grid list``: name the grids, and with a name what it is made of."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from road.cli.flags import parse_flags

if TYPE_CHECKING:
    from road.experiments.grid import Case, Grid


@dataclass(frozen=True)
class GridList:
    """Name the grids of the paper; with a grid, its cases, strategies and seeds."""

    grid: Annotated[str | None, tyro.conf.Positional] = None
    """One of them, or a Python file with a GRID of your own."""
    scale: Literal["mini", "paper"] = "mini"
    """Budgets for two cores, or the paper's."""


def run(words: list[str]) -> int:
    flags = parse_flags(GridList, words, "grid list")
    from road.experiments.finding import find_grid
    from road.experiments.paper import GRIDS

    if flags.grid is not None:
        sys.stdout.write(described(find_grid(flags.grid, flags.scale)))
        return 0
    width = max(map(len, GRIDS))
    for name, make in GRIDS.items():
        grid = make(flags.scale)
        whole, usual = grid.size, grid.part().size
        more = f" of {whole}" if whole > usual else ""
        sys.stdout.write(f"{name:{width}}  {grid.about} {usual}{more} cells.\n")
    return 0


def described(grid: "Grid") -> str:
    lines = [f"{grid.name}: {grid.about}", f"agent: {grid.agent}"]
    lines.append(f"seeds: {', '.join(map(str, grid.seeds))}")
    lines += ["strategies:", *(f"  {each.label}" for each in grid.strategies), "cases:"]
    for case in grid.cases:
        only = " (only if named)" if case.label in grid.on_request else ""
        lines.append(f"  {case.label}{only}: {data_of(case)}")
    return "\n".join(lines) + "\n"


def data_of(case: "Case") -> str:
    """Where the data of a case comes from."""
    if case.data is None:
        return "the task's own data" if "data" not in case.own else str(case.own["data"])
    made = f"{case.data.rows:,} rows of {case.data.level}"
    files = ", ".join(case.data.policies.values())
    if case.data.train_steps is None:
        return f"{made}, collected with {files} of --policies"
    learnt = f"a SAC trained for {case.data.train_steps:,} steps"
    if case.data.level == "random":
        return made
    return (
        f"{made}, collected with {files} of --policies or {learnt}"
        if files
        else (f"{made}, collected with {learnt}")
    )
