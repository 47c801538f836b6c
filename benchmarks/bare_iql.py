"""Implicit Q-learning on plain dictionaries of arrays: what ``road.agents.iql`` would cost bare.

The same formulas, the same metrics and the same optimiser as ours, without modules, without types
and without flattening; only here to be compared with.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax

from benchmarks import workload

Tree = dict[str, Any]
OPTIMISER = optax.adam(workload.LEARNING_RATE)


def mlp(layers: list[Tree], x: jax.Array) -> jax.Array:
    for layer in layers[:-1]:
        x = jax.nn.relu(x @ layer["weight"] + layer["bias"])
    return x @ layers[-1]["weight"] + layers[-1]["bias"]


def critic_values(critic: list[Tree], rows: Tree) -> jax.Array:
    inputs = jnp.concatenate([rows["observation"], rows["action"]], axis=-1)
    return jax.vmap(lambda member: mlp(member, inputs)[:, 0])(critic)


def value_loss(value: list[Tree], q: jax.Array, rows: Tree) -> tuple[jax.Array, Tree]:
    v = mlp(value, rows["observation"])[:, 0]
    weight = jnp.where(q - v > 0.0, workload.EXPECTILE, 1.0 - workload.EXPECTILE)
    return (weight * (q - v) ** 2).mean(), {"mean": v.mean()}


def actor_loss(actor: Tree, weight: jax.Array, rows: Tree) -> tuple[jax.Array, Tree]:
    mean = jnp.tanh(mlp(actor["layers"], rows["observation"]))
    std = jnp.broadcast_to(jnp.exp(jnp.clip(actor["log_std"], -5.0, 2.0)), mean.shape)
    z = (rows["action"] - mean) / std
    log_prob = (-0.5 * z**2 - jnp.log(std) - 0.5 * jnp.log(2.0 * jnp.pi)).sum(axis=-1)
    return -(weight * log_prob).mean(), {"weight": weight.mean(), "std": std.mean()}


def critic_loss(critic: list[Tree], value: list[Tree], rows: Tree) -> tuple[jax.Array, Tree]:
    bootstrap = (1.0 - rows["terminated"]) * mlp(value, rows["next_observation"])[:, 0]
    target = rows["reward"] + workload.DISCOUNT * bootstrap
    q = critic_values(critic, rows)
    return ((q - target[None, :]) ** 2).mean(axis=1).sum(), {"mean": q.mean(), "largest": q.max()}


def descend(loss: Callable[..., Any], params: Any, memory: Any, *constants: Any) -> Any:
    (number, details), gradient = jax.value_and_grad(loss, has_aux=True)(params, *constants)
    step, memory = OPTIMISER.update(gradient, memory)
    metrics = {"loss": number, "gradient_norm": optax.global_norm(gradient), **details}
    return optax.apply_updates(params, step), memory, metrics


def update_once(state: Tree, rows: Tree) -> tuple[Tree, Tree]:
    memory = state["memory"]
    q = critic_values(state["target_critic"], rows).min(axis=0)
    value, value_memory, about_value = descend(value_loss, state["value"], memory["value"], q, rows)
    advantage = q - mlp(value, rows["observation"])[:, 0]
    weight = jnp.minimum(jnp.exp(workload.INVERSE_TEMPERATURE * advantage), 100.0)
    actor, actor_memory, about_actor = descend(
        actor_loss, state["actor"], memory["actor"], weight, rows
    )
    critic, critic_memory, about_critic = descend(
        critic_loss, state["critic"], memory["critic"], value, rows
    )
    rate = workload.TARGET_RATE
    target = jax.tree.map(
        lambda old, new: (1.0 - rate) * old + rate * new, state["target_critic"], critic
    )
    new_memory = {"actor": actor_memory, "critic": critic_memory, "value": value_memory}
    new = {"actor": actor, "critic": critic, "target_critic": target, "value": value}
    return {**new, "memory": new_memory}, {
        "actor": about_actor,
        "critic": about_critic,
        "value": about_value,
    }


@jax.jit
def update(state: Tree, packed: jax.Array) -> tuple[Tree, jax.Array]:
    """Train on a stack of packed rows (update, batch, width); metrics in the order of names."""
    state, metrics = jax.lax.scan(update_once, state, split_rows(packed))
    return state, jnp.stack(jax.tree.leaves(metrics), axis=-1)


def split_rows(packed: jax.Array) -> Tree:
    acts = workload.OBSERVATION_DIM + workload.ACTION_DIM
    nexts = acts + workload.OBSERVATION_DIM
    return {
        "observation": packed[..., : workload.OBSERVATION_DIM],
        "action": packed[..., workload.OBSERVATION_DIM : acts],
        "next_observation": packed[..., acts:nexts],
        "reward": packed[..., nexts],
        "terminated": packed[..., nexts + 1],
    }


def init(actor: Tree, critic: list[Tree], value: list[Tree]) -> Tree:
    """The state of networks made by the other side, so that both sides begin alike."""
    networks = {"actor": actor, "critic": critic, "value": value}
    memory = {name: OPTIMISER.init(network) for name, network in networks.items()}
    return {**networks, "target_critic": critic, "memory": memory}
