"""The question that matters: what is lost against the best fixed ratio, had one known it.

For each task the best fixed ratio b(t) is chosen. A method's regret is how far it stays behind it:

    regret[t, j] = 1/n sum_s ( x[t, b(t), s] - x[t, j, s] )         mean regret[j] = 1/T sum_t

Below zero the method beats the best constant. There are two ways to choose b(t).

In hindsight: the ratio of the greatest mean over all seeds. This is what the paper's underlined
cells are. But the greatest of several noisy means is greater than the greatest of the true ones:
the winner was also lucky, and it is judged by the same scores that made it the winner. So this
regret is too large on average; the more ratios and the fewer seeds, the more.

Held out: for each seed s the ratio b(t, s) of the greatest mean over the other seeds, judged on
seed s alone. Choice and judgement share no run, so luck does not count. On average this is what a
user gets who tries all ratios on n - 1 seeds and keeps the best. That user sometimes keeps the
wrong one, so as a regret against the truly best ratio this one is too small.

On average the truth lies between the two.

Intervals draw seeds within tasks, the same for all methods, and keep the choices as they were made
from the data. Choosing anew in every sample would count the winner's luck twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.statistics.checks import Floats, require_complete, require_methods
from road.statistics.resampling import CONFIDENCE, SAMPLES, Estimate, bootstrap_estimate


@dataclass(frozen=True)
class Regret:
    """What each method loses against the best fixed ratio; below zero it wins."""

    chosen: NDArray[np.intp]
    """``[task, seed]``: the index of the fixed ratio against which that seed was judged."""
    by_task: Estimate
    """``[task, method]``."""
    overall: Estimate
    """``[method]``: the mean over tasks."""


def hindsight_regret(
    scores: Floats,
    fixed: Sequence[int],
    rng: np.random.Generator,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
) -> Regret:
    """Against the fixed ratio of the greatest mean over all seeds: too large, on average."""
    require_fixed(scores, fixed)
    best = np.argmax(scores[:, list(fixed)].mean(axis=-1), axis=1)
    chosen = np.repeat(best[:, None], scores.shape[-1], axis=1)
    return regret_against(scores, np.asarray(fixed)[chosen], rng, samples, confidence)


def held_out_regret(
    scores: Floats,
    fixed: Sequence[int],
    rng: np.random.Generator,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
) -> Regret:
    """Against the fixed ratio that the other seeds would choose: too small, on average.

    Raises:
        ValueError: there is one seed only, so none is left to choose by.
    """
    require_fixed(scores, fixed)
    if scores.shape[-1] < 2:
        raise ValueError("choosing a ratio on other seeds needs at least two of them, got one")
    constant = scores[:, list(fixed)]
    others = constant.sum(axis=-1, keepdims=True) - constant
    best = np.argmax(others, axis=1)
    return regret_against(scores, np.asarray(fixed)[best], rng, samples, confidence)


def require_fixed(scores: Floats, fixed: Sequence[int]) -> None:
    require_complete(scores)
    if len(fixed) == 0:
        raise ValueError("regret needs at least one fixed ratio to be measured against, got none")
    require_methods(scores, *fixed)


def regret_against(
    scores: Floats,
    chosen: NDArray[np.intp],
    rng: np.random.Generator,
    samples: int,
    confidence: float,
) -> Regret:
    """The regret against a choice that was made for each task and seed."""
    reference = np.take_along_axis(scores, chosen[:, None, :], axis=1)
    behind = reference - scores

    def each_task_and_all(drawn: Floats) -> Floats:
        by_task = drawn.mean(axis=-1)
        return np.concatenate([by_task, by_task.mean(axis=-2, keepdims=True)], axis=-2)

    found = bootstrap_estimate(each_task_and_all, behind, rng, samples, confidence, paired=True)
    return Regret(
        chosen,
        by_task=Estimate(found.point[:-1], found.low[:-1], found.high[:-1]),
        overall=Estimate(found.point[-1], found.low[-1], found.high[-1]),
    )
