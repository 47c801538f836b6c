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

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import optax
from jaxtyping import PRNGKeyArray

from road.agents.losses import (
    advantage_weight,
    critic_loss,
    expectile_value_loss,
    over_stack,
    td_target,
    weighted_imitation_loss,
)
from road.agents.ranges import check_ranges
from road.nn.networks import (
    Critic,
    GaussianActor,
    Value,
    make_critic,
    make_gaussian_actor,
    make_value,
)
from road.nn.train_state import TrainState, gradient_step, make_train_state, polyak_update
from road.types import Actions, Batch, Metrics, Observations, Scalar, Scalars, Spec

ValueLoss = Callable[[Value, Scalars, Batch], tuple[Scalar, Metrics]]
"""How V regresses on min Q'."""


class IQLState(eqx.Module):
    """Everything that learning changes."""

    actor: TrainState[GaussianActor]
    critic: TrainState[Critic]
    target_critic: Critic
    value: TrainState[Value]


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
    """Polyak rate of the target critic, per update."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return optax.adam(self.learning_rate)

    def init(self, key: PRNGKeyArray, spec: Spec) -> IQLState:
        return init_networks(self, key, spec, layer_norm=False)

    @partial(jax.jit, static_argnums=0)
    def update(self, state: IQLState, batch: Batch, key: PRNGKeyArray) -> tuple[IQLState, Metrics]:
        return over_stack(self.update_once, state, batch, key)

    def update_once(
        self, state: IQLState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[IQLState, Metrics]:
        del key  # nothing in this update is random
        value_loss = partial(expectile_value_loss, expectile=self.expectile)
        return update_networks(self, state, batch, value_loss)

    def target(self, state: IQLState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """What Q regresses on."""
        del key  # nothing in it is random
        return td_target(batch, self.discount, state.value.model(batch.next_observation))

    def act(self, state: IQLState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return state.actor.model(observation).clipped_sample(key)

    def best_action(self, state: IQLState, observation: Observations, key: PRNGKeyArray) -> Actions:
        del key
        return state.actor.model(observation).mode

    def q_value(self, state: IQLState, observation: Observations, action: Actions) -> Scalars:
        """The lesser of the two critics that are being trained, not of their targets."""
        return state.critic.model.pessimistic(observation, action)


def update_networks(
    iql: IQL, state: IQLState, batch: Batch, value_loss: ValueLoss
) -> tuple[IQLState, Metrics]:
    """One update, for IQL itself and for XQL, which only regresses V in another way."""
    q = state.target_critic.pessimistic(batch.observation, batch.action)
    value, value_metrics = gradient_step("value", state.value, iql.optimiser, value_loss, q, batch)
    weight = advantage_weight(q - value.model(batch.observation), iql.inverse_temperature)
    actor, actor_metrics = gradient_step(
        "actor", state.actor, iql.optimiser, weighted_imitation_loss, weight, batch
    )
    target = td_target(batch, iql.discount, value.model(batch.next_observation))
    critic, critic_metrics = gradient_step(
        "critic", state.critic, iql.optimiser, critic_loss, target, batch
    )
    target_critic = polyak_update(state.target_critic, critic.model, iql.target_rate)
    return (
        IQLState(actor, critic, target_critic, value),
        {**value_metrics, **actor_metrics, **critic_metrics},
    )


def init_networks(iql: IQL, key: PRNGKeyArray, spec: Spec, *, layer_norm: bool) -> IQLState:
    """A first state; layer norm goes into the critics and V."""
    actor_key, critic_key, value_key = jax.random.split(key, 3)
    inputs, hidden = spec.observation_dim + spec.action_dim, iql.hidden
    actor = make_gaussian_actor(actor_key, spec.observation_dim, spec.action_dim, hidden)
    critic = make_critic(critic_key, inputs, hidden, layer_norm=layer_norm)
    value = make_value(value_key, spec.observation_dim, hidden, layer_norm=layer_norm)
    return IQLState(
        make_train_state(actor, iql.optimiser),
        make_train_state(critic, iql.optimiser),
        critic,
        make_train_state(value, iql.optimiser),
    )


def renew_optimisers(iql: IQL, state: IQLState) -> IQLState:
    """Carry to the online phase: the networks stay, Adam forgets its offline moments."""
    actor = make_train_state(state.actor.model, iql.optimiser)
    critic = make_train_state(state.critic.model, iql.optimiser)
    value = make_train_state(state.value.model, iql.optimiser)
    return IQLState(actor, critic, state.target_critic, value)
