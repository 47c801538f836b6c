"""WSRL: fine-tuning that keeps no offline data (Zhou et al. 2024, arXiv:2412.07762).

    offline    Cal-QL (or CQL) with ten critics and layer norm
    carry      networks and optimisers as they are; the multiplier of the penalty is dropped
    warm-up    K steps of the frozen policy fill the online buffer; nothing is trained
    online     SAC on online rows alone, four mini-batches per step:
               Q and Q' on each of them, then pi and alpha once on all of their rows

The warm-up is the recipe's and the lack of offline rows a mixer's (a fixed ratio of 0), so this
file holds the agents of both phases and what is carried over. The online target is CQL's: the best
of several next actions where the authors use that, no entropy; the penalty alone is gone.

Differs from the authors' code: no layer norm in the policy, a spread that depends on the state in
mazes too, the few target critics drawn without replacement, losses summed over the critics.
"""

from dataclasses import dataclass, replace
from functools import partial

import jax
from jaxtyping import PRNGKeyArray

from road.agents.cql import CQL, CQLState
from road.agents.ranges import check_ranges
from road.agents.rlpd import critics_then_actor
from road.agents.sac import SAC, SACState
from road.types import Actions, Batch, Metrics, Observations, Scalars, Spec


@dataclass(frozen=True)
class WSRL:
    """Hyper-parameters of both phases, and the online agent."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the policy's hidden layers."""
    critic_hidden: tuple[int, ...] = (256, 256, 256, 256)
    """Widths of the critics' hidden layers."""
    actor_learning_rate: float = 1e-4
    """Of Adam, for policy and temperature."""
    critic_learning_rate: float = 3e-4
    """Of Adam, for the critics and the penalty's multiplier."""
    discount: float = 0.99
    """gamma: weight of the next step's value."""
    target_rate: float = 0.005
    """Polyak rate of the target critic, per mini-batch."""
    members: int = 10
    """Critics in the ensemble."""
    subset: int | None = 2
    """How many target critics, drawn for each mini-batch, are minimised over; None is all."""
    layer_norm: bool = True
    """Whether the critics' hidden layers are normalised."""
    max_backup: int | None = 10
    """Online: next actions of which the target takes the best; None takes a single one."""
    calibrated: bool = True
    """Offline: whether known returns bound what is pushed down (Cal-QL), or not (CQL)."""
    conservatism: float = 5.0
    """Offline: weight of CQL's penalty."""
    target_gap: float | None = 0.8
    """Offline: the gap at which a learnt multiplier of that weight rests; None learns none."""
    importance_sampling: bool = True
    """Offline: whether the penalty's proposals are corrected by their densities."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def offline(self) -> CQL:
        """The agent of the offline phase; its target always takes the best of CQL's ten."""
        return CQL(
            hidden=self.hidden,
            critic_hidden=self.critic_hidden,
            actor_learning_rate=self.actor_learning_rate,
            critic_learning_rate=self.critic_learning_rate,
            discount=self.discount,
            target_rate=self.target_rate,
            members=self.members,
            subset=self.subset,
            layer_norm=self.layer_norm,
            calibrated=self.calibrated,
            conservatism=self.conservatism,
            target_gap=self.target_gap,
            importance_sampling=self.importance_sampling,
        )

    @property
    def sac(self) -> SAC:
        """SAC with these settings, the same in both phases."""
        return self.offline.sac

    def init(self, key: PRNGKeyArray, spec: Spec) -> SACState:
        """What an untrained offline agent would carry over."""
        return drop_multiplier(self.offline.init(key, spec))

    @partial(jax.jit, static_argnums=0)
    def update(self, state: SACState, batch: Batch, key: PRNGKeyArray) -> tuple[SACState, Metrics]:
        every = jax.tree.map(lambda rows: rows.reshape(-1, *rows.shape[2:]), batch)
        return critics_then_actor(self.sac, self.target, state, batch, every, key)

    def target(self, state: SACState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """CQL's: r + gamma (1 - terminated) max_j min Q'(s', a_j), or SAC's if one is drawn."""
        return replace(self.offline, max_backup=self.max_backup).best_of_several(state, batch, key)

    def act(self, state: SACState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return self.sac.act(state, observation, key)

    def best_action(self, state: SACState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return self.sac.best_action(state, observation, key)

    def q_value(self, state: SACState, observation: Observations, action: Actions) -> Scalars:
        """The least of all critics that are being trained: what the policy climbs."""
        return self.sac.q_value(state, observation, action)


def drop_multiplier(state: CQLState) -> SACState:
    """Carry to the online phase: all else stays, the optimisers' moments included.

    The critics' losses of both phases are sums over the members, so the moments keep their scale.
    """
    return state.sac
