"""Whether the fixed ratios of a task differ: of equal ones, too, one has the greatest mean.

For the constants j of a task, with n seeds each, the spread is

    D = sum_j (mean_s x[j, s] - mean of all)²

If the ratio made no difference, the scores of one seed could have been assigned to the constants in
any other order: runs of a seed begin from the same pretrained agent. B such permutations are drawn,
each seed by itself; p counts those whose D is at least the observed one: (1 + hits) / (1 + B).

Which constants may be as good as the best one: j is worse beyond chance if the sign-flip test of
best minus j, seed by seed, gives a one-sided p of at most 0.05. With fewer than five seeds p is
never that small, so that no constant is excluded. The best one was chosen on the same scores, so
that somewhat more than 5 % of equal ones are excluded.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.statistics.paired import sign_flip_p
from road.statistics.table import Floats, require_methods

PERMUTATIONS = 10_000
LEVEL = 0.05
ROUNDING = 1e-9
"""Spreads that differ by less than this share are the same number, rounded."""


@dataclass(frozen=True)
class FixedRatioComparison:
    """How the constants differ, for each task."""

    best: NDArray[np.intp]
    """The method with the greatest mean."""
    range: Floats
    """The greatest mean minus the least."""
    p: Floats
    """One test for each task: among 24 of them, one below 0.05 is to be expected by chance."""


def compare_fixed_ratios(
    scores: Floats, fixed: Sequence[int], rng: np.random.Generator, permutations: int = PERMUTATIONS
) -> FixedRatioComparison:
    """Whether the constant ratios of each task differ; of one alone p is 1."""
    require_methods(scores, fixed, "a comparison of constants")
    constants = scores[:, list(fixed)]
    means = constants.mean(axis=-1)
    return FixedRatioComparison(
        np.asarray(fixed)[means.argmax(axis=1)],
        np.ptp(means, axis=1),
        np.array([permutation_p(task, rng, permutations) for task in constants]),
    )


def permutation_p(scores: Floats, rng: np.random.Generator, permutations: int) -> float:
    """Of one task: ``scores[constant, seed]``."""
    permuted = rng.permuted(np.broadcast_to(scores, (permutations, *scores.shape)), axis=1)
    observed = spread(scores[None])
    hits = int(np.count_nonzero(spread(permuted) >= observed * (1.0 - ROUNDING)))
    return (1 + hits) / (1 + permutations)


def spread(scores: Floats) -> Floats:
    """D of each of many ``scores[..., constant, seed]``, divided by the number of constants."""
    return scores.mean(axis=-1).var(axis=-1)


def not_worse_than_best(scores: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Of ``scores[constant, seed]``: the constants that are not worse than the best beyond chance.

    The constants are in the order of their ratios; counted are those next to the best one, up to
    the first that is worse, on either side.
    """
    best = int(scores.mean(axis=-1).argmax())
    # The best one has the greater mean, so half of the two-sided p is that of its side.
    within = np.array([sign_flip_p(scores[best] - one, rng) > 2 * LEVEL for one in scores])
    within[best] = True
    above = np.logical_and.accumulate(within[best:])
    below = np.logical_and.accumulate(within[: best + 1][::-1])[::-1]
    return np.concatenate([below, above[1:]])
