"""Publish what a grid has brought so far, small enough to be kept beside the source.

    python -m benchmarks.results GRID_FOLDER docs/results/NAME [--without TASK ...]
    python -m benchmarks.results --unpack docs/results/NAME GRID_FOLDER
    python -m benchmarks.results --compare docs/results/NAME GRID_FOLDER

The first writes the tables, findings and page of ``road grid report``, its findings by area, those
without a task that much may hang on,
``about.json`` and ``about.md`` (command, machine, cells, hours) and ``runs.tar.xz``: every finished
cell's result and journals, without what is as long as the run itself. The second makes a grid's
folder of that again, with which ``road grid run --resume`` goes on: no finished cell is run again;
data and pretrained agents are made anew when a cell that is still missing needs them. The third is
for cells that were run again in a folder of their own, on another machine or by a later tree: are
the bits the same?
"""

import argparse
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.machine import describe_commit, describe_machine

ARCHIVE, ABOUT, IN_WORDS = "runs.tar.xz", "about.json", "about.md"
BY_AREA = "findings-area.md"
"""The findings once more, by the mean score over the online phase."""
AS_A_PAGE = "---\norphan: true\n---\n\n"
"""A document that no table of contents names."""
KEPT = ("config.json", "meta.json", "evaluations.jsonl", "mixer.jsonl", "sessions.jsonl")
"""Of a run; its metrics and episodes are not."""


def publish(store: Path, target: Path, without: Sequence[str] = ()) -> None:
    """Every finished cell is kept; the report is on the seeds that are complete."""
    told = about(store, finished_cells(store), earlier_makers(target))
    told["without"] = list(without)
    report(store, target, told["seeds"])
    found = findings_of(store, told["seeds"], "--score", "area")
    (target / BY_AREA).write_text(as_a_page(f"{target.name}, by area", found))
    for task in without:
        found = findings_of(store, told["seeds"], "--tasks", *others(store, task))
        page = as_a_page(f"{target.name}, without {task}", found)
        (target / without_name(task)).write_text(page)
    pack(store, target / ARCHIVE, [cell["key"] for cell in finished_cells(store)])
    (target / ABOUT).write_text(json.dumps(told, indent=1) + "\n")
    (target / IN_WORDS).write_text(in_words(told))


def findings_of(store: Path, seeds: list[int], *more: str) -> str:
    """Of another view than the report's own."""
    with tempfile.TemporaryDirectory() as aside:
        report(store, Path(aside), seeds, *more)
        return (Path(aside) / "findings.md").read_text()


def others(store: Path, task: str) -> list[str]:
    """Every task but one, in the order of the grid."""
    told = json.loads((store / "grid.json").read_text())
    known = list(dict.fromkeys(cell["case"] for cell in told["cells"]))
    if task not in known:
        raise SystemExit(f"{task} is none of {', '.join(known)}")
    return [each for each in known if each != task]


def without_name(task: str) -> str:
    return f"findings-without-{task}.md"


def as_a_page(title: str, found: str) -> str:
    return f"{AS_A_PAGE}# {title}\n\n{found}"


def report(store: Path, target: Path, seeds: list[int], *more: str) -> None:
    words = ["grid", "report", str(store), "--to", str(target), "--seeds", *map(str, seeds)]
    subprocess.run([sys.executable, "-m", "road.cli", *words, *more], check=True)


def finished_cells(store: Path) -> list[dict[str, Any]]:
    """Of those that the grid asks for now: a cell that it once asked for may lie there too."""
    asked = {cell["key"] for cell in json.loads((store / "grid.json").read_text())["cells"]}
    paths = (store / "done" / f"{key}.json" for key in sorted(asked))
    return [json.loads(path.read_text()) for path in paths if path.exists()]


def complete_seeds(asked: list[dict[str, Any]], finished: set[str]) -> list[int]:
    """Those of which no cell is missing; all, if that is true of none."""
    lacking = {cell["seed"] for cell in asked if cell["key"] not in finished}
    seeds = sorted({cell["seed"] for cell in asked})
    return [seed for seed in seeds if seed not in lacking] or seeds


def pack(store: Path, out: Path, cells: list[str]) -> None:
    with tarfile.open(out, "w:xz") as archive:
        for path in kept_files(store, cells):
            add(archive, path.relative_to(store), path.read_text(), str(store.absolute()))


def kept_files(store: Path, cells: list[str]) -> Iterator[Path]:
    yield store / "grid.json"
    for key in cells:
        yield from (store / folder / f"{key}.json" for folder in ("jobs", "done"))
        yield from filter(Path.exists, (store / "runs" / key / name for name in KEPT))


def add(archive: tarfile.TarFile, name: Path, text: str, here: str) -> None:
    """The same files give the same archive, wherever they lie."""
    content = text.replace(f"{here}/", "").encode()
    entry = tarfile.TarInfo(str(name))
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def earlier_makers(target: Path) -> list[dict[str, Any]]:
    """What the page has said until now of who made its cells, and until when."""
    path = target / ABOUT
    return json.loads(path.read_text())["made_by"] if path.exists() else []


def about(
    store: Path, cells: list[dict[str, Any]], earlier: list[dict[str, Any]]
) -> dict[str, Any]:
    """What it took. Cells ran side by side and beside other work: hours are a rough measure."""
    told = json.loads((store / "grid.json").read_text())
    ends = [ended(store / "runs" / cell["key"]) for cell in cells]
    return {
        "command": told["command"],
        "seeds": complete_seeds(told["cells"], {cell["key"] for cell in cells}),
        "cells": len(cells),
        "cells_asked_for": len(told["cells"]),
        "worker_hours": round(sum(cell["seconds"] for cell in cells) / 3600, 2),
        "cpu_hours": round(sum(cell["cpu_seconds"] for cell in cells) / 3600, 2),
        "wall_hours": round(wall_hours(store, [cell["key"] for cell in cells]), 2),
        "made_by": makers(ends, earlier),
    }


def makers(ends: list[str], earlier: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Who made how many of the cells that ended then; one that was run again has a new maker."""
    now = {"until": max(ends, default=""), "machine": describe_machine(), **describe_commit()}
    since, found = "", list[dict[str, Any]]()
    for maker in [*earlier, now]:
        until = str(maker["until"])
        count = sum(since < end <= until for end in ends)
        if count:
            found.append({**maker, "cells": count})
        since = max(since, until)
    return found


def in_words(told: dict[str, Any]) -> str:
    rows = {
        "commands": "<br>".join(f"`{line}`" for line in told["command"].splitlines()),
        "reported on": f"seeds {', '.join(map(str, told['seeds']))}",
        "cells": f"{told['cells']:,} finished of {told['cells_asked_for']:,} asked for",
        "by the clock": f"{told['wall_hours']} hours in which a cell was at work",
        "by processes": f"{told['worker_hours']} hours, {told['cpu_hours']} of them of CPU; "
        "data and pretraining, which cells share, not counted",
        "made by": "<br>".join(map(maker_in_words, told["made_by"])),
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows.items())]) + "\n"


def maker_in_words(maker: dict[str, Any]) -> str:
    machine, changed = maker["machine"], ", changed" if maker["dirty"] else ""
    where = f"{machine['cores']} cores, {machine['cpu']}, {machine['system']}"
    return f"{maker['cells']:,} cells: {where}; published by tree `{maker['commit'][:12]}`{changed}"


def wall_hours(store: Path, cells: list[str]) -> float:
    """Hours in which at least one cell was at work."""
    spans = sorted(span for key in cells for span in spans_of(store / "runs" / key))
    covered, until = 0.0, 0.0
    for begin, end in spans:
        covered += max(end - max(begin, until), 0.0)
        until = max(until, end)
    return covered / 3600


def spans_of(run: Path) -> Iterator[tuple[float, float]]:
    for row in ends_of(run):
        end = datetime.fromisoformat(row["time"]).timestamp()
        yield end - row["seconds"], end


def ended(run: Path) -> str:
    """When it was finished; these times are all UTC, so that they sort as they are written."""
    return max(row["time"] for row in ends_of(run))


def ends_of(run: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (run / "sessions.jsonl").read_text().splitlines()]
    return [row for row in rows if row["event"] == "ended"]


def unpack(published: Path, store: Path) -> None:
    if store.exists():
        raise SystemExit(f"{store} is there already")
    store.mkdir(parents=True)
    with tarfile.open(published / ARCHIVE) as archive:
        archive.extractall(store, filter="data")


def compare(published: Path, store: Path) -> None:
    """Exit with 1 if a cell has other bits than the published one: weights, buffer, journals."""
    bits = published_bits(published)
    again = {cell["key"]: cell["digest"] for cell in finished_cells(store) if cell["key"] in bits}
    if not again:
        raise SystemExit(f"{store} has no cell of those in {published}")
    other = sorted(key for key, digest in again.items() if digest != bits[key])
    print(f"{len(again) - len(other)} of {len(again)} cells have the same bits")
    if other:
        raise SystemExit(f"other bits: {', '.join(other)}")


def published_bits(published: Path) -> dict[str, str]:
    """The hash of every published cell, by its key."""
    with tarfile.open(published / ARCHIVE) as archive:
        files = [archive.extractfile(each) for each in archive if each.name.startswith("done/")]
        results = [json.load(file) for file in files if file is not None]
    return {result["key"]: result["digest"] for result in results}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results", description=__doc__)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--unpack", action="store_const", const=unpack, dest="act", default=publish)
    how.add_argument("--compare", action="store_const", const=compare, dest="act")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--without", nargs="+", default=[], metavar="TASK")
    flags = parser.parse_args()
    more = {"without": flags.without} if flags.without else {}
    flags.act(flags.source, flags.target, **more)


if __name__ == "__main__":
    main()
