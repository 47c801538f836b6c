"""``road grid status``: where a grid stands, from its folder alone."""

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from road.cli.flags import parse_flags

if TYPE_CHECKING:
    from road.experiments.store import Store


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
    keys = {cell["key"]: cell for cell in told["cells"]}
    done = [key for key in keys if store.is_done(key)]
    failed = {key: why for key in keys if (why := store.failure(key)) is not None}
    sys.stdout.write(f"{told['name']}, scale {told['scale']}: {store.path}\n")
    open_cells = len(keys) - len(done) - len(failed)
    sys.stdout.write(
        f"{len(keys)} cells: {len(done)} done, {len(failed)} failed, {open_cells} open\n"
    )
    for line in by_case(store, told["cells"]):
        sys.stdout.write(f"  {line}\n")
    for key, why in failed.items():
        cell = keys[key]
        where = f"{cell['case']}, {cell['strategy']}, seed {cell['seed']} ({key})"
        sys.stdout.write(f"failed: {where}: {why}\n")
    return 0


def by_case(store: "Store", cells: list[dict[str, str]]) -> list[str]:
    """Of each case, how many cells are done and what one took."""
    total = Counter(cell["case"] for cell in cells)
    lines: list[str] = []
    for case, number in total.items():
        keys = {cell["key"] for cell in cells if cell["case"] == case}
        results = [store.result(key) for key in keys if store.is_done(key)]
        told = f"{case}: {len(results)} of {number} done"
        if results:
            wall = sum(result["seconds"] for result in results) / len(results)
            cpu = sum(result["cpu_seconds"] for result in results) / len(results)
            told += f"; a cell took {wall:.1f} s by the clock, {cpu:.1f} s of CPU"
        lines.append(told)
    return lines
