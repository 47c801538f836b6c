"""The one-step hypergradient: whether more offline data would have lowered a judge's loss.

One step of the inner loss from theta moves it along  -(m g_off + (1 - m) g_on). A judge with
gradient g_J falls faster for larger m if  g_J · g_off > g_J · g_on;  the mixer that uses this
compares the two cosines. Its sign is set here against the exact one, dJ/dm after a full fit.
"""

from typing import Literal

import numpy as np
from jaxtyping import Float

from road.theory.bilevel import Inner, by_true_return
from road.theory.mdp import Numbers, StateAction, action_values, occupancy, soft_greedy
from road.theory.projection import Weights

Judge = Literal["TD loss on fresh rows", "true values on fresh rows", "true return"]
JUDGES: tuple[Judge, ...] = ("TD loss on fresh rows", "true values on fresh rows", "true return")


def loss_gradient(
    inner: Inner, values: StateAction, target: StateAction, data: StateAction
) -> Weights:
    """Gradient in theta of half the mean squared error on some data."""
    return np.einsum("...saf,...sa->...f", inner.features, data * (values - target))


def judge_gradient(inner: Inner, values: StateAction, judge: Judge) -> Weights:
    """What the judge would have theta descend."""
    policy = soft_greedy(values, inner.inverse_temperature)
    fresh = occupancy(inner.mdp, policy)
    if judge == "TD loss on fresh rows":
        return loss_gradient(inner, values, inner.target, fresh)
    if judge == "true values on fresh rows":
        return loss_gradient(inner, values, action_values(inner.mdp, policy), fresh)
    return -np.einsum("...saf,...sa->...f", inner.features, by_true_return(inner, values))


def one_step_direction(
    inner: Inner, values: StateAction, offline: StateAction, online: StateAction, judge: Judge
) -> Numbers:
    """Positive where the judge asks for more offline data; the difference of the two cosines."""
    wanted = judge_gradient(inner, values, judge)
    by_offline = loss_gradient(inner, values, inner.target, offline)
    by_online = loss_gradient(inner, values, inner.target, online)
    return cosine(wanted, by_offline) - cosine(wanted, by_online)


def cosine(
    left: Float[np.ndarray, "*many feature"], right: Float[np.ndarray, "*many feature"]
) -> Numbers:
    length = np.linalg.norm(left, axis=-1) * np.linalg.norm(right, axis=-1)
    return (left * right).sum(-1) / np.maximum(length, 1e-300)
