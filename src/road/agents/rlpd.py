"""RLPD: online RL with prior data (Ball et al. 2023, arXiv:2302.02948).

One update on a stack of mini-batches, each with its own share of offline rows; Algorithm 1:

    for each mini-batch
        Q       regress on r + gamma (min Q'(s', a') - alpha log pi(a'|s')),  a' ~ pi
        Q'      follow Q
    pi      maximise  mean Q(s, a) - alpha log pi(a|s),  a ~ pi         on the last mini-batch
    alpha   rise while the policy's entropy is below its target, else fall

where Q' is the target critic, min is over a random few of the ten target critics, drawn again for
each mini-batch, and mean is over all ten critics. Each step is SAC's; what RLPD adds is the many
critics, their layer norm, and many critic steps to one of the policy. There is no pretraining.

Differs from the paper: the mini-batches' offline ratio is any m instead of a half. Differs from the
authors' code: the critics' losses are summed, as SAC's are, not averaged (a factor that Adam undoes
up to its epsilon); orthogonal weights instead of Glorot's; SAC's gradient of log alpha.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from road.agents.losses import over_stack
from road.agents.ranges import check_ranges
from road.agents.sac import SAC, SACState
from road.types import Actions, Batch, Metrics, Observations, Scalars, Spec

Target = Callable[[SACState, Batch, PRNGKeyArray], Scalars]
"""What Q regresses on, on one mini-batch."""


@dataclass(frozen=True)
class RLPD:
    """Hyper-parameters of RL with prior data."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers of every network."""
    learning_rate: float = 3e-4
    """Of Adam, for critics, policy and temperature."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    target_rate: float = 0.005
    """rho in Algorithm 1: Polyak rate of the target critic, per mini-batch."""
    members: int = 10
    """E: critics in the ensemble."""
    subset: int | None = 2
    """Z: how many target critics, drawn for each mini-batch, are minimised over; None is all."""
    layer_norm: bool = True
    """Whether the critics' hidden layers are normalised."""
    mean_actor: bool = True
    """Whether the policy climbs the mean of the critics instead of their least."""
    entropy_backup: bool = True
    """Whether the target holds the entropy of the next action."""
    entropy_share: float = 0.5
    """The target entropy is minus this times the number of action dimensions."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def sac(self) -> SAC:
        """SAC with these settings: networks, optimisers, target, policy and temperature."""
        return SAC(
            hidden=self.hidden,
            critic_hidden=self.hidden,
            actor_learning_rate=self.learning_rate,
            critic_learning_rate=self.learning_rate,
            discount=self.discount,
            target_rate=self.target_rate,
            members=self.members,
            subset=self.subset,
            layer_norm=self.layer_norm,
            mean_actor=self.mean_actor,
            entropy_backup=self.entropy_backup,
            entropy_share=self.entropy_share,
        )

    def init(self, key: PRNGKeyArray, spec: Spec) -> SACState:
        return self.sac.init(key, spec)

    @partial(jax.jit, static_argnums=0)
    def update(self, state: SACState, batch: Batch, key: PRNGKeyArray) -> tuple[SACState, Metrics]:
        last = jax.tree.map(lambda rows: rows[-1], batch)
        return critics_then_actor(self.sac, self.target, state, batch, last, key)

    def target(self, state: SACState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """What Q regresses on, by a random few of the target critics."""
        return self.sac.target(state, batch, key)

    def act(self, state: SACState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return self.sac.act(state, observation, key)

    def best_action(self, state: SACState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return self.sac.best_action(state, observation, key)

    def q_value(self, state: SACState, observation: Observations, action: Actions) -> Scalars:
        """The mean of all critics that are being trained: what the policy climbs."""
        return self.sac.q_value(state, observation, action)


def critics_then_actor(
    sac: SAC, target: Target, state: SACState, stack: Batch, batch: Batch, key: PRNGKeyArray
) -> tuple[SACState, Metrics]:
    """Q and Q' on every mini-batch of the stack in turn, then pi and alpha once on the batch.

    The keys are those of SAC's update, so that with a single mini-batch this is SAC's update.
    """

    def critic_step(state: SACState, each: Batch, key: PRNGKeyArray) -> tuple[SACState, Metrics]:
        critic_key, _ = jax.random.split(key)
        return sac.update_critic(state, each, target(state, each, critic_key))

    updates = stack.reward.shape[0]
    _, actor_key = jax.random.split(jax.random.split(key, updates)[-1])
    state, critic_metrics = over_stack(critic_step, state, stack, key)
    state, actor_metrics = sac.update_actor(state, batch, actor_key)
    repeated = {name: jnp.full(updates, number) for name, number in actor_metrics.items()}
    return state, {**critic_metrics, **repeated}
