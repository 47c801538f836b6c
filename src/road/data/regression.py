"""A small model of what follows a row, for checks that ask whether something can be predicted.

Ridge regression on the inputs and on random features of them (tanh of random projections): it
learns smooth non-linear dynamics in a fraction of a second and needs NumPy alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEATURES = 96
STEEPNESS = 1.5
PENALTY = 1e-3
FARTHEST = 5.0
"""Inputs and outputs count up to so many standard deviations: one wild number decides nothing."""


@dataclass(frozen=True)
class Scaling:
    """Mean and spread of each column."""

    mean: Floats
    spread: Floats

    def __call__(self, rows: NDArray[np.floating]) -> Floats:
        return np.clip((rows - self.mean) / self.spread, -FARTHEST, FARTHEST)


def scaling_of(rows: NDArray[np.floating]) -> Scaling:
    """By the middle 98 % of each column; one that hardly varies is not blown up."""
    wide = rows.astype(np.float64)
    low, high = np.percentile(wide, [1, 99], axis=0)
    cut = np.clip(wide, low, high)
    spread = cut.std(axis=0)
    least = np.maximum(1e-6 * np.abs(cut).max(axis=0), 1e-9)
    return Scaling(cut.mean(axis=0), np.where(spread > least, spread, np.inf))


def expand(inputs: Floats, seed: int = 0) -> Floats:
    """The inputs, a constant, and random features."""
    rng = np.random.default_rng(seed)
    width = inputs.shape[1]
    weights = rng.normal(size=(width, FEATURES)) * STEEPNESS / np.sqrt(width)
    features = np.tanh(inputs @ weights + rng.normal(size=FEATURES))
    return np.concatenate([np.ones((len(inputs), 1)), inputs, features], axis=1)


def fit(inputs: Floats, outputs: Floats) -> Floats:
    """Coefficients of the ridge regression."""
    gram = inputs.T @ inputs + PENALTY * len(inputs) * np.eye(inputs.shape[1])
    return np.asarray(np.linalg.solve(gram, inputs.T @ outputs), np.float64)
