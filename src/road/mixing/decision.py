"""What a mixer decides when a period begins, and what it may know then."""

import math
import sys
from dataclasses import dataclass

from road.mixing.credit import Criterion, SurrogateCriterion
from road.mixing.mixture import Mixture

PAPER_CRITERION = SurrogateCriterion()
"""R_q, with kappa = 1."""
ENDLESS = sys.maxsize
"""Steps of a period that never ends, of a learner whose ratio is never judged."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a mixer may know when it decides: progress, and the amount of data."""

    progress: float = math.nan
    """The finished share of the online phase; NaN where its end is not known."""
    offline_rows: int | None = None
    online_rows: int | None = None
    offline_mass: float | None = None
    """The offline share of all priorities; None where transitions have none yet."""

    @property
    def offline_share(self) -> float:
        """Of all transitions; a ValueError where their numbers are not known."""
        if self.offline_rows is None or self.online_rows is None:
            raise ValueError(
                "this strategy needs the numbers of rows; give Controller its offline_rows and "
                "end_period the online_rows"
            )
        return self.offline_rows / max(self.offline_rows + self.online_rows, 1)


@dataclass(frozen=True, slots=True)
class ArmTable:
    """A bandit's statistics when it chose; None for an arm without a pull in the window."""

    ratios: tuple[float, ...]
    means: tuple[float | None, ...]
    bonuses: tuple[float | None, ...]
    counts: tuple[int | float, ...]
    """Pulls in the window."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to sample during the next period, for how long, and how the period will be judged."""

    mixture: Mixture
    criterion: Criterion = PAPER_CRITERION
    steps: int | None = None
    """Environment steps of the period; None leaves that to the run; it may be ``ENDLESS``."""
    arms: ArmTable | None = None
    """What led to the choice; None for a mixer that has no arms."""

    def __post_init__(self) -> None:
        for name, kind in (("mixture", Mixture), ("criterion", Criterion)):
            if not isinstance(getattr(self, name), kind):
                got = getattr(self, name)
                raise ValueError(f"{name} of a decision must be a {kind.__name__}, got {got!r}")
        if self.steps is not None and self.steps < 1:
            raise ValueError(f"steps of a period must be 1 or more, or None, got {self.steps}")

    @property
    def offline_ratio(self) -> float:
        """The mixture's m."""
        return self.mixture.offline_ratio
