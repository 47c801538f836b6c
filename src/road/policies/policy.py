"""What is deployed: from an observation of the environment to an action in its units."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from road.policies.spaces import Spaces


@runtime_checkable
class Network(Protocol):
    """Gives actions in [-1, 1] for the vector of one observation, or for a row each of a batch."""

    def act(self, observation: NDArray[np.float32]) -> NDArray[Any]:
        """The best action."""
        ...

    def sample(
        self, observation: NDArray[np.float32], remaining: float, rng: np.random.Generator
    ) -> NDArray[Any]:
        """An action to explore with; it may leave the box."""
        ...


@dataclass(frozen=True, repr=False, eq=False)
class Policy:
    """A trained policy: call it with an observation, or with a batch of them.

    Observations are the environment's own, a dict included; actions lie in its box and have its
    units. Normalisation is inside.
    """

    network: Network
    spaces: Spaces
    name: str
    """Agent, task and the point in training at which it was saved."""
    rng: np.random.Generator | None = None
    """Draws every action; None takes the best one."""

    def __call__(self, observation: Any) -> NDArray[Any]:
        vectors = self.spaces.vectors(observation)
        if self.rng is None:
            return self.spaces.actions(self.network.act(vectors))
        return self.spaces.actions(self.network.sample(vectors, 1.0, self.rng))

    def __repr__(self) -> str:
        how = "best action" if self.rng is None else "sampled"
        return f"Policy({self.name}, {how}, actions from {self.spaces.low} to {self.spaces.high})"
