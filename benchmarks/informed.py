"""How often uninformative credits pass the test of informedness, by who chooses.

    python -m benchmarks.informed

Credits are noise, independent of the ratio: independent from period to period, or an
AR(1) process. A test at 5 % should pass 5 of 100 such runs. Where noise lasts and a bandit follows
it, an arm is pulled while the noise is high and left when it falls, and looks better than it is.
"""

import json
import math
from typing import Any

import numpy as np

from benchmarks.machine import ROOT, describe_commit, describe_machine
from road.mixing import Controller, RoadMixer, UniformMixer, informedness
from road.mixing.informedness import SIGNIFICANCE

RECORD = ROOT / "benchmarks" / "records" / "informed.json"
RUNS = 400
PERIODS = (20, 100)
LASTING = (0.0, 0.15, 0.6)
"""The correlation of one period's noise with the next one's."""
SPREAD = 0.1
"""Of a credit, in units of R_q: the bonus of the paper's settings is about ten times that."""
ARMS = (0.0, 0.1, 0.3, 0.5, 0.9)
MIXERS = {
    "Uniform": UniformMixer(arms=ARMS),
    "ROAD": RoadMixer(arms=ARMS),
    "ROAD standardised": RoadMixer(arms=ARMS, scale="standardised"),
}


def main() -> None:
    rng = np.random.default_rng(0)
    cells = [
        {"mixer": name, "periods": periods, "lasting": lasting, "passed": round(share, 4)}
        for name in MIXERS
        for periods in PERIODS
        for lasting in LASTING
        for share in [share_that_passes(name, periods, lasting, rng)]
    ]
    record = {"machine": describe_machine(), **describe_commit(), "runs": RUNS, "cells": cells}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    print(table(cells))


def share_that_passes(name: str, periods: int, lasting: float, rng: np.random.Generator) -> float:
    return float(np.mean([passes(name, periods, lasting, rng, run) for run in range(RUNS)]))


def passes(name: str, periods: int, lasting: float, rng: np.random.Generator, seed: int) -> bool:
    controller = Controller(MIXERS[name], seed=seed)
    ratios, credits = list[float](), list[float]()
    noise = rng.normal()
    for fresh in rng.normal(size=periods):
        ratios.append(controller.offline_ratio)
        credits.append(SPREAD * noise)
        controller.end_period(credit=credits[-1])
        noise = lasting * noise + math.sqrt(1.0 - lasting**2) * fresh
    p = informedness(ratios, credits).detrended_p
    return p is not None and p < SIGNIFICANCE


def table(cells: list[dict[str, Any]]) -> str:
    """Markdown, as it is in the documents."""
    head = ["| periods | noise lasts |" + "".join(f" {name} |" for name in MIXERS)]
    head.append("|---" * (2 + len(MIXERS)) + "|")
    found = {(cell["mixer"], cell["periods"], cell["lasting"]): cell["passed"] for cell in cells}
    rows = [
        f"| {periods} | {lasting:g} |"
        + "".join(f" {100 * found[name, periods, lasting]:.0f} % |" for name in MIXERS)
        for periods in PERIODS
        for lasting in LASTING
    ]
    return "\n".join([*head, *rows])


if __name__ == "__main__":
    main()
