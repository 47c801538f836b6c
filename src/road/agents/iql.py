"""Implicit Q-learning (Kostrikov et al. 2021, arXiv:2110.06169).

One update on one mini-batch, in the order of the authors' code:

    V      regress on min Q' by expectile                  Eq. 5
    pi     imitate, weighted by exp(beta (min Q' - V))     Eq. 7
    Q      regress on r + gamma V(s')                      Eq. 6
    Q'     follow Q

where Q' is the target critic; pi and Q see the new V. pi is a Gaussian around a tanh mean with a
state-independent spread, not squashed; actions are clipped to the box when they are taken.

Differs from the paper: weights are cut at 100, as in the authors' code. Differs from the authors'
offline script: no cosine decay of the actor's learning rate, as in their fine-tuning script.
Defaults are those of ROAD's table of hyper-parameters, for every family of tasks.
"""

from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from road.agents.losses import advantage_weight, bellman_loss, over_stack
from road.agents.ranges import check_ranges
from road.nn.learner import Learner, descend, follow, make_learner
from road.nn.networks import (
    Critic,
    GaussianActor,
    Value,
    make_critic,
    make_gaussian_actor,
    make_value,
)
from road.types import Batch, Metrics, Spec


class IQLState(eqx.Module):
    """Everything that learning changes."""

    actor: Learner[GaussianActor]
    critic: Learner[Critic]
    target_critic: Critic
    value: Learner[Value]


@dataclass(frozen=True)
class IQL:
    """Hyper-parameters of implicit Q-learning."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers of every network."""
    learning_rate: float = 3e-4
    """Of Adam, for all three networks."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    expectile: float = 0.9
    """tau in Eq. 5: which expectile of Q the value regresses on."""
    inverse_temperature: float = 10.0
    """beta in Eq. 7: how sharply the policy prefers good actions."""
    target_rate: float = 0.005
    """Share of the way that the target critic follows the critic per update."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return optax.adam(self.learning_rate)

    def init(self, key: PRNGKeyArray, spec: Spec) -> IQLState:
        actor_key, critic_key, value_key = jax.random.split(key, 3)
        observation_dim, action_dim = spec.observation_dim, spec.action_dim
        actor = make_gaussian_actor(actor_key, observation_dim, action_dim, self.hidden)
        critic = make_critic(critic_key, observation_dim + action_dim, self.hidden)
        value = make_value(value_key, observation_dim, self.hidden)
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
        value, value_metrics = descend(
            "value", state.value, self.optimiser, value_loss, q, batch, self.expectile
        )
        weight = advantage_weight(q - value.model(batch.observation), self.inverse_temperature)
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
    value: Value, q: Float[Array, " batch"], batch: Batch, expectile: float
) -> tuple[Float[Array, ""], Metrics]:
    """Eq. 5."""
    v = value(batch.observation)
    return expectile_loss(q - v, expectile), {"mean": v.mean()}


def expectile_loss(error: Float[Array, " batch"], expectile: float) -> Float[Array, ""]:
    """Squares of errors above zero weigh ``expectile``, those below the rest."""
    weight = jnp.where(error > 0.0, expectile, 1.0 - expectile)
    return (weight * error**2).mean()


def actor_loss(
    actor: GaussianActor, weight: Float[Array, " batch"], batch: Batch
) -> tuple[Float[Array, ""], Metrics]:
    """Eq. 7."""
    policy = actor(batch.observation)
    loss = -(weight * policy.log_prob(batch.action)).mean()
    return loss, {"weight": weight.mean(), "std": policy.std.mean()}


def critic_loss(
    critic: Critic, value: Value, batch: Batch, discount: float
) -> tuple[Float[Array, ""], Metrics]:
    """Eq. 6."""
    target = bellman_target(value, batch, discount)
    q = critic(batch.observation, batch.action)
    return bellman_loss(q, target), {"mean": q.mean(), "largest": q.max()}


def bellman_target(value: Value, batch: Batch, discount: float) -> Float[Array, " batch"]:
    """R + gamma (1 - terminated) V(s')."""
    bootstrap = (1.0 - batch.terminated) * value(batch.next_observation)
    return batch.reward + discount * bootstrap


def renew_optimisers(iql: IQL, state: IQLState) -> IQLState:
    """Carry to the online phase: the networks stay, Adam forgets its offline moments."""
    return IQLState(
        make_learner(state.actor.model, iql.optimiser),
        make_learner(state.critic.model, iql.optimiser),
        state.target_critic,
        make_learner(state.value.model, iql.optimiser),
    )
