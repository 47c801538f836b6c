"""An option chosen on other tasks and other seeds, and judged where it was not chosen.

A strategy with options (a ratio, a period, a credit) is not known by its best option: whoever meets
a new task has to choose one before. So for each task t and seed s, of the methods j of a family,

    j(t, s) = argmax_j  sum over t' != t and s' != s of x[t', j, s']

is the option that the other tasks and the other seeds speak for, and x[t, j(t, s), s] is what it
then brings. Choice and judgement share neither a task nor a seed. Scores of several tasks are added
up as they are: a task on which the options differ more has more to say.

A family of one has nothing to choose. A family of more has no advantage by its number: a lucky
option is not lucky again elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.statistics.checks import require_complete, require_methods

Floats = NDArray[np.float64]


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
    if not family:
        raise ValueError("a family needs at least one method, got none")
    require_methods(scores, *family)
    tasks, _, seeds = scores.shape
    if len(family) > 1 and min(tasks, seeds) < 2:
        raise ValueError(
            f"choosing elsewhere needs two tasks and two seeds, got {tasks} and {seeds}"
        )
    options = scores[:, list(family)]
    everywhere = options.sum(axis=(0, 2), keepdims=True)
    here = options.sum(axis=0, keepdims=True) + options.sum(axis=2, keepdims=True) - options
    chosen = np.asarray(family)[np.argmax(everywhere - here, axis=1)]
    return Elsewhere(chosen, np.take_along_axis(scores, chosen[:, None, :], axis=1)[:, 0])
