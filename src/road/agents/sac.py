"""Soft actor-critic (Haarnoja et al. 2018, arXiv:1812.05905), the base of CQL, RLPD and WSRL.

One update on one mini-batch:

    Q       regress on r + gamma (min Q'(s', a') - alpha log pi(a'|s')),  a' ~ pi     Eq. 5-6
    Q'      follow Q
    pi      maximise  min Q(s, a) - alpha log pi(a|s),  a ~ pi                        Eq. 9
    alpha   rise while the policy's entropy is below its target, else fall            Eq. 18

where Q' is the target critic and min is over the ensemble; pi sees the new Q. Options that its
descendants use: more critics of which a random few are minimised over (REDQ, RLPD), layer norm in
the critics (RLPD), the mean of the critics for the actor (RLPD), no entropy in the target (CQL).

Differs from the paper: the temperature is learnt as log alpha, as in the authors' code, and its
gradient is that of -log(alpha) (log pi + target), as in CQL's and many other implementations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import PRNGKeyArray

from road.agents.losses import critic_loss, over_stack, td_target
from road.agents.ranges import check_ranges
from road.nn.networks import Critic, make_critic
from road.nn.squashed import SquashedActor, make_squashed_actor
from road.nn.train_state import TrainState, gradient_step, make_train_state, polyak_update
from road.types import Actions, Batch, Metrics, Observations, Scalar, Scalars, Spec

Judge = Callable[[Critic, Observations, Actions], Scalars]
"""How an actor reads an ensemble of critics."""


class SACState(eqx.Module):
    """Everything that learning changes."""

    actor: TrainState[SquashedActor]
    critic: TrainState[Critic]
    target_critic: Critic
    log_alpha: TrainState[Scalar]


@dataclass(frozen=True)
class SAC:
    """Hyper-parameters of soft actor-critic."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the policy's hidden layers."""
    critic_hidden: tuple[int, ...] = (256, 256)
    """Widths of the critics' hidden layers."""
    actor_learning_rate: float = 3e-4
    """Of Adam, for policy and temperature."""
    critic_learning_rate: float = 3e-4
    """Of Adam, for the critics."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    target_rate: float = 0.005
    """Polyak rate of the target critic, per update."""
    members: int = 2
    """E: critics in the ensemble."""
    subset: int | None = None
    """M: how many target critics, drawn in each update, are minimised over; None is all."""
    layer_norm: bool = False
    """Whether the critics' hidden layers are normalised."""
    mean_actor: bool = False
    """Whether the actor climbs the mean of the critics instead of their least."""
    entropy_backup: bool = True
    """Whether the target holds the entropy of the next action."""
    entropy_share: float = 1.0
    """The target entropy is minus this times the number of action dimensions."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def actor_optimiser(self) -> optax.GradientTransformation:
        return optax.adam(self.actor_learning_rate)

    @property
    def critic_optimiser(self) -> optax.GradientTransformation:
        return optax.adam(self.critic_learning_rate)

    def init(self, key: PRNGKeyArray, spec: Spec) -> SACState:
        actor_key, critic_key = jax.random.split(key)
        actor = make_squashed_actor(actor_key, spec.observation_dim, spec.action_dim, self.hidden)
        return self.around(actor, critic_key, spec)

    def around(
        self, actor: SquashedActor, key: PRNGKeyArray, spec: Spec, critic_gain: float = 2.0**0.5
    ) -> SACState:
        """A fresh state with that policy; the gain is that of the critics' last layer."""
        critic = make_critic(
            key,
            spec.observation_dim + spec.action_dim,
            self.critic_hidden,
            members=self.members,
            layer_norm=self.layer_norm,
            output_gain=critic_gain,
        )
        return SACState(
            make_train_state(actor, self.actor_optimiser),
            make_train_state(critic, self.critic_optimiser),
            critic,
            make_train_state(jnp.zeros(()), self.actor_optimiser),
        )

    @partial(jax.jit, static_argnums=0)
    def update(self, state: SACState, batch: Batch, key: PRNGKeyArray) -> tuple[SACState, Metrics]:
        return over_stack(self.update_once, state, batch, key)

    def update_once(
        self, state: SACState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[SACState, Metrics]:
        critic_key, actor_key = jax.random.split(key)
        target = self.target(state, batch, critic_key)
        state, critic_metrics = self.update_critic(state, batch, target)
        state, actor_metrics = self.update_actor(state, batch, actor_key)
        return state, {**critic_metrics, **actor_metrics}

    def update_critic(
        self, state: SACState, batch: Batch, target: Scalars
    ) -> tuple[SACState, Metrics]:
        """Q and Q'; the target is an argument because WSRL has another one."""
        critic, metrics = gradient_step(
            "critic", state.critic, self.critic_optimiser, critic_loss, target, batch
        )
        target_critic = polyak_update(state.target_critic, critic.model, self.target_rate)
        return SACState(state.actor, critic, target_critic, state.log_alpha), metrics

    def update_actor(
        self, state: SACState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[SACState, Metrics]:
        """Pi and alpha."""
        alpha = jnp.exp(state.log_alpha.model)
        actor, actor_metrics = gradient_step(
            *("actor", state.actor, self.actor_optimiser, actor_loss),
            *(self.judge, state.critic.model, alpha, batch, key),
        )
        entropy = actor_metrics["actor/entropy"]
        goal = -self.entropy_share * batch.action.shape[-1]
        log_alpha, alpha_metrics = gradient_step(
            "temperature", state.log_alpha, self.actor_optimiser, temperature_loss, entropy, goal
        )
        after = SACState(actor, state.critic, state.target_critic, log_alpha)
        return after, {**actor_metrics, **alpha_metrics}

    def target(self, state: SACState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """R + gamma (1 - terminated) (min Q'(s', a') - alpha log pi(a'|s'))."""
        action_key, subset_key = jax.random.split(key)
        action, log_prob = state.actor.model(batch.next_observation).sample(action_key)
        critics = drawn_of(state.target_critic, self.subset, subset_key)
        value = critics.pessimistic(batch.next_observation, action)
        if self.entropy_backup:
            value = value - jnp.exp(state.log_alpha.model) * log_prob
        return td_target(batch, self.discount, value)

    def judge(self, critic: Critic, observation: Observations, action: Actions) -> Scalars:
        """What the actor climbs."""
        q = critic(observation, action)
        return q.mean(axis=0) if self.mean_actor else q.min(axis=0)

    def act(self, state: SACState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return state.actor.model(observation).sample(key)[0]

    def best_action(self, state: SACState, observation: Observations, key: PRNGKeyArray) -> Actions:
        del key
        return state.actor.model(observation).mode

    def q_value(self, state: SACState, observation: Observations, action: Actions) -> Scalars:
        """What the actor climbs, of the critics that are being trained."""
        return self.judge(state.critic.model, observation, action)


def drawn_of(critic: Critic, subset: int | None, key: PRNGKeyArray) -> Critic:
    """All members, or a random few of them, drawn without replacement."""
    if subset is None:
        return critic
    chosen = jax.random.permutation(key, critic.size)[:subset]
    return jax.tree.map(lambda weights: weights[chosen], critic)


def actor_loss(
    actor: SquashedActor,
    judge: Judge,
    critic: Critic,
    alpha: Scalar,
    batch: Batch,
    key: PRNGKeyArray,
) -> tuple[Scalar, Metrics]:
    """Eq. 9."""
    action, log_prob = actor(batch.observation).sample(key)
    q = judge(critic, batch.observation, action)
    return (alpha * log_prob - q).mean(), {"entropy": -log_prob.mean()}


def temperature_loss(log_alpha: Scalar, entropy: Scalar, goal: float) -> tuple[Scalar, Metrics]:
    """Eq. 18, in log alpha."""
    return log_alpha * (entropy - goal), {"alpha": jnp.exp(log_alpha)}
