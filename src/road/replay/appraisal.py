"""What an agent thinks of transitions, for row weightings that depend on it."""

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Appraisal(NamedTuple):
    """One number per transition (s, a)."""

    q: NDArray[np.float64]
    """Q(s, a)."""
    value: NDArray[np.float64]
    """Q(s, a') of an action a' that the policy draws at s: an estimate of V(s)."""

    @property
    def advantage(self) -> NDArray[np.float64]:
        """Q(s, a) - Q(s, a'), in units of its own spread; 0 where all are alike."""
        found = self.q - self.value
        spread = found.std()
        return (found - found.mean()) / spread if spread > 0.0 else np.zeros_like(found)


Appraise: TypeAlias = Callable[[NDArray[np.float32], int], Appraisal]
"""From packed rows (n, width) and a counter; the agent is the one that was just trained."""


@runtime_checkable
class Consulting(Protocol):
    """A row weighting that may ask the agent."""

    @property
    def consults(self) -> bool:
        """Whether it does."""
        ...

    def consult(self, appraise: Appraise) -> None:
        """Called before every ``reweight``, with the agent as it then is."""
        ...
