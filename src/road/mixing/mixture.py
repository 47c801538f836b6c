"""What a mixer hands out: the share of each batch that is offline, and why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from road.mixing.criterion import Criterion
from road.mixing.priorities import Priorities

PAPER_ARMS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Lambda, the paper's candidate ratios."""
PAPER_CRITERION = Criterion()
"""R_q, with kappa = 1."""


@dataclass(frozen=True, slots=True)
class ArmTable:
    """What a bandit knew of its arms when it chose; None where the window held no pull."""

    ratios: tuple[float, ...]
    means: tuple[float | None, ...]
    bonuses: tuple[float | None, ...]
    counts: tuple[int | float, ...]
    """Pulls in the window; where pulls fade, their weights."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """How the batches of one period are put together."""

    offline_ratio: float
    """m: the share of every batch that comes from the offline data."""
    pooled: bool = False
    """Whether both sources are one pool, every row as likely as any other; the ratio is then what
    to expect at the period's beginning, and follows the sizes from batch to batch."""
    arms: ArmTable | None = None
    """What led to the choice; None for a mixer that has no arms."""
    criterion: Criterion = PAPER_CRITERION
    """By what the period is to be judged when it ends."""
    steps: int | None = None
    """How many environment steps the period has; None leaves that to the run."""
    held_back: int = 0
    """The newest online rows that are not trained on, so that there is something to judge by."""
    priorities: Priorities | None = None
    """By what each row is drawn, whatever its source; the ratio is then what to expect at the
    period's beginning. None for a mixer that chooses a ratio."""

    def __post_init__(self) -> None:
        check_ratio("offline_ratio", self.offline_ratio)
        if self.priorities is not None and (self.pooled or self.held_back):
            raise ValueError(
                "a mixture with priorities is neither pooled nor holds rows back, got "
                f"pooled={self.pooled} and held_back={self.held_back}"
            )


@dataclass(frozen=True, slots=True)
class Moment:
    """When a mixture is asked for: how far the online phase is, and how much data there is."""

    progress: float = math.nan
    """The done share of the online phase; NaN where its end is not known."""
    offline_rows: int | None = None
    online_rows: int | None = None
    offline_mass: float | None = None
    """The offline share of all priorities; None where rows have none yet."""

    @property
    def offline_share(self) -> float:
        """Of all rows; a ValueError where the numbers of rows are not known."""
        if self.offline_rows is None or self.online_rows is None:
            raise ValueError(
                "this strategy needs the numbers of rows; give Controller its offline_rows and "
                "end_period the online_rows"
            )
        return self.offline_rows / max(self.offline_rows + self.online_rows, 1)


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
