"""A worker's side of the protocol: ready, then one timed window per line on its standard input.

    driver:  run CANDIDATE SECONDS
    worker:  {"units": 750, "seconds": 3.012}

Needs the standard library alone, so that it runs in every environment.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version

Candidate = Callable[[float], "Window"]
"""Works for about that many seconds."""


@dataclass(frozen=True)
class Window:
    """How much of a candidate's work was done in how long."""

    units: int
    """Steps, rows, calls or starts: each candidate's own."""
    seconds: float


def repeating(work: Callable[[], int]) -> Candidate:
    """Work again and again until the time is over; ``work`` gives how many units it did."""

    def run(seconds: float) -> Window:
        units, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            units += work()
        return Window(units, time.perf_counter() - began)

    return run


def serve(prepare: Callable[[], Mapping[str, Candidate]], packages: tuple[str, ...]) -> None:
    """Prepare, say what there is, and run windows until standard input closes."""
    # Libraries greet on standard output; that goes elsewhere, the protocol keeps the real one.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    candidates = prepare()
    versions = {"python": sys.version.split()[0], **{name: version(name) for name in packages}}
    answers.write(json.dumps({"candidates": list(candidates), "versions": versions}) + "\n")
    for line in sys.stdin:
        _, name, seconds = line.split()
        answers.write(json.dumps(asdict(candidates[name](float(seconds)))) + "\n")
