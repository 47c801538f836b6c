"""The settings of strategies that select single rows by what the agent thinks of them.

Each is Balanced Replay's density network with another use of its ratio; ``road.reweighting`` draws
the rows. Like that network's, their mixtures carry priorities.
"""

import math
from dataclasses import dataclass

from road.mixing.baselines import BalancedMixer


def check_not_negative(name: str, value: float) -> None:
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{name} must be 0 or more, got {value}")


@dataclass(frozen=True)
class A3RLMixer(BalancedMixer):
    """Row by row, by density times exponential advantage, as A3RL does."""

    temperature: float = 1.0
    """T: the density ratio counts as w^(1/T)."""
    advantage_weight: float = 0.5
    """xi: how much the advantage counts, in units of its spread over a batch."""
    sharpness: float = 0.5
    """zeta: the exponent of all that; 0 draws uniformly."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("advantage_weight", self.advantage_weight)
        check_not_negative("sharpness", self.sharpness)


@dataclass(frozen=True)
class OuterGradientMixer(BalancedMixer):
    """Row by row, by the weight w_g of the paper's outer gradient."""

    temperature: float = 1.0
    """T: the density ratio counts as w^(1/T)."""
    tilt: float = 0.5
    """beta: how much pi' prefers actions of high advantage, in units of its spread over a batch."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("tilt", self.tilt)
