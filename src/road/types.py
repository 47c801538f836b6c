"""The types that the packages pass to each other."""

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

import equinox as eqx
import jax
from jaxtyping import Array, Float, PRNGKeyArray

ArrayT = TypeVar("ArrayT")
State = TypeVar("State")

Metrics: TypeAlias = dict[str, Float[Array, "*update"]]
"""Named numbers of one update, or of each update of a stack: ``<network>/<quantity>``."""

Scalar: TypeAlias = Float[Array, ""]
Scalars: TypeAlias = Float[Array, " batch"]
"""One number for each transition of a mini-batch: rewards, Q-values, advantages, weights."""
Observations: TypeAlias = Float[Array, "batch obs"]
Actions: TypeAlias = Float[Array, "batch act"]


class Transition(eqx.Module, Generic[ArrayT]):
    """One transition, or many stacked along the leading axes of every field."""

    observation: ArrayT
    action: ArrayT
    reward: ArrayT
    next_observation: ArrayT
    terminated: ArrayT
    """1 where the episode truly ended; a time limit is not an end."""
    return_to_go: ArrayT
    """Discounted return from here on; -inf while the episode is still running."""


Batch: TypeAlias = Transition[jax.Array]
"""Transitions on the device: a stack (update, batch, ...) for ``Agent.update``."""


@dataclass(frozen=True)
class Spec:
    """The dimensions of a task that an agent needs."""

    observation_dim: int
    action_dim: int


@runtime_checkable
class Agent(Protocol[State]):
    """Hyper-parameters, and the pure functions that they define."""

    @property
    def discount(self) -> float: ...

    def init(self, key: PRNGKeyArray, spec: Spec) -> State: ...

    def update(self, state: State, batch: Batch, key: PRNGKeyArray) -> tuple[State, Metrics]:
        """Train on each mini-batch of the stack in turn; metrics keep the update axis."""
        ...

    def target(self, state: State, batch: Batch, key: PRNGKeyArray) -> Scalars:
        """What the critic of ``state.critic`` regresses on, on one mini-batch."""
        ...

    def act(self, state: State, observation: Observations, key: PRNGKeyArray) -> Actions:
        """Actions to explore with, in [-1, 1]."""
        ...

    def best_action(self, state: State, observation: Observations, key: PRNGKeyArray) -> Actions:
        """Actions to be judged by, in [-1, 1]; most agents have no use for the key."""
        ...

    def q_value(self, state: State, observation: Observations, action: Actions) -> Scalars:
        """The agent's own estimate of its return: what R_q is computed from."""
        ...


AnyAgent: TypeAlias = Agent[Any]
