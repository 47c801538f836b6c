"""The handful of types that the rooms hand to each other."""

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

import equinox as eqx
import jax
from jaxtyping import Array, Float, PRNGKeyArray

ArrayT = TypeVar("ArrayT")
State = TypeVar("State")

Metrics: TypeAlias = dict[str, Float[Array, "*update"]]
"""Named numbers of one update, or of each update of a stack: ``<network>/<quantity>``."""


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
    """What an agent must know of a task."""

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

    def target(self, state: State, batch: Batch, key: PRNGKeyArray) -> Float[Array, " batch"]:
        """What the critic of ``state.critic`` regresses on, on one mini-batch."""
        ...

    def act(
        self, state: State, observation: Float[Array, "batch obs"], key: PRNGKeyArray
    ) -> Float[Array, "batch act"]:
        """Actions to explore with, in [-1, 1]."""
        ...

    def best_action(
        self, state: State, observation: Float[Array, "batch obs"], key: PRNGKeyArray
    ) -> Float[Array, "batch act"]:
        """Actions to be judged by, in [-1, 1]; most agents have no use for the key."""
        ...

    def q_value(
        self,
        state: State,
        observation: Float[Array, "batch obs"],
        action: Float[Array, "batch act"],
    ) -> Float[Array, " batch"]:
        """The agent's own estimate of its return: what R_q is read off."""
        ...


AnyAgent: TypeAlias = Agent[Any]
