"""What a published grid took: its commands, cells and hours, and what machines and trees ran it."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.machine import describe_commit, describe_machine

Row = dict[str, Any]


def finished_cells(store: Path) -> list[Row]:
    """Of those that the grid asks for now: the folder may hold results it no longer asks for."""
    asked = {cell["key"] for cell in json.loads((store / "grid.json").read_text())["cells"]}
    paths = (store / "done" / f"{key}.json" for key in sorted(asked))
    return [json.loads(path.read_text()) for path in paths if path.exists()]


def complete_seeds(asked: list[Row], finished: set[str]) -> list[int]:
    """The seeds of which no cell is missing; all seeds, if there is no such one."""
    lacking = {cell["seed"] for cell in asked if cell["key"] not in finished}
    seeds = sorted({cell["seed"] for cell in asked})
    return [seed for seed in seeds if seed not in lacking] or seeds


def describe(store: Path, cells: list[Row], earlier: list[Row]) -> Row:
    """Cells ran side by side and beside other work: hours are a rough measure."""
    grid = json.loads((store / "grid.json").read_text())
    ends = [end_of(store / "runs" / cell["key"]) for cell in cells]
    return {
        "command": grid["command"],
        "seeds": complete_seeds(grid["cells"], {cell["key"] for cell in cells}),
        "cells": len(cells),
        "cells_asked_for": len(grid["cells"]),
        "worker_hours": round(sum(cell["seconds"] for cell in cells) / 3600, 2),
        "cpu_hours": round(sum(cell["cpu_seconds"] for cell in cells) / 3600, 2),
        "wall_hours": round(wall_hours(store, [cell["key"] for cell in cells]), 2),
        "made_by": makers(ends, earlier),
    }


def makers(ends: list[str], earlier: list[Row]) -> list[Row]:
    """Which machine and tree made how many of the cells that ended at these times.

    A maker that was recorded earlier keeps its cells, except those that were run again since.
    """
    now = {"until": max(ends, default=""), "machine": describe_machine(), **describe_commit()}
    since, found = "", list[Row]()
    for maker in [*earlier, now]:
        until = str(maker["until"])
        count = sum(since < end <= until for end in ends)
        if count:
            found.append({**maker, "cells": count})
        since = max(since, until)
    return found


def provenance_table(about: Row) -> str:
    rows = {
        "commands": "<br>".join(f"`{line}`" for line in about["command"].splitlines()),
        "reported on": f"seeds {', '.join(map(str, about['seeds']))}",
        "cells": f"{about['cells']:,} finished of {about['cells_asked_for']:,} asked for",
        "wall-clock time": f"{about['wall_hours']} hours during which at least one cell ran",
        "process time": f"{about['worker_hours']} hours, {about['cpu_hours']} of them of CPU; "
        "data and pretraining, which cells share, not counted",
        "made by": "<br>".join(map(maker_in_words, about["made_by"])),
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows.items())]) + "\n"


def maker_in_words(maker: Row) -> str:
    machine, changed = maker["machine"], ", changed" if maker["dirty"] else ""
    where = f"{machine['cores']} cores, {machine['cpu']}, {machine['system']}"
    return f"{maker['cells']:,} cells: {where}; published by tree `{maker['commit'][:12]}`{changed}"


def wall_hours(store: Path, cells: list[str]) -> float:
    """Hours during which at least one cell ran."""
    spans = sorted(span for key in cells for span in spans_of(store / "runs" / key))
    covered, until = 0.0, 0.0
    for begin, end in spans:
        covered += max(end - max(begin, until), 0.0)
        until = max(until, end)
    return covered / 3600


def spans_of(run: Path) -> Iterator[tuple[float, float]]:
    for row in ended_sessions(run):
        end = datetime.fromisoformat(row["time"]).timestamp()
        yield end - row["seconds"], end


def end_of(run: Path) -> str:
    """When it was finished; these times are all UTC, so their text sorts by time."""
    return max(row["time"] for row in ended_sessions(run))


def ended_sessions(run: Path) -> list[Row]:
    rows = [json.loads(line) for line in (run / "sessions.jsonl").read_text().splitlines()]
    return [row for row in rows if row["event"] == "ended"]
