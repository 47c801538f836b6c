"""What the runner of grids costs, and what a second core gives.

    python -m benchmarks.grid            # about ten minutes on two quiet cores
    python -m benchmarks.grid --quick    # a first look: two minutes, cells too short to be fair

Overhead is the share of the slots' time in which no worker was at work: 1 - sum of the workers'
wall times / (slots · wall time of the whole command). A worker's time counts from the start of its
process. Speed-up is the cells per hour of as many processes as there are cores over those of one.
Both are measured in turns, in either order: a machine that others use is faster in some minutes
than in others, and one after the other gave a speed-up of 2.35 on two cores.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT, cores, describe_commit, describe_machine

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
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "road.cli", *words], cwd=folder, check=True)
    wall = time.monotonic() - began
    results = [json.loads(path.read_text()) for path in (out / "done").glob("*.json")]
    at_work = sum(result["seconds"] for result in results)
    cells = sum(result["kind"] == "cell" for result in results)
    return {
        "jobs": jobs,
        "wall_seconds": round(wall, 2),
        "workers_seconds": round(at_work, 2),
        "overhead": round(1.0 - at_work / (jobs * wall), 4),
        "cells_per_hour": round(3600.0 * cells / wall, 1),
    }


def in_turns(folder: Path, turns: int) -> list[dict[str, Any]]:
    """One process and all cores, whoever is first second in the next turn."""
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
    quick = parser.parse_args().quick
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
    RECORD.write_text(json.dumps({**record, "figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
