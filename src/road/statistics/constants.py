"""Does the ratio matter on a task at all? Constants that do not differ have a best one too.

For the constants j of a task, with n seeds each, the spread is

    D = sum_j (mean_s x[j, s] - mean of all)²

If the ratio made no difference, the scores of one seed might as well have been dealt out to the
constants in any other order: runs of a seed begin from the same pretrained agent. p is the share of
such deals, made for every seed by itself, whose D is at least the one seen: (1 + hits) / (1 + B).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.statistics.checks import Floats, require_complete, require_methods

DEALS = 10_000
ROUNDING = 1e-9
"""Spreads that differ by less than this share are the same number, rounded."""


@dataclass(frozen=True)
class Constants:
    """How the constants differ, for each task."""

    best: NDArray[np.intp]
    """The method with the greatest mean."""
    range: Floats
    """The greatest mean minus the least."""
    p: Floats
    """One test for each task: among 24 of them, one below 0.05 is to be expected by chance."""


def compare_constants(
    scores: Floats, fixed: Sequence[int], rng: np.random.Generator, deals: int = DEALS
) -> Constants:
    """Whether the constant ratios of each task can be told apart; of one alone p is 1."""
    require_complete(scores)
    if len(fixed) == 0:
        raise ValueError("a task needs at least one constant to be compared, got none")
    require_methods(scores, *fixed)
    constants = scores[:, list(fixed)]
    means = constants.mean(axis=-1)
    return Constants(
        np.asarray(fixed)[means.argmax(axis=1)],
        np.ptp(means, axis=1),
        np.array([permutation_p(task, rng, deals) for task in constants]),
    )


def permutation_p(scores: Floats, rng: np.random.Generator, deals: int) -> float:
    """Of one task: ``scores[constant, seed]``."""
    dealt = rng.permuted(np.broadcast_to(scores, (deals, *scores.shape)), axis=1)
    seen = spread(scores[None])
    hits = int(np.count_nonzero(spread(dealt) >= seen * (1.0 - ROUNDING)))
    return (1 + hits) / (1 + deals)


def spread(scores: Floats) -> Floats:
    """D of each of many ``scores[..., constant, seed]``, divided by the number of constants."""
    return scores.mean(axis=-1).var(axis=-1)
