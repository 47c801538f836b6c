"""Losses that more than one paper uses, and the scan over a stack of mini-batches.

The first argument of a loss is what it trains; all others are constants.
"""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from road.nn.networks import Critic, GaussianActor, Value
from road.types import Batch, Metrics, Scalar, Scalars

State = TypeVar("State")

WEIGHT_LIMIT = 100.0
"""Where the exponential weights of advantage-weighted regression are cut."""


def td_target(batch: Batch, discount: float, next_value: Scalars) -> Scalars:
    """R + gamma (1 - terminated) V(s')."""
    return batch.reward + discount * (1.0 - batch.terminated) * next_value


def critic_loss(critic: Critic, target: Scalars, batch: Batch) -> tuple[Scalar, Metrics]:
    """Every critic regresses on one target: IQL's Eq. 6, SAC's Eq. 5."""
    q = critic(batch.observation, batch.action)
    return bellman_loss(q, target), {"mean": q.mean(), "largest": q.max()}


def bellman_loss(q: Float[Array, "member batch"], target: Scalars) -> Scalar:
    """Squared error of every member against one target: mean over the batch, sum over members."""
    return ((q - target[None, :]) ** 2).mean(axis=1).sum()


def expectile_value_loss(
    value: Value, q: Scalars, batch: Batch, *, expectile: float
) -> tuple[Scalar, Metrics]:
    """V regresses on Q by expectile: IQL's Eq. 5."""
    v = value(batch.observation)
    return expectile_loss(q - v, expectile), {"mean": v.mean()}


def expectile_loss(error: Scalars, expectile: float) -> Scalar:
    """Squares of errors above zero weigh ``expectile``, those below the rest."""
    weight = jnp.where(error > 0.0, expectile, 1.0 - expectile)
    return (weight * error**2).mean()


def advantage_weight(advantage: Scalars, inverse_temperature: float) -> Scalars:
    """exp(beta · A), cut."""
    return jnp.minimum(jnp.exp(inverse_temperature * advantage), WEIGHT_LIMIT)


def weighted_imitation_loss(
    actor: GaussianActor, weight: Scalars, batch: Batch
) -> tuple[Scalar, Metrics]:
    """Advantage-weighted regression on the actions of a batch: IQL's Eq. 7."""
    policy = actor(batch.observation)
    loss = -(weight * policy.log_prob(batch.action)).mean()
    return loss, {"weight": weight.mean(), "std": policy.std.mean()}


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
