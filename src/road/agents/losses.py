"""Formulas that more than one paper uses, on plain arrays, and the scan over a stack of batches."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from road.types import Batch, Metrics

State = TypeVar("State")

WEIGHT_LIMIT = 100.0
"""Where the exponential weights of advantage-weighted regression are cut."""


def bellman_loss(
    q: Float[Array, "member batch"], target: Float[Array, " batch"]
) -> Float[Array, ""]:
    """Squared error of every member against one target: mean over the batch, sum over members."""
    return ((q - target[None, :]) ** 2).mean(axis=1).sum()


def advantage_weight(
    advantage: Float[Array, " batch"], inverse_temperature: float
) -> Float[Array, " batch"]:
    """exp(beta · A), cut."""
    return jnp.minimum(jnp.exp(inverse_temperature * advantage), WEIGHT_LIMIT)


def over_stack(
    update_once: Callable[[State, Batch, PRNGKeyArray], tuple[State, Metrics]],
    state: State,
    batch: Batch,
    key: PRNGKeyArray,
) -> tuple[State, Metrics]:
    """Apply an update to each mini-batch of a stack (update, batch, ...) in turn."""
    keys = jax.random.split(key, batch.reward.shape[0])
    return jax.lax.scan(
        lambda carry, each: update_once(carry, each[0], each[1]), state, (batch, keys)
    )
