"""What is read off an agent's critic without training it: advantages, errors, gradients.

Pure functions of an agent, its state and rows; the state of every agent holds its critic as
``state.critic``. For CQL and Cal-QL the penalty is no part of what is read: errors and gradients
are those of the Bellman error alone.
"""

from typing import Any, Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from road.nn.networks import Critic
from road.types import AnyAgent, Batch

Judge = Literal["td", "monte-carlo"]


def preference(agent: AnyAgent, state: Any, batch: Batch, key: PRNGKeyArray) -> Float[Array, ""]:
    """Delta: by how much the critic prefers actions of the policy to those of the rows."""
    action = agent.act(state, batch.observation, key)
    preferred = agent.q_value(state, batch.observation, action)
    recorded = agent.q_value(state, batch.observation, batch.action)
    # The difference per row first: Q may be large where the difference is small.
    return (preferred - recorded).mean()


def td_error(agent: AnyAgent, state: Any, batch: Batch, key: PRNGKeyArray) -> Float[Array, ""]:
    """Mean squared Bellman error of the critics on one mini-batch."""
    target = agent.target(state, batch, key)
    return squared_error(state.critic.model, batch, target, jnp.ones_like(batch.reward))


def squared_error(
    critic: Critic,
    batch: Batch,
    target: Float[Array, " batch"],
    weight: Float[Array, " batch"],
) -> Float[Array, ""]:
    """Mean over the critics and, by weight, over the rows; 0 where no row has any."""
    error = critic(batch.observation, batch.action) - target[None, :]
    return ((error**2).mean(axis=0) * weight).sum() / jnp.maximum(weight.sum(), 1.0)


def td_gradient(agent: AnyAgent, state: Any, batch: Batch, key: PRNGKeyArray) -> Critic:
    """Of the Bellman error, in the critics' weights; the target is held."""
    target = agent.target(state, batch, key)
    everyone = jnp.ones_like(batch.reward)
    return jax.grad(squared_error)(state.critic.model, batch, target, everyone)


def return_gradient(agent: AnyAgent, state: Any, batch: Batch, key: PRNGKeyArray) -> Critic:
    """Of the squared distance from the return, on those rows whose episode is over."""
    del agent, key
    known = jnp.isfinite(batch.return_to_go)
    target = jnp.where(known, batch.return_to_go, 0.0)
    return jax.grad(squared_error)(state.critic.model, batch, target, known.astype(jnp.float32))


def alignment(
    agent: AnyAgent,
    state: Any,
    sources: tuple[Batch, Batch, Batch],
    key: PRNGKeyArray,
    judge: Judge,
) -> Float[Array, "3"]:
    """Cosines of gradients: offline with fresh, online with fresh, offline with online."""
    offline, online, fresh = sources
    offline_key, online_key, fresh_key = jax.random.split(key, 3)
    verdict = td_gradient if judge == "td" else return_gradient
    judged = flat(verdict(agent, state, fresh, fresh_key))
    pushed = [
        flat(td_gradient(agent, state, offline, offline_key)),
        flat(td_gradient(agent, state, online, online_key)),
    ]
    return jnp.stack([*(cosine(each, judged) for each in pushed), cosine(*pushed)])


def flat(gradient: Critic) -> Float[Array, " weight"]:
    return jnp.concatenate([leaf.reshape(-1) for leaf in jax.tree.leaves(gradient)])


def cosine(one: Float[Array, " weight"], other: Float[Array, " weight"]) -> Float[Array, ""]:
    """0 where either has no length: nothing to say."""
    lengths = jnp.linalg.norm(one) * jnp.linalg.norm(other)
    return jnp.where(lengths > 0.0, one @ other / jnp.where(lengths > 0.0, lengths, 1.0), 0.0)
