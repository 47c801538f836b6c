"""A transition as one packed float32 row, so that a batch is one gather and one transfer.

observation | action | next_observation | reward | terminated | return_to_go
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from road.types import Spec, Transition

ArrayT = TypeVar("ArrayT", bound=Any)

UNKNOWN_RETURN = -np.inf
"""Return-to-go of a step whose episode is still running: a lower bound that says nothing."""


def row_width(spec: Spec) -> int:
    return 2 * spec.observation_dim + spec.action_dim + 3


def unpack(rows: ArrayT, spec: Spec) -> Transition[ArrayT]:
    """Views of packed rows (..., width), on the host or on the device."""
    acts = spec.observation_dim + spec.action_dim
    nexts = acts + spec.observation_dim
    return Transition(
        observation=rows[..., : spec.observation_dim],
        action=rows[..., spec.observation_dim : acts],
        next_observation=rows[..., acts:nexts],
        reward=rows[..., nexts],
        terminated=rows[..., nexts + 1],
        return_to_go=rows[..., nexts + 2],
    )


def pack(transition: Transition[NDArray[Any]]) -> NDArray[np.float32]:
    """Packed rows of transitions stacked along their first axis."""
    return np.concatenate(
        [
            np.asarray(transition.observation, np.float32),
            np.asarray(transition.action, np.float32),
            np.asarray(transition.next_observation, np.float32),
            np.asarray(transition.reward, np.float32)[:, None],
            np.asarray(transition.terminated, np.float32)[:, None],
            np.asarray(transition.return_to_go, np.float32)[:, None],
        ],
        axis=1,
    )


def returns_to_go(
    reward: NDArray[Any], discount: float, failure: float | None = None
) -> NDArray[np.float64]:
    """Discounted return from each step of one finished episode to its end.

    Where a task pays success alone, an episode that earned nothing but ``failure`` is taken to fail
    for ever, as Cal-QL's authors do: every step is worth failure / (1 - discount).
    """
    if failure is not None and (reward == np.float32(failure)).all():
        return np.full(len(reward), failure / (1.0 - discount))
    total = 0.0
    result = np.empty(len(reward))
    for step in reversed(range(len(reward))):
        total = float(reward[step]) + discount * total
        result[step] = total
    return result
