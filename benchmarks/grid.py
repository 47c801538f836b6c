"""What the runner of grids costs, and what a second core gives.

    python -m benchmarks.grid            # about ten minutes on two quiet cores
    python -m benchmarks.grid --quick    # a first look: two minutes, cells too short to be fair
    python -m benchmarks.grid --command grid run NAME --out FOLDER ...    # of a grid you run anyway

Overhead is the share of the slots' time in which no worker was at work: 1 - sum of the workers'
wall times / (slots · wall time of the whole command). A worker's time counts from the start of its
process. Speed-up is the cells per hour of as many processes as there are cores over those of one.
Both are measured in turns, in either order: a machine that others use is faster in some minutes
than in others, and one after the other gave a speed-up of 2.35 on two cores.

With --command, all that follows is run as `road` would run it, and what its runner cost is added to
the record under "long". Slots that stand empty at the end, because the last cells do not end
together, count as overhead too. A folder with half a run in it is refused: a cell's time counts all
its sessions, and those of before are no work of this command.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT, cores, describe_commit, describe_machine
from road.cli.flags import parse_flags
from road.cli.grid.run import GridRun

RECORD = ROOT / "benchmarks" / "records" / "grid.json"
GRID = """
from road.experiments.grid import Case, Grid, Strategy

GRID = Grid(
    "bench",
    cases=(Case("pendulum-flipped"),),
    strategies=(Strategy("Fixed 0.5", "fixed"), Strategy("ROAD", "road")),
    seeds={seeds},
    run={{"online_steps": {steps}, "evaluate_every": 5_000}},
)
"""


def measure(folder: Path, jobs: int, turn: int) -> dict[str, Any]:
    """One run of the whole grid, with so many processes at a time."""
    out = folder / f"turn-{turn}-jobs-{jobs}"
    words = ["grid", "run", "bench_grid.py", "--jobs", str(jobs), "--out", str(out)]
    return measure_command(words, folder, out, jobs)


def measure_command(words: list[str], folder: Path, out: Path, jobs: int) -> dict[str, Any]:
    """What `road WORDS` cost beyond the work that it added to the grid's folder."""
    before = set(out.glob("done/*.json"))
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "road.cli", *words], cwd=folder, check=True)
    wall = time.monotonic() - began
    results = [json.loads(path.read_text()) for path in set(out.glob("done/*.json")) - before]
    at_work = sum(result["seconds"] for result in results)
    cells = sum(result["kind"] == "cell" for result in results)
    return {
        "jobs": jobs,
        "cells": cells,
        "wall_seconds": round(wall, 2),
        "workers_seconds": round(at_work, 2),
        "overhead": round(1.0 - at_work / (jobs * wall), 4),
        "cells_per_hour": round(3600.0 * cells / wall, 1),
    }


def in_turns(folder: Path, turns: int) -> list[dict[str, Any]]:
    """One process and all cores, in alternating order."""
    orders = [(1, cores()), (cores(), 1)]
    return [
        measure(folder, jobs, turn) for turn in range(turns) for jobs in orders[turn % len(orders)]
    ]


def figures_of(runs: list[dict[str, Any]]) -> dict[str, Any]:
    one = [run for run in runs if run["jobs"] == 1]
    all_cores = [run for run in runs if run["jobs"] > 1]
    gains = [a["cells_per_hour"] / b["cells_per_hour"] for a, b in zip(all_cores, one, strict=True)]
    return {
        "overhead": {**spread([run["overhead"] for run in one], 4), "bar": 0.02},
        "speed_up": {**spread(gains, 3), "bar": 1.8, "cores": cores()},
    }


def spread(values: list[float], digits: int) -> dict[str, float]:
    found = {"value": statistics.median(values), "least": min(values), "most": max(values)}
    return {name: round(value, digits) for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.command:
        add_to_record(options.command)
        return
    quick = options.quick
    if cores() < 2:
        raise SystemExit("what a second core gives needs a second core")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        steps, seeds, turns = (5_000, (0,), 1) if quick else (40_000, (0, 1), 3)
        text = GRID.format(steps=steps, seeds=seeds)
        (folder / "bench_grid.py").write_text(text)
        warm = folder / "warm"  # the first run compiles; it is not counted
        warm.mkdir()
        (warm / "bench_grid.py").write_text(text.replace(f"seeds={seeds}", "seeds=(9,)"))
        measure(warm, cores(), 0)
        runs = in_turns(folder, turns)
    figures = figures_of(runs)
    print(json.dumps(figures, indent=2))
    if quick:
        return  # a first look is no record
    record = {**describe_commit(), "machine": describe_machine(), "runs": runs}
    kept = {"figures": figures, "long": json.loads(RECORD.read_text()).get("long", [])}
    RECORD.write_text(json.dumps({**record, **kept}, indent=2) + "\n")


def add_to_record(words: list[str]) -> None:
    """Run a grid that is wanted anyway, and keep what its runner cost."""
    asked = parse_flags(GridRun, words[2:], "grid run")
    if words[:2] != ["grid", "run"] or asked.out is None or asked.backend != "local":
        raise SystemExit("wanted: grid run NAME --out FOLDER ..., on this machine")
    if half := half_done(asked.out):
        raise SystemExit(
            f"{asked.out} has {half} unfinished runs: finish them first, or go elsewhere"
        )
    at = {
        **describe_commit(),
        "machine": describe_machine(),
        "command": shlex.join(["road", *words]),
    }
    run = {**at, **measure_command(words, Path.cwd(), asked.out, asked.jobs or cores())}
    print(json.dumps(run, indent=2))
    record = json.loads(RECORD.read_text())
    record["long"] = [*record.get("long", []), run]
    RECORD.write_text(json.dumps(record, indent=2) + "\n")


def half_done(out: Path) -> int:
    """How many runs and pretrainings lie in a grid's folder without their result."""
    begun = [path for kind in ("runs", "pretrained") for path in out.glob(f"{kind}/*")]
    return sum(not (out / "done" / f"{path.name}.json").exists() for path in begun)


if __name__ == "__main__":
    main()
