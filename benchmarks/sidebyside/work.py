"""What both libraries are given, and how a trained worker answers. NumPy alone.

A worker trains, says so with one line, and then answers each line of observations with a line of
actions, so that the episodes which judge it are played by one and the same program.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

HIDDEN = (128, 128)
"""Half as wide as the defaults, on both sides: CQL takes a third of the time so."""
BATCH = 256
DISCOUNT = 0.99
TARGET_RATE = 0.005
LEARNING_RATE = 3e-4
CAUTIOUS_LEARNING_RATE = 1e-4
"""Of CQL's and Cal-QL's policies."""
EXPECTILE = 0.7
INVERSE_TEMPERATURE = 3.0
AWAC_TEMPERATURE = 1.0
CONSERVATISM = 5.0
PROPOSALS = 10

UPDATES = {"iql": 20_000, "awac": 20_000, "sac": 20_000, "cql": 5_000, "cal-ql": 5_000}
"""Algorithms, and how long each is trained."""


class Log(NamedTuple):
    """Rows in time order; an episode ends where it is terminated or truncated."""

    observation: NDArray[np.float32]
    action: NDArray[np.float32]
    reward: NDArray[np.float32]
    next_observation: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


def read_log(path: Path) -> Log:
    with np.load(path, allow_pickle=False) as arrays:
        return Log(**{name: arrays[name] for name in Log._fields})


def serve(
    train: Callable[[str, int, Log], Callable[[NDArray[np.float32]], NDArray[Any]]],
) -> None:
    """``python -m WORKER ALGORITHM SEED LOG``: train, then act until standard input closes."""
    # Libraries greet on standard output; that goes elsewhere, the protocol keeps the real one.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    algorithm, seed, path = sys.argv[1:]
    act = train(algorithm, int(seed), read_log(Path(path)))
    answers.write('"trained"\n')
    for line in sys.stdin:
        actions = act(np.array(json.loads(line), np.float32))
        answers.write(json.dumps(np.asarray(actions, np.float64).tolist()) + "\n")
