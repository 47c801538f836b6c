"""Updates per second of each agent by how its arrays are joined (`road/nn/packing.py`), in turns.

    python -m benchmarks.layout [--rounds 9] [--seconds 1]

One process per layout: everything in one vector, nothing joined, and joined by size as the library
does it. A ratio is taken within a round, to the layout of one vector; medians over rounds, with the
lowest and highest round.
"""

import argparse
import random
import statistics
import sys
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from benchmarks.run import working
from benchmarks.window import Candidate, repeating, serve

MODULE = "benchmarks.layout"
LIMITS = {"one vector": 10**9, "nothing joined": 0, "by size": None}
"""Numbers of an array that still counts as small; None as the library has it."""


def prepare(limit: int | None) -> dict[str, Candidate]:
    from benchmarks.train_agents import Step, agents
    from road.agents.iql import IQL
    from road.nn import packing
    from road.training.process import prepare_jax

    prepare_jax()
    if limit is not None:
        packing.MOST_JOINED = limit  # read at every call
    candidates = {**agents(), "iql-64": IQL((64, 64))}
    steps = {name: Step(name, agent) for name, agent in candidates.items()}
    for step in steps.values():
        step()
    return {name: repeating(step) for name, step in steps.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--layout", choices=LIMITS, help="serve windows of this layout")
    flags = parser.parse_args()
    if flags.layout:
        serve(lambda: prepare(LIMITS[flags.layout]), ("jax", "jaxlib", "optax"))
        return
    rates: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    shuffler = random.Random(0)
    with ExitStack() as stack:
        workers = {
            layout: stack.enter_context(working(MODULE, Path(sys.executable), "--layout", layout))
            for layout in LIMITS
        }
        turns = [(layout, name) for layout, worker in workers.items() for name in worker.candidates]
        for _ in range(flags.rounds):
            shuffler.shuffle(turns)
            for layout, name in turns:
                window = workers[layout].window(name, flags.seconds)
                rates[name][layout].append(window["units"] / window["seconds"])
    for name, by_layout in rates.items():
        base = by_layout["one vector"]
        for layout, found in by_layout.items():
            ratios = [each / other for each, other in zip(found, base, strict=True)]
            print(
                f"{name:8} {layout:15} {statistics.median(found):8.1f} updates/s, ratio "
                f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            )


if __name__ == "__main__":
    main()
