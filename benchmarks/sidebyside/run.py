"""Train the same algorithm in both libraries and judge both alike; finished cells are kept.

    python -m benchmarks.sidebyside.run [ALGORITHM ...] [--seeds 3]

One single-threaded worker at a time, the libraries in turn. Killed and started again, it goes on
with the first cell that the record lacks.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import ROOT, describe_commit, describe_machine
from benchmarks.sidebyside import hopper, work

RECORD = ROOT / "benchmarks" / "records" / "sidebyside.json"
PYTHONS = {"road": Path(sys.executable), "d3rlpy": ROOT / ".venv-bench" / "bin" / "python"}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Worker:
    """A library in a process of its own, trained when ``ready`` returns."""

    def __init__(self, library: str, algorithm: str, seed: int, log: Path) -> None:
        self._process = subprocess.Popen(
            [
                *(str(PYTHONS[library]), "-m", f"benchmarks.sidebyside.train_{library}"),
                *(algorithm, str(seed), str(log)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD},
        )

    def read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the worker ended with exit code {self._process.wait()}")
        return json.loads(line)

    def act(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(observations.tolist()) + "\n")
        self._process.stdin.flush()
        return np.array(self.read())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sidebyside.run", description=__doc__
    )
    parser.add_argument("algorithms", nargs="*", default=list(work.UPDATES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--record", type=Path, default=RECORD)
    flags = parser.parse_args()
    log = hopper.medium_log()
    for algorithm, seed, library in product(flags.algorithms, range(flags.seeds), PYTHONS):
        cells = load(flags.record)["cells"]
        key = {"algorithm": algorithm, "seed": seed, "library": library}
        if not any(key.items() <= cell.items() for cell in cells):
            keep(flags.record, {**key, **train_and_judge(library, algorithm, seed, log)})
    print(table(load(flags.record)["cells"]))


def train_and_judge(library: str, algorithm: str, seed: int, log: Path) -> dict[str, Any]:
    began, worker = time.monotonic(), Worker(library, algorithm, seed, log)
    try:
        worker.read()
        seconds = time.monotonic() - began
        score = hopper.judge(worker.act)
    finally:
        worker.close()
    return {
        "score": round(score, 2),
        "updates": work.UPDATES[algorithm],
        "seconds": round(seconds, 1),
        **describe_commit(),
    }


def load(path: Path) -> dict[str, Any]:
    if path.exists():
        return json.loads(path.read_text())
    return {"machine": describe_machine(), "rows": hopper.ROWS, "cells": []}


def keep(path: Path, cell: dict[str, Any]) -> None:
    record = load(path)
    record["cells"].append(cell)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1) + "\n")
    part.replace(path)
    print(cell, flush=True)


def table(cells: list[dict[str, Any]]) -> str:
    """Scores of all seeds, as Markdown."""
    lines = ["| algorithm | updates | ours | d3rlpy |", "|---|---|---|---|"]
    for algorithm, updates in work.UPDATES.items():
        columns = [
            spread(
                [c["score"] for c in cells if (c["algorithm"], c["library"]) == (algorithm, lib)]
            )
            for lib in PYTHONS
        ]
        lines.append(f"| {algorithm} | {updates:,} | {' | '.join(columns)} |")
    return "\n".join(lines)


def spread(scores: list[float]) -> str:
    """Mean and deviation (divisor n - 1) before the seeds; of one seed there is neither."""
    if not scores:
        return "not run"
    listed = ", ".join(f"{score:.1f}" for score in scores)
    return f"{mean(scores):.1f} ± {stdev(scores):.1f} ({listed})" if scores[1:] else listed


if __name__ == "__main__":
    main()
