"""``road grid list`` names the grids; ``road grid status`` says how far one is, by its folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from road.cli.flags import parse_flags
from road.experiments.grid import Case, Grid
from road.experiments.registry import GRIDS, find_folder, find_grid
from road.experiments.store import Store
from road.terminal import say

TIMES = ("seconds", "cpu_seconds")


@dataclass(frozen=True)
class GridStatus:
    """Tell which cells of a grid are done, which failed and why, and how long they took."""

    grid: Annotated[str, tyro.conf.Positional]
    """The grid that was run, or its folder."""
    scale: Literal["mini", "paper"] = "mini"
    """Of the grid that was run."""
    out: Path | None = None
    """Its folder, if it was given one."""


def status_command(words: list[str]) -> int:
    flags = parse_flags(GridStatus, words, "grid status")
    store = Store(find_folder(flags.grid, flags.scale, flags.out))
    about = store.description()
    # Two places may be the same run and share a key: places are counted.
    cells = about["cells"]
    done = [cell for cell in cells if store.is_done(cell["key"])]
    failed = [(cell, why) for cell in cells if (why := store.failure(cell["key"])) is not None]
    say(f"{about['name']}, scale {about['scale']}: {store.path}\n")
    left = len(cells) - len(done) - len(failed)
    say(f"{len(cells)} cells: {len(done)} done, {len(failed)} failed, {left} open\n")
    for line in by_case(store, cells):
        say(f"  {line}\n")
    for cell, why in failed:
        where = f"{cell['case']}, {cell['strategy']}, seed {cell['seed']} ({cell['key']})"
        say(f"failed: {where}: {why}\n")
    return 0


def by_case(store: Store, cells: list[dict[str, str]]) -> list[str]:
    """Of each case, how many cells are done and what one took."""
    lines: list[str] = []
    for case in dict.fromkeys(cell["case"] for cell in cells):
        keys = [cell["key"] for cell in cells if cell["case"] == case]
        results = [store.result(key, *TIMES) for key in keys if store.is_done(key)]
        line = f"{case}: {len(results)} of {len(keys)} done"
        if results:
            wall, cpu = (sum(each[name] for each in results) / len(results) for name in TIMES)
            line += f"; a cell took {wall:.1f} s by the clock, {cpu:.1f} s of CPU"
        lines.append(line)
    return lines


@dataclass(frozen=True)
class GridList:
    """Name the grids of the paper; with a grid, its cases, strategies and seeds."""

    grid: Annotated[str | None, tyro.conf.Positional] = None
    """One of them, or a Python file with a GRID of your own."""
    scale: Literal["mini", "paper"] = "mini"
    """Budgets for two cores, or the paper's."""


def list_command(words: list[str]) -> int:
    flags = parse_flags(GridList, words, "grid list")
    if flags.grid is not None:
        say(describe_grid(find_grid(flags.grid, flags.scale)))
        return 0
    width = max(map(len, GRIDS))
    for name, make in GRIDS.items():
        grid = make(flags.scale)
        whole, usual = grid.size, grid.part().size
        more = f" of {whole}" if whole > usual else ""
        say(f"{name:{width}}  {grid.about} {usual}{more} cells.\n")
    return 0


def describe_grid(grid: Grid) -> str:
    agents = dict.fromkeys(case.agent_name or grid.agent for case in grid.cases)
    lines = [f"{grid.name}: {grid.about}", f"agent: {', '.join(agents)}"]
    lines.append(f"seeds: {', '.join(map(str, grid.seeds))}")
    lines += ["strategies:", *(f"  {each.label}" for each in grid.strategies), "cases:"]
    for case in grid.cases:
        only = " (only if named)" if case.label in grid.on_request else ""
        lines.append(f"  {case.label}{only}: {data_of(case)}")
    return "\n".join(lines) + "\n"


def data_of(case: Case) -> str:
    """Where the data of a case comes from."""
    if case.data is None:
        return "the task's own data" if "data" not in case.own else str(case.own["data"])
    made = f"{case.data.rows:,} rows of {case.data.level}"
    files = ", ".join(case.data.policies.values())
    if case.data.train_steps is None:
        return f"{made}, collected with {files} of --policies"
    if case.data.level == "random":
        return made
    either = f"{files} of --policies or " if files else ""
    return f"{made}, collected with {either}a SAC trained for {case.data.train_steps:,} steps"
