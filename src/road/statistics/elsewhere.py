"""An option chosen on other tasks and other seeds, and judged where it was not chosen.

A strategy with options (a ratio, a period, a credit) is not known by its best option: whoever meets
a new task has to choose one before. So for each task t and seed s, of the methods j of a family,

    j(t, s) = argmax_j  sum over t' != t and s' != s of x[t', j, s']

is the option that the other tasks and the other seeds speak for, and x[t, j(t, s), s] is what it
then brings. Choice and judgement share neither a task nor a seed. Scores of several tasks are added
up as they are: a task on which the options differ more has more to say.

A family of one has nothing to choose. A family of more has no advantage by its number: a lucky
option is not lucky again elsewhere.

The choice is part of what is estimated: with other seeds another option may have been chosen, and
one choice for a whole task can decide the result. So intervals choose anew in every sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.statistics.checks import Floats, require_complete, require_methods
from road.statistics.resampling import (
    CONFIDENCE,
    SAMPLES,
    Estimate,
    bootstrap,
    percentile_interval,
)


@dataclass(frozen=True)
class Elsewhere:
    """What a family brings to those who choose among its methods on other tasks and seeds."""

    chosen: NDArray[np.intp]
    """``[task, seed]``: the index of the method that was chosen for that run."""
    scores: Floats
    """``[task, seed]``: what it brought."""


def choose_elsewhere(scores: Floats, family: Sequence[int]) -> Elsewhere:
    """Choose for each task and seed by all that has neither.

    Raises:
        ValueError: there is one task or one seed only, so nothing is left to choose by.
    """
    require_complete(scores)
    require_family(scores, family)
    chosen = chosen_elsewhere(scores, family)
    return Elsewhere(chosen, brought(scores, chosen))


def require_family(scores: Floats, family: Sequence[int]) -> None:
    if len(family) == 0:
        raise ValueError("a family needs at least one method, got none")
    require_methods(scores, *family)
    tasks, _, seeds = scores.shape
    if len(family) > 1 and min(tasks, seeds) < 2:
        raise ValueError(
            f"choosing elsewhere needs two tasks and two seeds, got {tasks} and {seeds}"
        )


def chosen_elsewhere(scores: Floats, family: Sequence[int]) -> NDArray[np.intp]:
    """``[..., task, seed]`` for ``scores[..., task, method, seed]``."""
    options = scores[..., list(family), :]
    everywhere = options.sum(axis=(-3, -1), keepdims=True)
    here = options.sum(axis=-3, keepdims=True) + options.sum(axis=-1, keepdims=True) - options
    return np.asarray(family)[np.argmax(everywhere - here, axis=-2)]


def brought(scores: Floats, chosen: NDArray[np.intp]) -> Floats:
    """The score of the method that was chosen for each task and seed."""
    return np.take_along_axis(scores, chosen[..., None, :], axis=-2)[..., 0, :]


@dataclass(frozen=True)
class FamilyEstimates:
    """Means over tasks and seeds of what each family brings."""

    score: Estimate
    """``[family]``."""
    difference: Estimate
    """``[family]``: minus what the reference brings."""


def estimate_elsewhere(
    scores: Floats,
    families: Sequence[Sequence[int]],
    reference: int,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
) -> FamilyEstimates:
    """What families bring, and how much more than one of them, with intervals."""
    require_complete(scores)
    for family in families:
        require_family(scores, family)

    def means(drawn: Floats) -> Floats:
        found = [brought(drawn, chosen_elsewhere(drawn, family)) for family in families]
        return np.stack([each.mean(axis=(-2, -1)) for each in found], axis=-1)

    point, draws = means(scores), bootstrap(means, scores, rng, samples, paired=True)
    return FamilyEstimates(
        Estimate(point, *percentile_interval(draws, confidence)),
        Estimate(
            point - point[reference],
            *percentile_interval(draws - draws[:, [reference]], confidence),
        ),
    )
