"""What the hypergradient does on two small tasks, beside fixed ratios and chance.

    python -m benchmarks.hypergradient [--seeds 5] [--runs FOLDER]

On the first task offline rows mislead; on the second they are good in part and ratios differ
little. One single-threaded run after the other by ``road train`` with the task's defaults; killed
and started again, it continues.
"""

import argparse
import json
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.learning import LAST, finished_rows, train
from benchmarks.machine import ROOT, describe_commit, describe_machine

RECORD = ROOT / "benchmarks" / "records" / "hypergradient.json"
TASKS = ("pendulum-flipped", "pendulum-mixed")
MIXERS = {
    "hypergradient": ("--mixer", "hypergradient"),
    "hypergradient, returns": (
        *("--mixer", "hypergradient", "--hypergradient.judge", "monte-carlo"),
        *("--hypergradient.held-back", "400"),
    ),
    "hypergradient, pulled": ("--mixer", "hypergradient", "--hypergradient.pull", "0.1"),
    "uniform": ("--mixer", "uniform", "--uniform.arms", "0.02", "0.5", "0.95"),
    "fixed 0.02": ("--mixer", "fixed", "--fixed.offline-ratio", "0.02"),
    "fixed 0.5": ("--mixer", "fixed", "--fixed.offline-ratio", "0.5"),
    "fixed 0.95": ("--mixer", "fixed", "--fixed.offline-ratio", "0.95"),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hypergradient", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--runs", type=Path, default=Path("runs") / "hypergradient")
    flags = parser.parse_args()
    for seed, task, name in product(range(flags.seeds), TASKS, MIXERS):
        slug = f"{task}__{name.replace(', ', '-').replace(' ', '-')}__s{seed}"
        folder = train(flags.runs / slug, [task, *MIXERS[name], "--seed", str(seed)])
        keep(f"{task} | {name}", seed, judged(folder))
    print(table(json.loads(RECORD.read_text())["cells"]))


def judged(folder: Path) -> dict[str, float]:
    scores = [row["score"] for row in finished_rows(folder, "evaluations")]
    ratios = [row["realised_ratio"] for row in finished_rows(folder, "mixer")]
    late = ratios[-max(len(ratios) // 4, 1) :]
    return {
        "final": round(mean(scores[-LAST:]), 2),
        "area": round(mean(scores), 2),
        "last ratio": round(mean(late), 3),
    }


def keep(name: str, seed: int, cell: dict[str, float]) -> None:
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"cells": {}}
    record["machine"] = describe_machine()
    record["cells"].setdefault(name, {})[str(seed)] = {**cell, **describe_commit()}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    print(name, seed, cell, flush=True)


def table(cells: dict[str, dict[str, Any]]) -> str:
    """Markdown, as it is in the documents."""
    lines = [
        "| task | mixer | final score | mean over the online phase | m at last |",
        "|" + "---|" * 5,
    ]
    for name, seeds in cells.items():
        columns = [spread([seed[key] for seed in seeds.values()]) for key in ("final", "area")]
        ratio = mean(seed["last ratio"] for seed in seeds.values())
        lines.append(f"| {name} | {' | '.join(columns)} | {ratio:.2f} |")
    return "\n".join(lines)


def spread(scores: list[float]) -> str:
    return f"{mean(scores):.1f} ± {stdev(scores):.1f}" if scores[1:] else f"{scores[0]:.1f}"


if __name__ == "__main__":
    main()
