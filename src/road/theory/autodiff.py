"""The same chain written in JAX and differentiated through its solves: a second opinion.

Nothing here shares code with ``bilevel``. Double precision is switched on for the call only.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from road.theory.bilevel import Inner, Objective
from road.theory.mdp import StateAction


def automatic_gradient(
    inner: Inner, distribution: StateAction, objective: Objective = "true"
) -> StateAction:
    """The gradient in the distribution of one problem, by automatic differentiation."""
    with jax.enable_x64(True):  # noqa: FBT003 -- JAX's own signature
        chain = jax.grad(lambda weights: outcome(inner, weights, objective))
        return np.asarray(chain(jnp.asarray(distribution)))


def outcome(
    inner: Inner, weights: Float[Array, "state action"], objective: Objective
) -> Float[Array, ""]:
    """From the weights of the pairs to the objective, step by step."""
    width = inner.features.shape[-1]
    phi = jnp.asarray(inner.features).reshape(-1, width)
    weight = weights.ravel()
    normal = phi.T @ (weight[:, None] * phi) + inner.ridge * jnp.eye(width)
    theta = jnp.linalg.solve(normal, phi.T @ (weight * jnp.asarray(inner.target).ravel()))
    fitted = (phi @ theta).reshape(weights.shape)
    policy = jax.nn.softmax(inner.inverse_temperature * fitted, axis=-1)
    if objective == "true":
        return discounted(inner, policy, jnp.asarray(inner.mdp.reward))
    visits = policy if objective == "perceived" else jax.lax.stop_gradient(policy)
    if objective == "perceived":
        return (1.0 - inner.mdp.discount) * discounted(inner, visits, fitted)
    states = jax.lax.stop_gradient(state_visits(inner, policy))
    return states @ (policy * fitted).sum(-1)


def discounted(
    inner: Inner, policy: Float[Array, "state action"], reward: Float[Array, "state action"]
) -> Float[Array, ""]:
    return state_visits(inner, policy) @ (policy * reward).sum(-1) / (1.0 - inner.mdp.discount)


def state_visits(inner: Inner, policy: Float[Array, "state action"]) -> Float[Array, " state"]:
    moves = jnp.einsum("san,sa->sn", jnp.asarray(inner.mdp.transition), policy)
    system = jnp.eye(policy.shape[0]) - inner.mdp.discount * moves.T
    return (1.0 - inner.mdp.discount) * jnp.linalg.solve(system, jnp.asarray(inner.mdp.start))
