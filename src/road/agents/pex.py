"""Policy expansion (Zhang, Xu & Yu 2023, arXiv:2302.00935): the online half.

Offline it is IQL, letter by letter (``PEX.iql``). Then the learnt policy pi_b is frozen, a new
policy pi joins it, and the critic chooses between the two in every state:

    a1 = mode of pi_b,  a2 ~ pi,  take a_i with probability softmax_i(sharpness · min Q(s, a_i))

One update on one mini-batch, a and s' being those of the batch:

    V      regress on min Q'(s, a) by expectile                      IQL's Eq. 5
    Q      regress on r + gamma V(s')                                IQL's Eq. 6
    Q'     follow Q
    pi     imitate the composite policy's own action a~ at s,        IQL's Eq. 7, at a~
           weighted by exp(beta (min Q'(s, a~) - V(s)))

where Q' is the target critic; Q and pi see the new V, pi also the new Q and Q'. An a~ that pi_b
proposed is distilled into pi; pi_b never changes.

Differs from the authors' code: proposals are clipped to the box before the critic is asked about
them; Q regresses on the new V, as in our IQL, not on the one before; layers are orthogonal and the
offline policy's learning rate does not decay, as in our IQL.
"""

import zlib
from dataclasses import dataclass, replace
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from road.agents.iql import IQL, IQLState
from road.agents.losses import (
    advantage_weight,
    critic_loss,
    expectile_value_loss,
    over_stack,
    td_target,
    weighted_imitation_loss,
)
from road.agents.ranges import check_ranges
from road.nn.networks import Critic, GaussianActor, Value, make_gaussian_actor
from road.nn.train_state import TrainState, gradient_step, make_train_state, polyak_update
from road.types import Actions, Batch, Metrics, Observations, Scalars, Spec


class PEXState(eqx.Module):
    """Everything that learning changes, and the policy that it must not."""

    actor: TrainState[GaussianActor]
    offline_actor: GaussianActor
    """pi_b: the policy that was learnt offline, frozen."""
    critic: TrainState[Critic]
    target_critic: Critic
    value: TrainState[Value]


@dataclass(frozen=True)
class PEX:
    """Hyper-parameters of policy expansion."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers of every network."""
    learning_rate: float = 3e-4
    """Of Adam, for all networks."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    expectile: float = 0.9
    """tau in IQL's Eq. 5: which expectile of Q the value regresses on."""
    inverse_temperature: float = 10.0
    """beta in IQL's Eq. 7: how sharply the new policy prefers good actions."""
    target_rate: float = 0.005
    """Polyak rate of the target critic, per update."""
    choice_sharpness: float = 10.0
    """1/alpha in the paper: inverse temperature of the choice between the two policies; infinity
    always takes the greater Q."""
    evaluation_noise: float = 0.1
    """epsilon: how often an evaluation draws where it would take the best, in either choice."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def iql(self) -> IQL:
        """The agent of the offline phase."""
        return IQL(
            hidden=self.hidden,
            learning_rate=self.learning_rate,
            discount=self.discount,
            expectile=self.expectile,
            inverse_temperature=self.inverse_temperature,
            target_rate=self.target_rate,
        )

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return self.iql.optimiser

    def init(self, key: PRNGKeyArray, spec: Spec) -> PEXState:
        """As if the offline phase had taken no step."""
        return carry(self, self.iql.init(key, spec))

    @partial(jax.jit, static_argnums=0)
    def update(self, state: PEXState, batch: Batch, key: PRNGKeyArray) -> tuple[PEXState, Metrics]:
        return over_stack(self.update_once, state, batch, key)

    def update_once(
        self, state: PEXState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[PEXState, Metrics]:
        q = state.target_critic.pessimistic(batch.observation, batch.action)
        value_loss = partial(expectile_value_loss, expectile=self.expectile)
        value, value_metrics = gradient_step(
            "value", state.value, self.optimiser, value_loss, q, batch
        )
        target = td_target(batch, self.discount, value.model(batch.next_observation))
        critic, critic_metrics = gradient_step(
            "critic", state.critic, self.optimiser, critic_loss, target, batch
        )
        target_critic = polyak_update(state.target_critic, critic.model, self.target_rate)
        state = PEXState(state.actor, state.offline_actor, critic, target_critic, value)
        actor, actor_metrics = self.update_actor(state, batch, key)
        return (
            replace(state, actor=actor),
            {**value_metrics, **critic_metrics, **actor_metrics},
        )

    def update_actor(
        self, state: PEXState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[TrainState[GaussianActor], Metrics]:
        """Advantage-weighted regression of pi on what the two policies would do together."""
        action, chosen = self.compose(state, batch.observation, key)
        q = state.target_critic.pessimistic(batch.observation, action)
        advantage = q - state.value.model(batch.observation)
        weight = advantage_weight(advantage, self.inverse_temperature)
        actor, metrics = gradient_step(
            *("actor", state.actor, self.optimiser, weighted_imitation_loss),
            *(weight, replace(batch, action=action)),
        )
        return actor, {**metrics, "actor/offline_chosen": (chosen == 0).mean()}

    def compose(
        self, state: PEXState, observation: Observations, key: PRNGKeyArray
    ) -> tuple[Actions, Int[Array, " batch"]]:
        """Actions of the composite policy, and which policy each is of: 0 is the offline one."""
        sample_key, choice_key = jax.random.split(key)
        new = state.actor.model(observation).clipped_sample(sample_key)
        proposals = jnp.stack([state.offline_actor(observation).mode, new])
        q = state.critic.model.judge_each(observation, proposals).min(axis=1)
        chosen = draw(q, self.choice_sharpness, choice_key)
        return take(proposals, chosen), chosen

    def target(self, state: PEXState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """What Q regresses on."""
        del key  # nothing in it is random
        return td_target(batch, self.discount, state.value.model(batch.next_observation))

    def act(self, state: PEXState, observation: Observations, key: PRNGKeyArray) -> Actions:
        """The composite policy; it is also the policy of R_q."""
        return self.compose(state, observation, key)[0]

    def best_action(self, state: PEXState, observation: Observations, key: PRNGKeyArray) -> Actions:
        """The modes and the greater Q, except for a fraction of states that draw instead."""
        sample_key, choice_key, noise_key = jax.random.split(key, 3)
        drawn = self.is_noisy(noise_key, observation.shape[0])
        policy = state.actor.model(observation)
        new = jnp.where(drawn[0][:, None], policy.clipped_sample(sample_key), policy.mode)
        proposals = jnp.stack([state.offline_actor(observation).mode, new])
        q = state.critic.model.judge_each(observation, proposals).min(axis=1)
        chosen = draw(q, self.choice_sharpness, choice_key)
        return take(proposals, jnp.where(drawn[1], chosen, q.argmax(axis=0)))

    def is_noisy(self, key: PRNGKeyArray, rows: int) -> Bool[Array, "2 batch"]:
        """For each row, whether the new policy samples and whether the choice is drawn."""
        return jax.random.uniform(key, (2, rows)) < self.evaluation_noise

    def q_value(self, state: PEXState, observation: Observations, action: Actions) -> Scalars:
        """The lesser of the two critics that are being trained; the policy of R_q is ``act``."""
        return state.critic.model.pessimistic(observation, action)


def draw(
    q: Float[Array, "proposal batch"], sharpness: float, key: PRNGKeyArray
) -> Int[Array, " batch"]:
    """Indices with probabilities softmax(sharpness · Q) over the proposals.

    Gumbel noise is added to Q, not to the logits, so that infinite sharpness is the argmax.
    """
    return (q + jax.random.gumbel(key, q.shape) / sharpness).argmax(axis=0)


def take(proposals: Float[Array, "proposal batch act"], chosen: Int[Array, " batch"]) -> Actions:
    """For each row the proposal of that index."""
    return jnp.take_along_axis(proposals, chosen[None, :, None], axis=0)[0]


def carry(pex: PEX, state: IQLState) -> PEXState:
    """To the online phase: Q, Q' and V stay, the policy is frozen, a new one begins; Adam forgets.

    The seed of the new policy is a checksum of the old one's weights: a carry has no key of its
    own, and runs of different seeds must not all begin with the same new policy.
    """
    old = state.actor.model
    weights = b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(old))
    first, last = old.network.layers[0].weight, old.network.layers[-1].weight
    new = make_gaussian_actor(
        jax.random.key(zlib.crc32(weights)), first.shape[0], last.shape[1], pex.hidden
    )
    return PEXState(
        make_train_state(new, pex.optimiser),
        old,
        make_train_state(state.critic.model, pex.optimiser),
        state.target_critic,
        make_train_state(state.value.model, pex.optimiser),
    )
