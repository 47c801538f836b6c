"""Regret: what a method loses against the best fixed ratio of each task.

For each task the best fixed ratio b(t) is chosen. A method's regret is how far it stays behind it:

    regret[t, j] = 1/n sum_s ( x[t, b(t), s] - x[t, j, s] )         mean regret[j] = 1/T sum_t

Below zero the method beats the best constant. There are two ways to choose b(t).

In hindsight: the ratio of the greatest mean over all seeds. This is what the paper's underlined
cells are. But the greatest of several noisy means is greater than the greatest of the true ones:
it is selected and evaluated on the same scores. So this regret is too large on average; the more
ratios and the fewer seeds, the more.

Held out: for each seed s the ratio b(t, s) of the greatest mean over the other seeds, evaluated on
seed s alone. Selection and evaluation share no run, so there is no selection bias. On average this
is the score of a user who tries all ratios on n - 1 seeds and keeps the best. Sometimes that is the
wrong one, so as a regret against the truly best ratio this one is too small.

On average the truth lies between the two.

Intervals draw seeds within tasks, the same for all methods, and keep the choices as they were made
from the data. Selecting again in every sample would count the selection bias twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.statistics.resampling import CONFIDENCE, SAMPLES, Estimate, estimate_by_task
from road.statistics.table import Floats, require_methods


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
    require_methods(scores, fixed, "a regret")
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
    require_methods(scores, fixed, "a regret")
    if scores.shape[-1] < 2:
        raise ValueError("choosing a ratio on other seeds needs at least two of them, got one")
    constant = scores[:, list(fixed)]
    others = constant.sum(axis=-1, keepdims=True) - constant
    best = np.argmax(others, axis=1)
    return regret_against(scores, np.asarray(fixed)[best], rng, samples, confidence)


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
    return Regret(chosen, *estimate_by_task(behind, rng, samples, confidence, paired=True))
