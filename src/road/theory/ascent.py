"""Solving the outer problem: the distribution on which the next fit should be made.

``ascend`` climbs the true return over the simplex of sources with the exact gradient. Two sources
give the offline ratio, all batches so far the paper's g, and one source per pair the free weights
of every sample: one algorithm, three search spaces. ``best_ratio`` evaluates a grid of ratios.
"""

import numpy as np
from jaxtyping import Float

from road.theory.bilevel import (
    Inner,
    Shares,
    Sources,
    blend,
    mix,
    source_gradient,
    true_return,
)
from road.theory.mdp import Numbers, StateAction

GRID = np.linspace(0.0, 1.0, 51)
"""Ratios that ``best_ratio`` evaluates."""
LARGEST_STEP = 8.0
"""A share grows by at most exp(8) in one step."""


def ascend(inner: Inner, sources: Sources, start: Shares, steps: int) -> tuple[Shares, Numbers]:
    """Climb by exponentiated gradient; a step that does not increase J is undone and halved.

    Each problem of the stack has its own step size. A share that starts at zero stays there.
    """
    shares, reached = start, true_return(inner, blend(start, sources))
    size = np.ones_like(reached)
    for _ in range(steps):
        gradient = source_gradient(inner, shares, sources)
        tried = step(shares, gradient, size)
        value = true_return(inner, blend(tried, sources))
        better = value > reached
        shares = np.where(better[..., None], tried, shares)
        reached = np.where(better, value, reached)
        size = np.where(better, np.minimum(1.5 * size, LARGEST_STEP), 0.5 * size)
    return shares, reached


def step(shares: Shares, gradient: Shares, size: Numbers) -> Shares:
    """Multiply every share by the exponential of its slope, in units of the steepest."""
    slope = gradient - (shares * gradient).sum(-1, keepdims=True)
    steepest = np.abs(np.where(shares > 0.0, slope, 0.0)).max(-1, keepdims=True)
    unit = np.clip(slope / np.maximum(steepest, 1e-300), -1.0, 1.0)
    grown = shares * np.exp(size[..., None] * unit)
    return grown / grown.sum(-1, keepdims=True)


def ascend_from(inner: Inner, sources: Sources, starts: list[Shares], steps: int) -> Shares:
    """The best of several ascents: the return is not concave in the shares."""
    ends = [ascend(inner, sources, start, steps) for start in starts]
    values = np.stack([value for _, value in ends])
    found = np.stack([shares for shares, _ in ends])
    chosen = values.argmax(0)[None, ..., None]
    return np.take_along_axis(found, chosen, 0)[0]


def every_pair(distribution: StateAction) -> Sources:
    """One source per pair: its shares are free weights of single samples."""
    *many, states, actions = distribution.shape
    single = np.eye(states * actions).reshape(states * actions, states, actions)
    return np.broadcast_to(single, (*many, *single.shape))


def ratio_curve(
    inner: Inner, offline: StateAction, online: StateAction, ratios: np.ndarray = GRID
) -> Float[np.ndarray, "ratio *many"]:
    """J over the ratios."""
    return np.stack([true_return(inner, mix(m, offline, online)) for m in ratios])


def best_ratio(inner: Inner, offline: StateAction, online: StateAction) -> tuple[Numbers, Numbers]:
    """The best ratio of the grid, and its return."""
    returns = ratio_curve(inner, offline, online)
    return GRID[returns.argmax(0)], returns.max(0)
