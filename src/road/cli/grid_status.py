"""``road grid status``: where a grid stands, from its folder alone."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from road.cli.flags import parse_flags

if TYPE_CHECKING:
    from road.experiments.store import Store


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


def run(words: list[str]) -> int:
    flags = parse_flags(GridStatus, words, "grid status")
    from road.experiments.finding import find_folder
    from road.experiments.store import Store

    store = Store(find_folder(flags.grid, flags.scale, flags.out))
    told = store.description()
    # Two places may be the same run and share a key: places are counted.
    cells = told["cells"]
    done = [cell for cell in cells if store.is_done(cell["key"])]
    failed = [(cell, why) for cell in cells if (why := store.failure(cell["key"])) is not None]
    sys.stdout.write(f"{told['name']}, scale {told['scale']}: {store.path}\n")
    left = len(cells) - len(done) - len(failed)
    sys.stdout.write(f"{len(cells)} cells: {len(done)} done, {len(failed)} failed, {left} open\n")
    for line in by_case(store, cells):
        sys.stdout.write(f"  {line}\n")
    for cell, why in failed:
        where = f"{cell['case']}, {cell['strategy']}, seed {cell['seed']} ({cell['key']})"
        sys.stdout.write(f"failed: {where}: {why}\n")
    return 0


def by_case(store: "Store", cells: list[dict[str, str]]) -> list[str]:
    """Of each case, how many cells are done and what one took."""
    lines: list[str] = []
    for case in dict.fromkeys(cell["case"] for cell in cells):
        keys = [cell["key"] for cell in cells if cell["case"] == case]
        results = [store.result(key, *TIMES) for key in keys if store.is_done(key)]
        told = f"{case}: {len(results)} of {len(keys)} done"
        if results:
            wall, cpu = (sum(each[name] for each in results) / len(results) for name in TIMES)
            told += f"; a cell took {wall:.1f} s by the clock, {cpu:.1f} s of CPU"
        lines.append(told)
    return lines
