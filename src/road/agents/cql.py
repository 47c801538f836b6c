"""Conservative Q-learning (Kumar et al. 2020, arXiv:2006.04779), and Cal-QL (arXiv:2303.05479).

One update on one mini-batch, every step taken from the networks as they were before it:

    pi, alpha   as SAC's
    Q           regress on r + gamma max_j min Q'(s', a_j),  a_j ~ pi(s'), and
                push down  log sum exp Q(s, a) over proposals - Q(s, a of the data)    Eq. 4
    Q'          follow Q
    alpha'      rise while that difference is above its target gap, else fall          App. F

where Q' is the target critic and min is over the ensemble. Proposals come from the box, from pi(s)
and from pi(s'), each corrected by its density, and are all judged at s. Cal-QL pushes none of the
policy's below the return that is known to follow s (Nakamoto et al. 2023, Eq. 5.1).

Differs from the paper, as Cal-QL's code does: simultaneous steps, the best of ten next actions, no
entropy in the target, no 1/2 before the squared error, a learnt affine of the log-std. Differs from
that code: Q's loss leaves out the constant -alpha' gap.
"""

from dataclasses import dataclass, replace
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from road.agents.losses import bellman_loss, over_stack, td_target
from road.agents.ranges import check_ranges
from road.agents.sac import SAC, SACState, drawn_of
from road.nn.networks import Critic
from road.nn.squashed import SquashedActor, TanhGaussian, make_squashed_actor
from road.nn.train_state import TrainState, gradient_step, make_train_state, polyak_update
from road.types import Actions, Batch, Metrics, Observations, Scalar, Scalars, Spec

LOG_STD_AFFINE = (1.0, -1.0)
CRITIC_GAIN = 0.01
"""Of the critics' last layer, as in Cal-QL's code: values start close to 0."""
FIRST_LOG_MULTIPLIER = 1.0
MULTIPLIER_LIMIT = 1e6


class CQLState(eqx.Module):
    """Everything that learning changes."""

    actor: TrainState[SquashedActor]
    critic: TrainState[Critic]
    target_critic: Critic
    log_alpha: TrainState[Scalar]
    log_multiplier: TrainState[Scalar]
    """log alpha'; stays at 0 where the penalty's weight is fixed."""

    @property
    def sac(self) -> SACState:
        return SACState(self.actor, self.critic, self.target_critic, self.log_alpha)


class Proposals(eqx.Module):
    """Actions at which the critics are pushed down, several for each state of a batch."""

    action: Float[Array, "proposal batch act"]
    log_density: Float[Array, "proposal batch"]
    """Of the distribution that the action was drawn from; 0 leaves its value uncorrected."""
    floor: Float[Array, "proposal batch"]
    """No value below this is pushed down further; -inf is no floor."""


@dataclass(frozen=True)
class CQL:
    """Hyper-parameters of conservative Q-learning and of Cal-QL."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the policy's hidden layers."""
    critic_hidden: tuple[int, ...] = (256, 256, 256, 256)
    """Widths of the critics' hidden layers."""
    actor_learning_rate: float = 1e-4
    """Of Adam, for policy and temperature."""
    critic_learning_rate: float = 3e-4
    """Of Adam, for the critics and the multiplier."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    target_rate: float = 0.005
    """Polyak rate of the target critic, per update."""
    members: int = 2
    """Critics in the ensemble."""
    subset: int | None = None
    """How many target critics, drawn in each update, are minimised over; None is all."""
    layer_norm: bool = False
    """Whether the critics' hidden layers are normalised."""
    conservatism: float = 5.0
    """alpha in Eq. 4, where SAC's papers use alpha for the temperature; 'min Q weight' in code."""
    target_gap: float | None = 0.8
    """tau in App. F: the gap at which a learnt multiplier of alpha rests; None keeps alpha."""
    importance_sampling: bool = True
    """Whether proposals are corrected by their densities; else the data's action joins them."""
    proposals: int = 10
    """Actions drawn per state from each of: the whole box, pi(s), pi(s')."""
    max_backup: int | None = 10
    """Next actions of which the target takes the best; None takes a single one, as SAC does."""
    calibrated: bool = False
    """Whether known returns bound what is pushed down, as in Cal-QL."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def sac(self) -> SAC:
        """SAC with the first nine fields; CQL adds the penalty."""
        return SAC(
            self.hidden, self.critic_hidden, self.actor_learning_rate, self.critic_learning_rate,
            self.discount, self.target_rate, self.members, self.subset, self.layer_norm,
            entropy_backup=False,
        )  # fmt: skip

    def init(self, key: PRNGKeyArray, spec: Spec) -> CQLState:
        actor_key, critic_key = jax.random.split(key)
        dims = (spec.observation_dim, spec.action_dim)
        actor = make_squashed_actor(actor_key, *dims, self.hidden, affine=LOG_STD_AFFINE)
        base = self.sac.around(actor, critic_key, spec, CRITIC_GAIN)
        first = 0.0 if self.target_gap is None else FIRST_LOG_MULTIPLIER
        log_multiplier = make_train_state(jnp.array(first, jnp.float32), self.sac.critic_optimiser)
        return CQLState(base.actor, base.critic, base.target_critic, base.log_alpha, log_multiplier)

    @partial(jax.jit, static_argnums=0)
    def update(self, state: CQLState, batch: Batch, key: PRNGKeyArray) -> tuple[CQLState, Metrics]:
        return over_stack(self.update_once, state, batch, key)

    def update_once(
        self, state: CQLState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[CQLState, Metrics]:
        critic_key, actor_key = jax.random.split(key)
        judged, critic_metrics = self.update_critic(state, batch, critic_key)
        acting, actor_metrics = self.sac.update_actor(state.sac, batch, actor_key)
        after = replace(judged, actor=acting.actor, log_alpha=acting.log_alpha)
        return after, {**critic_metrics, **actor_metrics}

    def update_critic(
        self, state: CQLState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[CQLState, Metrics]:
        """Q, Q' and alpha'."""
        target_key, proposal_key = jax.random.split(key)
        target = self.target(state, batch, target_key)
        proposals = self.propose(state.actor.model, batch, proposal_key)
        optimiser, log_multiplier = self.sac.critic_optimiser, state.log_multiplier
        weight = self.conservatism * multiplier(log_multiplier.model)
        critic, metrics = gradient_step(
            "critic", state.critic, optimiser, critic_loss, target, proposals, batch, weight
        )
        target_critic = polyak_update(state.target_critic, critic.model, self.target_rate)
        # A fixed weight rests at any gap: the multiplier's gradient is then exactly zero.
        rest = metrics["critic/gap"] if self.target_gap is None else self.target_gap
        excess = self.conservatism * (metrics["critic/gap"] - rest)
        log_multiplier, more = gradient_step(
            "multiplier", log_multiplier, optimiser, multiplier_loss, excess
        )
        after = CQLState(state.actor, critic, target_critic, state.log_alpha, log_multiplier)
        return after, {**metrics, **more}

    def target(self, state: CQLState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """What Q regresses on; the penalty is no part of it."""
        return self.best_of_several(state.sac, batch, key)

    def best_of_several(self, state: SACState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """R + gamma (1 - terminated) max_j min Q'(s', a_j)."""
        if self.max_backup is None:
            return self.sac.target(state, batch, key)
        action_key, subset_key = jax.random.split(key)
        action, _ = draw(state.actor.model(batch.next_observation), self.max_backup, action_key)
        critics = drawn_of(state.target_critic, self.subset, subset_key)
        value = critics.judge_each(batch.next_observation, action).min(axis=1).max(axis=0)
        return td_target(batch, self.discount, value)

    def propose(self, actor: SquashedActor, batch: Batch, key: PRNGKeyArray) -> Proposals:
        box_key, here_key, next_key = jax.random.split(key, 3)
        count, (rows, action_dim) = self.proposals, batch.action.shape
        box = jax.random.uniform(box_key, (count, rows, action_dim), minval=-1.0, maxval=1.0)
        no_floor = jnp.full((count, rows), -jnp.inf)
        floor = jnp.broadcast_to(batch.return_to_go, (count, rows)) if self.calibrated else no_floor
        parts = [
            Proposals(box, jnp.full((count, rows), action_dim * jnp.log(0.5)), no_floor),
            Proposals(*draw(actor(batch.observation), count, here_key), floor),
            Proposals(*draw(actor(batch.next_observation), count, next_key), floor),
        ]
        if not self.importance_sampling:
            parts = [replace(each, log_density=jnp.zeros((count, rows))) for each in parts]
            parts.append(Proposals(batch.action[None], jnp.zeros((1, rows)), no_floor[:1]))
        return jax.tree.map(lambda *each: jnp.concatenate(each), *parts)

    def act(self, state: CQLState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return self.sac.act(state.sac, observation, key)

    def best_action(self, state: CQLState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return self.sac.best_action(state.sac, observation, key)

    def q_value(self, state: CQLState, observation: Observations, action: Actions) -> Scalars:
        """The least of the critics that are being trained; R_q asks it of sampled actions."""
        return self.sac.q_value(state.sac, observation, action)


def draw(
    policy: TanhGaussian, count: int, key: PRNGKeyArray
) -> tuple[Float[Array, "proposal batch act"], Float[Array, "proposal batch"]]:
    """Several actions per state, and the logarithms of their densities."""
    return jax.vmap(policy.sample)(jax.random.split(key, count))


def critic_loss(
    critic: Critic,
    target: Scalars,
    proposals: Proposals,
    batch: Batch,
    weight: Scalar,
) -> tuple[Scalar, Metrics]:
    """Eq. 4, summed over the members; with floors Cal-QL's Eq. 5.1."""
    q = critic(batch.observation, batch.action)
    proposed = critic.judge_each(batch.observation, proposals.action)
    floor, log_density = proposals.floor[:, None, :], proposals.log_density[:, None, :]
    pushed = jax.nn.logsumexp(jnp.maximum(proposed, floor) - log_density, axis=0)
    gap = (pushed - q).mean(axis=1)
    bellman = bellman_loss(q, target)
    penalty = {"bellman": bellman, "gap": gap.mean(), "bounded": (proposed < floor).mean()}
    return bellman + weight * gap.sum(), {**penalty, "mean": q.mean(), "largest": q.max()}


def multiplier(log_multiplier: Scalar) -> Scalar:
    return jnp.clip(jnp.exp(log_multiplier), 0.0, MULTIPLIER_LIMIT)


def multiplier_loss(log_multiplier: Scalar, excess: Scalar) -> tuple[Scalar, Metrics]:
    """App. F: the dual of alpha (gap - target gap), climbed in log alpha'."""
    return -multiplier(log_multiplier) * excess, {"value": multiplier(log_multiplier)}


def keep_everything(state: CQLState) -> CQLState:
    """Carry to the online phase: networks, optimisers and loss stay as they are."""
    return state
