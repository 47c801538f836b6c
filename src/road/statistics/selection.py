"""Options that are selected on other tasks and other seeds than those they are evaluated on.

The best option of a strategy (a ratio, a period, a credit) overestimates it: on a new task the
option has to be selected in advance. So for each task t and seed s, of the methods j of a family,

    j(t, s) = argmax_j  sum over t' != t and s' != s of x[t', j, s']

is the option with the greatest mean on the other tasks and the other seeds, and x[t, j(t, s), s] is
its score. Selection and evaluation share neither a task nor a seed. Scores of several tasks are
added without scaling: a task on which the options differ more has a larger influence.

A family of one option needs no selection. A larger family has no advantage by its size: an option
that is best by chance has no advantage on other tasks and seeds.

The selection is part of the estimate: with other seeds another option may have been selected, and
one selection for a whole task can decide the result. So it is repeated in every bootstrap sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.statistics.resampling import (
    CONFIDENCE,
    SAMPLES,
    Estimate,
    bootstrap,
    percentile_interval,
)
from road.statistics.table import Floats, require_methods


@dataclass(frozen=True)
class Selection:
    """The scores of a family whose methods are selected on other tasks and seeds."""

    selected: NDArray[np.intp]
    """``[task, seed]``: the index of the method that was selected for that run."""
    scores: Floats
    """``[task, seed]``: its score."""


def select_options(scores: Floats, family: Sequence[int]) -> Selection:
    """Select for each task and seed by the runs that have neither.

    Raises:
        ValueError: there is one task or one seed only, so none is left to select on.
    """
    require_family(scores, family)
    selected = selected_options(scores, family)
    return Selection(selected, scores_of_selected(scores, selected))


def require_family(scores: Floats, family: Sequence[int]) -> None:
    require_methods(scores, family, "a family")
    tasks, _, seeds = scores.shape
    if len(family) > 1 and min(tasks, seeds) < 2:
        raise ValueError(
            f"selecting options needs two tasks and two seeds, got {tasks} and {seeds}"
        )


def selected_options(scores: Floats, family: Sequence[int]) -> NDArray[np.intp]:
    """``[..., task, seed]`` for ``scores[..., task, method, seed]``."""
    options = scores[..., list(family), :]
    everywhere = options.sum(axis=(-3, -1), keepdims=True)
    here = options.sum(axis=-3, keepdims=True) + options.sum(axis=-1, keepdims=True) - options
    return np.asarray(family)[np.argmax(everywhere - here, axis=-2)]


def scores_of_selected(scores: Floats, selected: NDArray[np.intp]) -> Floats:
    """The score of the method that was selected for each task and seed."""
    return np.take_along_axis(scores, selected[..., None, :], axis=-2)[..., 0, :]


@dataclass(frozen=True)
class FamilyEstimates:
    """Means over tasks and seeds of the scores of each family."""

    score: Estimate
    """``[family]``."""
    difference: Estimate
    """``[family]``: minus the reference."""


def estimate_selection(
    scores: Floats,
    families: Sequence[Sequence[int]],
    reference: int,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
) -> FamilyEstimates:
    """The score of each family and its difference to one of them, with intervals."""
    for family in families:
        require_family(scores, family)

    def means(drawn: Floats) -> Floats:
        found = [scores_of_selected(drawn, selected_options(drawn, family)) for family in families]
        return np.stack([each.mean(axis=(-2, -1)) for each in found], axis=-1)

    point, draws = means(scores), bootstrap(means, scores, rng, samples, paired=True)
    return FamilyEstimates(
        Estimate(point, *percentile_interval(draws, confidence)),
        Estimate(
            point - point[reference],
            *percentile_interval(draws - draws[:, [reference]], confidence),
        ),
    )
