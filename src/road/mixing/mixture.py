"""What a batch is made of: the share of it that is offline, and how the rows are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

PAPER_ARMS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Lambda, the paper's candidate ratios."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """How the batches of one period are put together."""

    offline_ratio: float
    """m: the share of every batch that comes from the offline data."""
    pooled: bool = False
    """Whether both sources are one pool, every transition as likely as any other; the ratio is then
    the expected one at the period's beginning, and follows the sizes from batch to batch."""
    held_back: int = 0
    """The newest online transitions that are not trained on, so that they can be judged by."""
    priorities: object | None = None
    """Settings of the row weighting that draws each transition, whatever its source; the ratio is
    then the expected one at the period's beginning. None for a mixer that chooses a ratio."""

    def __post_init__(self) -> None:
        check_ratio("offline_ratio", self.offline_ratio)
        object.__setattr__(self, "offline_ratio", float(self.offline_ratio))  # of any library
        if self.priorities is not None and (self.pooled or self.held_back):
            raise ValueError(
                "a mixture with priorities is neither pooled nor holds transitions back, got "
                f"pooled={self.pooled} and held_back={self.held_back}"
            )


def check_ratio(name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must lie in [0, 1], got {value}")


def check_arms(arms: Sequence[float]) -> None:
    if not arms:
        raise ValueError(f"at least one arm is needed, got {tuple(arms)}")
    for arm in arms:
        check_ratio("every arm", arm)
    if len(set(arms)) < len(arms):
        raise ValueError(f"arms must differ from each other, got {tuple(arms)}")
