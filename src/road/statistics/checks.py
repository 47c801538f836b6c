"""What the other files of this room take for granted, said once and with the place."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Scores and what is computed of them."""


def require_complete(scores: Floats) -> None:
    """Refuse what has not three axes, has no run, or lacks a score."""
    if scores.ndim != 3:
        raise ValueError(f"scores must be scores[task, method, seed], got {scores.ndim} axes")
    if not scores.size:
        raise ValueError(f"scores hold no run: tasks, methods and seeds are {scores.shape}")
    missing = np.argwhere(~np.isfinite(scores))
    if len(missing):
        task, method, seed = missing[0].tolist()
        raise ValueError(
            f"{len(missing)} of {scores.size} scores are missing, the first of task {task}, method "
            f"{method}, seed {seed}; ScoreTable.complete says which and leaves out what you choose"
        )


def require_methods(scores: Floats, *methods: int) -> None:
    """Refuse an index that names no method."""
    for method in methods:
        if not 0 <= method < scores.shape[1]:
            raise ValueError(f"there is no method {method}; scores have {scores.shape[1]}")
