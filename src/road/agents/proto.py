"""PROTO: iterative policy regularisation (Li et al. 2023, arXiv:2305.15669), its SAC variant.

Offline it is extreme Q-learning (``PROTO.xql``). Online it is SAC inside a trust region around
pi_k, a slow copy of the policy: with the regulariser

    reg(s, a) = alpha log pi(a|s) + lam (log pi(a|s) - log pi_k(a|s))

one update on one mini-batch is

    Q       regress on r + gamma (min Q'(s', a') - reg(s', a')),  a' ~ pi
    Q'      follow Q
    pi      maximise  mean Q(s, a) - reg(s, a),  a ~ pi
    alpha   rise while the policy's entropy is below its target, else fall
    pi_k    follow pi
    lam     fall, in a straight line from temp to (1 - decay) temp

where Q' is the target critic; pi sees the new Q, pi_k the new pi. With lam = 0 this is SAC, on a
Gaussian that is not squashed: densities and values in these losses, as in the authors' code, are
those of actions before they are clipped to the box.

Differs from the authors' code: their online buffer begins with 10,000 offline rows so that updates
can begin at once, where here batches are offline rows until there are enough others; squared
errors are summed over the critics; the temperature's gradient is taken in log alpha without the
factor alpha, as in our SAC; evaluation always takes the mean, which they do outside mazes only.
"""

import math
from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Int, PRNGKeyArray

from road.agents.iql import IQLState
from road.agents.losses import critic_loss, over_stack, td_target
from road.agents.ranges import check_ranges
from road.agents.sac import drawn_of, temperature_loss
from road.agents.xql import XQL
from road.nn.networks import Critic, GaussianActor
from road.nn.train_state import TrainState, gradient_step, make_train_state, polyak_update
from road.types import Actions, Batch, Metrics, Observations, Scalar, Scalars, Spec

FIRST_ALPHA = 0.01


class PROTOState(eqx.Module):
    """Everything that learning changes."""

    actor: TrainState[GaussianActor]
    slow_actor: GaussianActor
    """pi_k: the centre of the trust region."""
    critic: TrainState[Critic]
    target_critic: Critic
    log_alpha: TrainState[Scalar]
    updates: Int[Array, ""]
    """Online updates so far, from which lam follows."""


@dataclass(frozen=True)
class PROTO:
    """Hyper-parameters of PROTO; the defaults are the authors' for locomotion."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers of every network."""
    learning_rate: float = 3e-4
    """Of Adam, for everything that is learnt."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    temperature: float = 2.0
    """temp: of the offline phase, and the first weight lam of the trust region."""
    decay: float = 0.9
    """Fraction of lam that is gone after ``decay_steps``; it never falls below 0."""
    decay_steps: int = 1_000_000
    """Online updates over which lam falls; the length of the online phase."""
    slow_rate: float = 0.005
    """Polyak rate of pi_k towards the policy, per update."""
    target_rate: float = 0.005
    """Polyak rate of the target critic, per update."""
    layer_norm: bool = True
    """Whether the hidden layers of critics and V are normalised."""
    subset: int | None = None
    """How many target critics, drawn in each update, are minimised over; None is both."""
    regularised_backup: bool = True
    """Whether the critics' target holds the regulariser of the next action."""
    entropy_share: float = 0.5
    """The target entropy is minus this times the number of action dimensions."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def xql(self) -> XQL:
        """The agent of the offline phase."""
        return XQL(
            hidden=self.hidden,
            learning_rate=self.learning_rate,
            discount=self.discount,
            temperature=self.temperature,
            target_rate=self.target_rate,
            layer_norm=self.layer_norm,
        )

    @property
    def optimiser(self) -> optax.GradientTransformation:
        return optax.adam(self.learning_rate)

    def init(self, key: PRNGKeyArray, spec: Spec) -> PROTOState:
        """As if the offline phase had taken no step."""
        return carry(self, self.xql.init(key, spec))

    @partial(jax.jit, static_argnums=0)
    def update(
        self, state: PROTOState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[PROTOState, Metrics]:
        return over_stack(self.update_once, state, batch, key)

    def update_once(
        self, state: PROTOState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[PROTOState, Metrics]:
        critic_key, actor_key = jax.random.split(key)
        critic, critic_metrics = gradient_step(
            *("critic", state.critic, self.optimiser, critic_loss),
            *(self.target(state, batch, critic_key), batch),
        )
        alpha, region_weight = self.weights(state)
        actor, actor_metrics = gradient_step(
            *("actor", state.actor, self.optimiser, actor_loss),
            *(state.slow_actor, critic.model, alpha, region_weight, batch, actor_key),
        )
        goal = -self.entropy_share * batch.action.shape[-1]
        log_alpha, alpha_metrics = gradient_step(
            *("temperature", state.log_alpha, self.optimiser, temperature_loss),
            *(actor_metrics["actor/entropy"], goal),
        )
        after = PROTOState(
            actor,
            polyak_update(state.slow_actor, actor.model, self.slow_rate),
            critic,
            polyak_update(state.target_critic, critic.model, self.target_rate),
            log_alpha,
            state.updates + 1,
        )
        return after, {**critic_metrics, **actor_metrics, **alpha_metrics}

    def weights(self, state: PROTOState) -> tuple[Scalar, Scalar]:
        """Alpha and lam."""
        left = jnp.maximum(1.0 - self.decay * state.updates / self.decay_steps, 0.0)
        return jnp.exp(state.log_alpha.model), self.temperature * left

    def target(self, state: PROTOState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """R + gamma (1 - terminated) (min Q'(s', a') - reg(s', a'))."""
        action_key, subset_key = jax.random.split(key)
        actor, observation = state.actor.model, batch.next_observation
        action = actor(observation).sample(action_key)
        critics = drawn_of(state.target_critic, self.subset, subset_key)
        value = critics.pessimistic(observation, action)
        if self.regularised_backup:
            alpha, region_weight = self.weights(state)
            log_prob, log_ratio = densities(actor, state.slow_actor, observation, action)
            value = value - alpha * log_prob - region_weight * log_ratio
        return td_target(batch, self.discount, value)

    def act(self, state: PROTOState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return state.actor.model(observation).clipped_sample(key)

    def best_action(
        self, state: PROTOState, observation: Observations, key: PRNGKeyArray
    ) -> Actions:
        del key
        return state.actor.model(observation).mode

    def q_value(self, state: PROTOState, observation: Observations, action: Actions) -> Scalars:
        """What the actor climbs: the mean of the critics that are being trained.

        The policy of R_q is the one that explores, sampled and clipped (``act``).
        """
        return state.critic.model(observation, action).mean(axis=0)


def actor_loss(
    actor: GaussianActor,
    slow_actor: GaussianActor,
    critic: Critic,
    alpha: Scalar,
    region_weight: Scalar,
    batch: Batch,
    key: PRNGKeyArray,
) -> tuple[Scalar, Metrics]:
    """Mean of reg(s, a) - Q(s, a) over reparameterised actions of the policy."""
    action = actor(batch.observation).sample(key)
    q = critic(batch.observation, action).mean(axis=0)
    log_prob, log_ratio = densities(actor, slow_actor, batch.observation, action)
    return (alpha * log_prob + region_weight * log_ratio - q).mean(), {
        "entropy": -log_prob.mean(),
        "divergence": log_ratio.mean(),
        "region_weight": region_weight,
    }


def densities(
    actor: GaussianActor,
    slow_actor: GaussianActor,
    observation: Observations,
    action: Actions,
) -> tuple[Scalars, Scalars]:
    """Log pi and log (pi / pi_k); the mean of the second, over pi's actions, estimates their KL."""
    log_prob = actor(observation).log_prob(action)
    return log_prob, log_prob - slow_actor(observation).log_prob(action)


def carry(proto: PROTO, state: IQLState) -> PROTOState:
    """To the online phase: pi, Q, Q' and Q's Adam stay, pi_k is pi, V is dropped.

    The policy's Adam is new, as in the authors' code, where the online policy is an object of its
    own; the temperature and lam begin.
    """
    return PROTOState(
        make_train_state(state.actor.model, proto.optimiser),
        state.actor.model,
        state.critic,
        state.target_critic,
        make_train_state(jnp.array(math.log(FIRST_ALPHA), jnp.float32), proto.optimiser),
        jnp.zeros((), jnp.int32),
    )
