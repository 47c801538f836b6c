"""Floating-point operations of an update, matrix products only, worked out from the papers' lines.

What an update could reuse is counted as often as it is computed; what it need not compute at all,
such as a gradient for observations, is not counted.
"""

from collections.abc import Sequence
from itertools import pairwise

from benchmarks.workload import ACTION_DIM, BATCH, HIDDEN, OBSERVATION_DIM

Sizes = Sequence[int]

CRITIC: Sizes = (OBSERVATION_DIM + ACTION_DIM, *HIDDEN, 1)
VALUE: Sizes = (OBSERVATION_DIM, *HIDDEN, 1)
ACTOR: Sizes = (OBSERVATION_DIM, *HIDDEN, ACTION_DIM)
SQUASHED: Sizes = (OBSERVATION_DIM, *HIDDEN, 2 * ACTION_DIM)
"""Mean and spread of every action dimension."""


def forward(sizes: Sizes) -> int:
    """A network at one row."""
    return 2 * sum(before * after for before, after in pairwise(sizes))


def backward(sizes: Sizes, inputs: int = 0) -> int:
    """The gradient of the hidden activations, and of so many inputs, at one row."""
    return forward(sizes[1:]) + 2 * inputs * sizes[1]


def trained(sizes: Sizes) -> int:
    """Forward, the gradient of the activations, and that of the weights, at one row."""
    return 2 * forward(sizes) + backward(sizes)


def climbed(sizes: Sizes) -> int:
    """Forward, and the gradient of the action alone, at one row."""
    return forward(sizes) + backward(sizes, ACTION_DIM)


def iql() -> int:
    evaluated = 2 * forward(CRITIC) + 2 * forward(VALUE)
    return BATCH * (evaluated + trained(VALUE) + trained(ACTOR) + 2 * trained(CRITIC))


def pex() -> int:
    """IQL's, and two policies whose actions both critics compare; the chosen is judged again."""
    compared = 2 * forward(ACTOR) + 2 * 2 * forward(CRITIC) + 2 * forward(CRITIC)
    return iql() + BATCH * compared


def proto() -> int:
    """Online, with the regulariser in the target."""
    target = 2 * forward(ACTOR) + 2 * forward(CRITIC)
    actor = trained(ACTOR) + forward(ACTOR) + 2 * climbed(CRITIC)
    return BATCH * (target + 2 * trained(CRITIC) + actor)


def rlpd(updates: int, batch: int, members: int, subset: int) -> int:
    critic = forward(SQUASHED) + subset * forward(CRITIC) + members * trained(CRITIC)
    actor = trained(SQUASHED) + members * climbed(CRITIC)
    return batch * (updates * critic + actor)


def cql(proposals: int, backup: int) -> int:
    """Proposals from the box, from pi(s) and from pi(s'); the policy is asked once per state."""
    target = forward(SQUASHED) + backup * 2 * forward(CRITIC)
    critic = 2 * forward(SQUASHED) + (1 + 3 * proposals) * 2 * trained(CRITIC)
    actor = trained(SQUASHED) + 2 * climbed(CRITIC)
    return BATCH * (target + critic + actor)
