"""How good the ratio that a credit prefers is as a constant, against a uniformly random ratio.

    of a run:  gain = x[preferred] - mean of x over the ratios that the run has credits for

where x[r] is the mean score of the fixed ratio r on that task, over seeds, and the preferred ratio
is that with the greatest credit; several that tie share the preference. Above zero the credit
prefers good constants; below, bad ones. A run that has credits for fewer than two ratios has no
preference, and the gain 0.

An uninformative credit has a mean gain of zero, provided that it is equally likely to prefer each
ratio. A trend violates that: credits that rise prefer the ratio that is tried last.
So give credits from which it was taken out (``road.mixing.informedness.arm_effects``). In a run of
few periods that is a straight line: a curved trend can add a few points, most of all for a
bandit that tries its arms in the same order in every run.

A ratio may be right for one period and wrong for a whole run. This number cannot show that.
"""

from dataclasses import dataclass

import numpy as np

from road.statistics.resampling import SAMPLES, Estimate, bootstrap_estimate
from road.statistics.table import Floats


@dataclass(frozen=True)
class CreditQuality:
    """How good the ratios are that the credits of some methods prefer."""

    by_task: Floats
    """``[task, method]``: the gain, the mean over runs."""
    overall: Estimate
    """``[method]``: over tasks; the interval is over seeds, of the constants and of the runs."""


def estimate_credit_quality(
    credits: Floats, scores: Floats, rng: np.random.Generator, samples: int = SAMPLES
) -> CreditQuality:
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
    # Seeds are drawn once for all of a task, so what depends on them is in one table.
    weights = np.moveaxis(relative_preferences(credits), 2, 3).reshape(
        tasks, methods * ratios, seeds
    )
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
    return CreditQuality(gains(together), overall)


def relative_preferences(credits: Floats) -> Floats:
    """Preferences of a run, minus equal ones for all ratios that it has credits for."""
    known = ~np.isnan(credits)
    number = known.sum(axis=-1, keepdims=True)
    return preferences(credits) - known / np.maximum(number, 1)


def preferences(credits: Floats) -> Floats:
    """1 for the ratio with the greatest of ``credits[..., ratio]``, shared where several tie."""
    known = np.where(np.isnan(credits), -np.inf, credits)
    tied = (known == known.max(axis=-1, keepdims=True)) & np.isfinite(known)
    return tied / np.maximum(tied.sum(axis=-1, keepdims=True), 1)
