"""How often intervals of 95 % hold the truth, and how often "worse" is claimed of equals.

    python -m benchmarks.coverage

Tables of normal scores in which nothing differs, with the numbers of tasks and seeds that grids
have. ``bootstrap_estimate`` gives an interval of the mean over tasks, which should hold 0 in 95 of
100 tables. ``held_out_regret`` judges a seventh method against the best of six constants, all of
them the same: its interval should lie above 0, which a report calls "worse", in 2.5 of 100.

``estimate_credit_quality`` is given uninformative credits, and constants that differ: its interval
should contain 0 in 95 of 100 tables.
"""

import json
from typing import Any

import numpy as np

from benchmarks.machine import ROOT, describe_commit, describe_machine
from road.statistics import bootstrap_estimate, estimate_credit_quality, held_out_regret, mean

RECORD = ROOT / "benchmarks" / "records" / "coverage.json"
SIZES = ((1, 3), (1, 5), (1, 10), (4, 3), (4, 5), (4, 10), (7, 3), (7, 5), (7, 10), (24, 4))
"""Tasks and seeds."""
TABLES = 2000
SAMPLES = 600
CONSTANTS = 6


def main() -> None:
    rng = np.random.default_rng(0)
    record = {
        "machine": describe_machine(),
        **describe_commit(),
        "tables": TABLES,
        "samples": SAMPLES,
        "cells": [measured(tasks, seeds, rng) for tasks, seeds in SIZES],
        "favoured": [favoured(tasks, seeds, rng) for tasks, seeds in SIZES if tasks > 1],
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    print(table(record["cells"]))
    print(favoured_table(record["favoured"]))


def measured(tasks: int, seeds: int, rng: np.random.Generator) -> dict[str, Any]:
    held, worse = holds_the_truth(tasks, seeds, rng), claims_worse(tasks, seeds, rng)
    return {"tasks": tasks, "seeds": seeds, "held": round(held, 4), "worse": round(worse, 4)}


def holds_the_truth(tasks: int, seeds: int, rng: np.random.Generator) -> float:
    """Methods are drawn from by themselves, so that each of them is a table."""
    scores = rng.normal(size=(tasks, TABLES, seeds))
    found = bootstrap_estimate(mean, scores, rng, SAMPLES)
    return float(np.mean((found.low <= 0.0) & (found.high >= 0.0)))


def claims_worse(tasks: int, seeds: int, rng: np.random.Generator) -> float:
    lows = [
        held_out_regret(
            rng.normal(size=(tasks, CONSTANTS + 1, seeds)), range(CONSTANTS), rng, SAMPLES
        ).overall.low[CONSTANTS]
        for _ in range(TABLES)
    ]
    return float(np.mean(np.array(lows) > 0.0))


def favoured(tasks: int, seeds: int, rng: np.random.Generator) -> dict[str, Any]:
    """Constants lie 20 apart from one to the next, and runs of one of them spread by 10."""
    held = 0
    for _ in range(TABLES):
        constants = 20.0 * np.arange(CONSTANTS)[:, None] + rng.normal(
            0.0, 10.0, (tasks, CONSTANTS, seeds)
        )
        credits = rng.normal(size=(tasks, 1, seeds, CONSTANTS))
        found = estimate_credit_quality(credits, constants, rng, SAMPLES).overall
        held += bool(found.low[0] <= 0.0 <= found.high[0])
    return {"tasks": tasks, "seeds": seeds, "held": round(held / TABLES, 4)}


def favoured_table(cells: list[dict[str, Any]]) -> str:
    rows = (
        f"| {cell['tasks']} | {cell['seeds']} | {cell['held']:.0%} |".replace("%", " %")
        for cell in cells
    )
    return "\n".join(["| tasks | seeds | the interval contains zero |", "|---|---|---|", *rows])


def table(cells: list[dict[str, Any]]) -> str:
    """Markdown, as it is in the documents."""
    head = '| tasks | seeds | the interval contains the true value | "worse" is claimed of equals |'
    rows = (
        f"| {cell['tasks']} | {cell['seeds']} | {cell['held']:.0%} | {cell['worse']:.0%} |".replace(
            "%", " %"
        )
        for cell in cells
    )
    return "\n".join([head, "|---|---|---|---|", *rows])


if __name__ == "__main__":
    main()
