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
from jaxtyping import PRNGKeyArray

from road.agents.iql import IQL, IQLState, init_networks, update_networks
from road.agents.losses import over_stack
from road.agents.ranges import check_ranges
from road.nn.networks import Value
from road.types import Actions, Batch, Metrics, Observations, Scalar, Scalars, Spec

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
    """Polyak rate of the target critic, per update."""
    layer_norm: bool = True
    """Whether the hidden layers of critics and V are normalised."""

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def iql(self) -> IQL:
        """All but the regression of V, for which IQL's expectile is not used."""
        return IQL(
            hidden=self.hidden,
            learning_rate=self.learning_rate,
            discount=self.discount,
            inverse_temperature=1.0 / self.temperature,
            target_rate=self.target_rate,
        )

    def init(self, key: PRNGKeyArray, spec: Spec) -> IQLState:
        return init_networks(self.iql, key, spec, layer_norm=self.layer_norm)

    @partial(jax.jit, static_argnums=0)
    def update(self, state: IQLState, batch: Batch, key: PRNGKeyArray) -> tuple[IQLState, Metrics]:
        return over_stack(self.update_once, state, batch, key)

    def update_once(
        self, state: IQLState, batch: Batch, key: PRNGKeyArray
    ) -> tuple[IQLState, Metrics]:
        del key  # nothing in this update is random
        before = state.value.model
        loss = partial(gumbel_value_loss, before=before, temperature=self.temperature)
        return update_networks(self.iql, state, batch, loss)

    def target(self, state: IQLState, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """What Q regresses on."""
        return self.iql.target(state, batch, key)

    def act(self, state: IQLState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return self.iql.act(state, observation, key)

    def best_action(self, state: IQLState, observation: Observations, key: PRNGKeyArray) -> Actions:
        return self.iql.best_action(state, observation, key)

    def q_value(self, state: IQLState, observation: Observations, action: Actions) -> Scalars:
        """The lesser of the two critics that are being trained, not of their targets."""
        return self.iql.q_value(state, observation, action)


def gumbel_value_loss(
    value: Value, q: Scalars, batch: Batch, *, before: Value, temperature: float
) -> tuple[Scalar, Metrics]:
    """Gumbel regression on Q, scaled by the greatest exponential of V as it was before the step."""
    v = value(batch.observation)
    peak = greatest_exponent(q - before(batch.observation), temperature)
    return gumbel_loss(exponent(q - v, temperature), peak), {"mean": v.mean()}


def gumbel_loss(z: Scalars, peak: Scalar) -> Scalar:
    """Mean of exp(z) - z - 1, divided by exp(peak), which keeps it from overflowing."""
    return (jnp.exp(z - peak) - (z + 1.0) * jnp.exp(-peak)).mean()


def exponent(error: Scalars, temperature: float) -> Scalars:
    return jnp.minimum(error / temperature, EXPONENT_LIMIT)


def greatest_exponent(error: Scalars, temperature: float) -> Scalar:
    """Of the batch, and at least -1."""
    return jnp.maximum(exponent(error, temperature).max(), -1.0)
