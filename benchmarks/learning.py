"""Whether every agent learns: pretrained and fine-tuned by ``road train`` with its own defaults.

    python -m benchmarks.learning [AGENT ...] [--task TASK] [--seeds 3] [--runs FOLDER]

One single-threaded run after the other. The run folders are kept: killed and started again, it
continues the run that it was in. The record is written when an agent's last seed is done.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.machine import ROOT, describe_commit, describe_machine

RECORD = ROOT / "benchmarks" / "records" / "learning.json"
AGENTS = ("iql", "pex", "awac", "proto", "sac", "cql", "cal-ql", "wsrl", "rlpd")
ROAD = (sys.executable, "-m", "road.cli")
LAST = 2
"""Evaluations whose mean is called the fine-tuned score."""


def main() -> None:
    flags = parse_flags()
    for agent in flags.agents:
        cells: list[dict[str, Any]] = []
        for seed in range(flags.seeds):
            folder = flags.runs / f"{flags.task}__{agent}__s{seed}"
            train(folder, [flags.task, "--agent", agent, "--seed", str(seed)])
            cells.append(judged(folder, seed))
        keep(f"{flags.task} {agent}", cells)
    print(table(json.loads(RECORD.read_text())["agents"]))


def parse_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("agents", nargs="*", default=AGENTS)
    parser.add_argument("--task", default="pointmaze-umaze-random")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--runs", type=Path, default=Path("runs") / "learning")
    return parser.parse_args()


def train(folder: Path, words: list[str]) -> Path:
    """Start or continue one single-threaded run of ``road train``."""
    if (folder / "config.json").exists():
        words = ["resume", str(folder)]
    else:
        words = ["train", *words, "--threads", "1", "--out", str(folder)]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.txt").open("a") as said:
        subprocess.run([*ROAD, *words], stdout=said, stderr=said, check=True)
    return folder


def judged(folder: Path, seed: int) -> dict[str, Any]:
    online = [row["score"] for row in finished_rows(folder, "evaluations")]
    return {
        "seed": seed,
        "pretrained": round(online[0], 2),
        "fine-tuned": round(mean(online[-LAST:]), 2),
    }


def finished_rows(folder: Path, journal: str) -> list[dict[str, Any]]:
    """The rows of the online phase."""
    rows = [json.loads(line) for line in (folder / f"{journal}.jsonl").read_text().splitlines()]
    return [row for row in rows if row.get("phase", "online") == "online"]


def keep(name: str, cells: list[dict[str, Any]]) -> None:
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"agents": {}}
    record["machine"] = describe_machine()
    record["agents"][name] = {**describe_commit(), "seeds": cells}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    print(name, cells, flush=True)


def table(agents: dict[str, Any]) -> str:
    """Markdown, as it is in the documents."""
    lines = ["| task | agent | pretrained | fine-tuned |", "|---|---|---|---|"]
    for name, kept in agents.items():
        scores = (spread(kept["seeds"], which) for which in ("pretrained", "fine-tuned"))
        lines.append(f"| {' | '.join((*name.split(), *scores))} |")
    return "\n".join(lines)


def spread(cells: list[dict[str, Any]], which: str) -> str:
    scores = [cell[which] for cell in cells]
    listed = ", ".join(f"{score:.0f}" for score in scores)
    return f"{mean(scores):.1f} ± {stdev(scores):.1f} ({listed})" if scores[1:] else listed


if __name__ == "__main__":
    main()
