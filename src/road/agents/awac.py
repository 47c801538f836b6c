"""Advantage-weighted actor-critic (Nair et al. 2020, arXiv:2006.09359).

One update on one mini-batch, in the order of CORL's code:

    Q      regress on r + gamma min Q'(s', a'),  a' ~ pi
    pi     imitate a, weighted by exp(A / lambda),  A = min Q(s, a) - min Q(s, b),  b ~ pi
    Q'     follow Q

where Q' is the target critic; pi sees the new Q. One drawn b estimates the value of the state. pi
is a Gaussian around a tanh mean with a state-independent spread, not squashed; actions are clipped
to the box when they are taken or shown to a critic. The update is the same in both phases.

Differs from the paper: weights are cut at 100, as in CORL. Differs from CORL: the mean goes through
tanh and the log-std is kept above -5, the policy that IQL and PEX have here; layers are orthogonal.
"""

from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import optax
from jaxtyping import PRNGKeyArray

from road.agents.losses import (
    advantage_weight,
    critic_loss,
    over_stack,
    td_target,
    weighted_imitation_loss,
)
from road.agents.ranges import check_ranges
from road.nn.networks import Critic, GaussianActor, make_critic, make_gaussian_actor
from road.nn.train_state import TrainState, gradient_step, make_train_state, polyak_update
from road.types import Actions, Batch, Metrics, Observations, Scalars, Spec


class AWACState(eqx.Module):
    """Everything that learning changes."""

    actor: TrainState[GaussianActor]
    critic: TrainState[Critic]
    target_critic: Critic


@dataclass(frozen=True)
class AWAC:
    """Hyper-parameters of advantage-weighted actor-critic."""

    hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the hidden layers of every network."""
    learning_rate: float = 3e-4
    """Of Adam, for both networks."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    temperature: float = 0.1
    """lambda: how good an action must be to be imitated more; small is sharp."""
    target_rate: float = 0.005
    """Polyak rate of the target critic, per update."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return optax.adam(self.learning_rate)

    def init(self, key: PRNGKeyArray, spec: Spec) -> AWACState:
        actor_key, critic_key = jax.random.split(key)
        actor = make_gaussian_actor(actor_key, spec.observation_dim, spec.action_dim, self.hidden)
        critic = make_critic(critic_key, spec.observation_dim + spec.action_dim, self.hidden)
        return AWACState(
            make_train_state(actor, self.optimiser),
            make_train_state(critic, self.optimiser),
            critic,
        )

    @partial(jax.jit, static_argnums=0)
    def update(
        self, state: AWACState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[AWACState, Metrics]:
        return over_stack(self.update_once, state, batch, key)

    def update_once(
        self, state: AWACState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[AWACState, Metrics]:
        target_key, advantage_key = jax.random.split(key)
        target = self.target(state, batch, target_key)
        critic, critic_metrics = gradient_step(
            "critic", state.critic, self.optimiser, critic_loss, target, batch
        )
        better = advantage(state.actor.model, critic.model, batch, advantage_key)
        weight = advantage_weight(better, 1.0 / self.temperature)
        actor, actor_metrics = gradient_step(
            "actor", state.actor, self.optimiser, weighted_imitation_loss, weight, batch
        )
        target_critic = polyak_update(state.target_critic, critic.model, self.target_rate)
        return AWACState(actor, critic, target_critic), {**critic_metrics, **actor_metrics}

    def target(self, state: AWACState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """R + gamma (1 - terminated) min Q'(s', a')."""
        action = state.actor.model(batch.next_observation).clipped_sample(key)
        value = state.target_critic.pessimistic(batch.next_observation, action)
        return td_target(batch, self.discount, value)

    def act(self, state: AWACState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return state.actor.model(observation).clipped_sample(key)

    def best_action(
        self, state: AWACState, observation: Observations, key: PRNGKeyArray
    ) -> Actions:
        del key
        return state.actor.model(observation).mode

    def q_value(self, state: AWACState, observation: Observations, action: Actions) -> Scalars:
        """The lesser of the critics that are being trained; the policy of R_q is ``act``."""
        return state.critic.model.pessimistic(observation, action)


def advantage(actor: GaussianActor, critic: Critic, batch: Batch, key: PRNGKeyArray) -> Scalars:
    """How much better the recorded action is than one that the policy would take."""
    own = actor(batch.observation).clipped_sample(key)
    q = critic.pessimistic(batch.observation, batch.action)
    return q - critic.pessimistic(batch.observation, own)


def carry(awac: AWAC, state: AWACState) -> AWACState:
    """To the online phase: nothing changes, Adam's moments included."""
    del awac
    return state
