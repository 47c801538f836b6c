"""What a credit's advice is worth: its favourite ratio as a constant, against one drawn blindly.

    of a run:  gain = x[favourite] - mean of x over the ratios that the run has credits for

where x[r] is the mean score of the fixed ratio r on that task, over seeds, and the favourite is the
ratio with the greatest credit; several that tie share it. Above zero the credit points to good
constants; below, to bad ones. A run that has credits for fewer than two ratios has nothing to
prefer, and gains nothing.

Where a credit knows nothing the mean of the gain is zero, provided that every ratio is as likely to
be the favourite. A trend spoils that: credits that rise make a favourite of whatever is tried last.
So give credits from which it was taken out (``road.mixing.informedness.arm_effects``). In a run of
few periods that is a straight line: what bends beside it can be worth a few points, most of all to
a bandit that tries its arms in the same order in every run.

A period is not a run: a ratio may be right for a while and wrong for good. That, this number does
not see.
"""

from dataclasses import dataclass

import numpy as np

from road.statistics.checks import Floats
from road.statistics.resampling import SAMPLES, Estimate, bootstrap_estimate


@dataclass(frozen=True)
class Favoured:
    """What the favourites of some methods are worth."""

    by_task: Floats
    """``[task, method]``: the gain, the mean over runs."""
    overall: Estimate
    """``[method]``: over tasks; the interval is about other seeds of both, constants and runs."""


def estimate_favoured(
    credits: Floats, scores: Floats, rng: np.random.Generator, samples: int = SAMPLES
) -> Favoured:
    """From ``credits[task, method, seed, ratio]`` and the constants' ``scores[task, ratio, seed]``.

    A credit is NaN where a run has none for that ratio.
    """
    if credits.ndim != 4 or np.isinf(credits).any():
        raise ValueError(
            "credits must be [task, method, seed, ratio], finite or NaN; "
            f"got {int(np.isinf(credits).sum())} infinite ones and the shape {credits.shape}"
        )
    tasks, methods, seeds, ratios = credits.shape
    if scores.shape != (tasks, ratios, seeds):
        raise ValueError(
            f"credits of {tasks} tasks, {seeds} seeds and {ratios} ratios need scores of the same, "
            f"got {scores.shape}"
        )
    # Seeds are drawn once for all of a task, so whatever depends on them stands in one table.
    weights = np.moveaxis(advice(credits), 2, 3).reshape(tasks, methods * ratios, seeds)
    together = np.concatenate([scores, weights], axis=1)

    def gains(drawn: Floats) -> Floats:
        means = drawn.mean(axis=-1)
        constants, weights = means[..., :ratios], means[..., ratios:]
        # Weights sum to zero but for rounding, which counts where all constants are alike.
        constants = constants - constants.mean(axis=-1, keepdims=True)
        weights = weights.reshape(*weights.shape[:-1], methods, ratios)
        return np.einsum("...mr,...r->...m", weights, constants)

    overall = bootstrap_estimate(
        lambda drawn: gains(drawn).mean(axis=-2), together, rng, samples, paired=True
    )
    return Favoured(gains(together), overall)


def advice(credits: Floats) -> Floats:
    """What a run asks for of each ratio, against asking for all that it has credits for alike."""
    heard = ~np.isnan(credits)
    number = heard.sum(axis=-1, keepdims=True)
    return favour(credits) - heard / np.maximum(number, 1)


def favour(credits: Floats) -> Floats:
    """One for the ratio with the greatest of ``credits[..., ratio]``, in parts where they tie."""
    known = np.where(np.isnan(credits), -np.inf, credits)
    tied = (known == known.max(axis=-1, keepdims=True)) & np.isfinite(known)
    return tied / np.maximum(tied.sum(axis=-1, keepdims=True), 1)
