"""Extreme Q-learning (Garg et al. 2023, arXiv:2301.02328), as PROTO pretrains with it.

One update on one mini-batch:

    V      Gumbel regression on min Q': V becomes temp · log E exp(min Q'(s, a) / temp)
    pi     imitate, weighted by exp((min Q' - V) / temp)
    Q      regress on r + gamma V(s')
    Q'     follow Q

where Q' is the target critic; pi and Q see the new V. It is IQL with another regression for V: a
soft maximum over the recorded actions in place of an expectile. A higher temp is more cautious.

Differs from the paper, as PROTO's code does: the exponent is cut at 7 and the loss divided by the
batch's greatest exponential, which only rescales its gradient; weights are cut at 100; critics and
V have layer norm. Differs from PROTO's code: squared errors are summed over the two critics, not
averaged; no policy is cloned from the data beside, which there is only logged.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from road.agents.iql import IQLState, actor_loss, bellman_target, critic_loss
from road.agents.losses import advantage_weight, over_stack
from road.agents.ranges import check_ranges
from road.nn.learner import descend, follow, make_learner
from road.nn.networks import Value, make_critic, make_gaussian_actor, make_mlp
from road.types import Batch, Metrics, Spec

EXPONENT_LIMIT = 7.0
"""Where errors in units of the temperature are cut, before they are exponentiated."""


@dataclass(frozen=True)
class XQL:
    """Hyper-parameters of extreme Q-learning."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers of every network."""
    learning_rate: float = 3e-4
    """Of Adam, for all three networks."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    temperature: float = 2.0
    """beta in the paper, temp in PROTO's code: how far V stays below the greatest Q."""
    target_rate: float = 0.005
    """Share of the way that the target critic follows the critic per update."""
    layer_norm: bool = True
    """Whether the hidden layers of critics and V are normalised."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return optax.adam(self.learning_rate)

    def init(self, key: PRNGKeyArray, spec: Spec) -> IQLState:
        actor_key, critic_key, value_key = jax.random.split(key, 3)
        observations, actions = spec.observation_dim, spec.action_dim
        actor = make_gaussian_actor(actor_key, observations, actions, self.hidden)
        critic = make_critic(
            critic_key, observations + actions, self.hidden, layer_norm=self.layer_norm
        )
        sizes = (observations, *self.hidden, 1)
        value = Value(make_mlp(value_key, sizes, layer_norm=self.layer_norm))
        return IQLState(
            make_learner(actor, self.optimiser),
            make_learner(critic, self.optimiser),
            critic,
            make_learner(value, self.optimiser),
        )

    @partial(jax.jit, static_argnums=0)
    def update(self, state: IQLState, batch: Batch, key: PRNGKeyArray) -> tuple[IQLState, Metrics]:
        return over_stack(self.update_once, state, batch, key)

    def update_once(
        self, state: IQLState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[IQLState, Metrics]:
        del key  # nothing in this update is random
        q = state.target_critic.pessimistic(batch.observation, batch.action)
        peak = greatest_exponent(q - state.value.model(batch.observation), self.temperature)
        value, value_metrics = descend(
            *("value", state.value, self.optimiser, value_loss),
            *(q, peak, batch, self.temperature),
        )
        weight = advantage_weight(q - value.model(batch.observation), 1.0 / self.temperature)
        actor, actor_metrics = descend(
            "actor", state.actor, self.optimiser, actor_loss, weight, batch
        )
        critic, critic_metrics = descend(
            "critic", state.critic, self.optimiser, critic_loss, value.model, batch, self.discount
        )
        target_critic = follow(state.target_critic, critic.model, self.target_rate)
        return (
            IQLState(actor, critic, target_critic, value),
            {**value_metrics, **actor_metrics, **critic_metrics},
        )

    def target(self, state: IQLState, batch: Batch, key: PRNGKeyArray) -> Float[Array, " batch"]:
        """What Q regresses on."""
        del key  # nothing in it is random
        return bellman_target(state.value.model, batch, self.discount)

    def act(
        self, state: IQLState, observation: Float[Array, "batch obs"], key: PRNGKeyArray
    ) -> Float[Array, "batch act"]:
        return jnp.clip(state.actor.model(observation).sample(key), -1.0, 1.0)

    def best_action(
        self, state: IQLState, observation: Float[Array, "batch obs"], key: PRNGKeyArray
    ) -> Float[Array, "batch act"]:
        del key
        return jnp.clip(state.actor.model(observation).mean, -1.0, 1.0)

    def q_value(
        self,
        state: IQLState,
        observation: Float[Array, "batch obs"],
        action: Float[Array, "batch act"],
    ) -> Float[Array, " batch"]:
        """The lesser of the two critics that are being trained, not of their targets."""
        return state.critic.model.pessimistic(observation, action)


def value_loss(
    value: Value,
    q: Float[Array, " batch"],
    peak: Float[Array, ""],
    batch: Batch,
    temperature: float,
) -> tuple[Float[Array, ""], Metrics]:
    """Gumbel regression on Q."""
    v = value(batch.observation)
    return gumbel_loss(exponent(q - v, temperature), peak), {"mean": v.mean()}


def gumbel_loss(z: Float[Array, " batch"], peak: Float[Array, ""]) -> Float[Array, ""]:
    """Mean of exp(z) - z - 1, divided by exp(peak), which keeps it from overflowing."""
    return (jnp.exp(z - peak) - (z + 1.0) * jnp.exp(-peak)).mean()


def exponent(error: Float[Array, " batch"], temperature: float) -> Float[Array, " batch"]:
    return jnp.minimum(error / temperature, EXPONENT_LIMIT)


def greatest_exponent(error: Float[Array, " batch"], temperature: float) -> Float[Array, ""]:
    """Of the batch, and at least -1; made outside the loss because it is a constant to it."""
    return jnp.maximum(exponent(error, temperature).max(), -1.0)
