"""What the exact gradient is compared with: automatic differentiation, and two approximations.

``automatic_gradient`` writes the chain of ``bilevel`` in JAX and differentiates through its solves;
it shares no code with ``bilevel``, and double precision is switched on for the call only.

``printed_gradient`` is the paper's formula as printed.

``one_step_direction`` is the one-step hypergradient. One step of the inner loss from theta moves it
along  -(m g_off + (1 - m) g_on).  An outer loss, the judge, with gradient g_J falls faster for
larger m if  g_J · g_off > g_J · g_on;  the mixer that uses this compares the two cosines.
"""

from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from road.theory.bilevel import Inner, Objective, Ratio, Weights, mix, true_sensitivity
from road.theory.mdp import (
    Numbers,
    StateAction,
    action_values,
    advantages,
    occupancy,
    soft_greedy,
    total,
)

Judge = Literal["TD loss on fresh rows", "true values on fresh rows", "true return"]
JUDGES: tuple[Judge, ...] = ("TD loss on fresh rows", "true values on fresh rows", "true return")
Pairs = Float[Array, "state action"]


def automatic_gradient(
    inner: Inner, distribution: StateAction, objective: Objective = "true"
) -> StateAction:
    """The gradient in the distribution of one problem, by automatic differentiation."""
    with jax.enable_x64(True):  # noqa: FBT003 -- JAX's own signature
        gradient = jax.grad(lambda weights: objective_value(inner, weights, objective))
        return np.asarray(gradient(jnp.asarray(distribution)))


def objective_value(inner: Inner, weights: Pairs, objective: Objective) -> Float[Array, ""]:
    """From the weights of the pairs to the objective, step by step."""
    width = inner.features.shape[-1]
    phi = jnp.asarray(inner.features).reshape(-1, width)
    weight = weights.ravel()
    normal = phi.T @ (weight[:, None] * phi) + inner.ridge * jnp.eye(width)
    theta = jnp.linalg.solve(normal, phi.T @ (weight * jnp.asarray(inner.target).ravel()))
    fitted = (phi @ theta).reshape(weights.shape)
    policy = jax.nn.softmax(inner.inverse_temperature * fitted, axis=-1)
    if objective == "true":
        return discounted_sum(inner, policy, jnp.asarray(inner.mdp.reward))
    if objective == "perceived":
        return (1.0 - inner.mdp.discount) * discounted_sum(inner, policy, fitted)
    states = jax.lax.stop_gradient(state_occupancy(inner, policy))
    return states @ (policy * fitted).sum(-1)


def discounted_sum(inner: Inner, policy: Pairs, reward: Pairs) -> Float[Array, ""]:
    return state_occupancy(inner, policy) @ (policy * reward).sum(-1) / (1.0 - inner.mdp.discount)


def state_occupancy(inner: Inner, policy: Pairs) -> Float[Array, " state"]:
    moves = jnp.einsum("san,sa->sn", jnp.asarray(inner.mdp.transition), policy)
    system = jnp.eye(policy.shape[0]) - inner.mdp.discount * moves.T
    return (1.0 - inner.mdp.discount) * jnp.linalg.solve(system, jnp.asarray(inner.mdp.start))


def printed_gradient(
    inner: Inner, offline_ratio: Ratio, offline: StateAction, online: StateAction
) -> Numbers:
    """The paper's formula as printed: w unprojected, beta missing, and the sign of d_on - d_off.

    - integral of  d^pi(s) pi'(a|s) / d_m · (d_on - d_off) · delta,   pi' = pi · (1 + A_f)
    """
    distribution = mix(offline_ratio, offline, online)
    fit = inner.fit(distribution)
    policy = soft_greedy(fit.values, inner.inverse_temperature)
    induced = occupancy(inner.mdp, policy) * (1.0 + advantages(policy, fit.values))
    covered = distribution > 0.0
    ratio = np.divide(induced, distribution, out=np.zeros_like(induced), where=covered)
    return -total(ratio * (online - offline) * fit.error)


def one_step_direction(
    inner: Inner, values: StateAction, offline: StateAction, online: StateAction, judge: Judge
) -> Numbers:
    """Positive where the judge prefers more offline data; the difference of the two cosines."""
    outer = judge_gradient(inner, values, judge)
    by_offline = loss_gradient(inner, values, inner.target, offline)
    by_online = loss_gradient(inner, values, inner.target, online)
    return cosine(outer, by_offline) - cosine(outer, by_online)


def judge_gradient(inner: Inner, values: StateAction, judge: Judge) -> Weights:
    """Gradient in theta of the judge's loss."""
    policy = soft_greedy(values, inner.inverse_temperature)
    fresh = occupancy(inner.mdp, policy)
    if judge == "TD loss on fresh rows":
        return loss_gradient(inner, values, inner.target, fresh)
    if judge == "true values on fresh rows":
        return loss_gradient(inner, values, action_values(inner.mdp, policy), fresh)
    return -np.einsum("...saf,...sa->...f", inner.features, true_sensitivity(inner, values))


def loss_gradient(
    inner: Inner, values: StateAction, target: StateAction, data: StateAction
) -> Weights:
    """Gradient in theta of half the mean squared error under a distribution of data."""
    return np.einsum("...saf,...sa->...f", inner.features, data * (values - target))


def cosine(left: Weights, right: Weights) -> Numbers:
    length = np.linalg.norm(left, axis=-1) * np.linalg.norm(right, axis=-1)
    return (left * right).sum(-1) / np.maximum(length, 1e-300)
