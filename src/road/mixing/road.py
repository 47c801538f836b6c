"""ROAD (Algorithm 2): the bandit of ``bandit.py`` over offline ratios, credited with R_q.

start of a period   m = argmax_i  mean_i + sqrt(c · log(min(k, tau)) / N_i)        Eq. UCB
end of a period     credit the ratio with  R_q = Delta_off - kappa · Delta_on      Eq. R_q
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from road.mixing.bandit import ArmStats, Pulls, Scale, SlidingWindowUCB
from road.mixing.credit import Criterion, SurrogateCriterion
from road.mixing.decision import ArmTable, Context, Decision
from road.mixing.experimental import EXPERIMENTAL
from road.mixing.mixture import PAPER_ARMS, Mixture, check_arms
from road.mixing.period import Period


@dataclass(frozen=True)
class RoadMixer:
    """The paper's mixer: a sliding-window bandit over ratios, credited with R_q."""

    arms: tuple[float, ...] = PAPER_ARMS
    """Lambda: the candidate ratios, each in [0, 1]."""
    overestimation_penalty: float = 1.0
    """kappa: the weight of Delta_on in R_q = Delta_off - kappa · Delta_on; inf is -Delta_on."""
    exploration: float = 2.0
    """c: UCB exploration coefficient."""
    window: int | None = 1000
    """tau: periods that count; None keeps them all (the paper's tau = k on sparse rewards)."""
    scale: Scale = "raw"
    """Unit of the credit: 'raw' is the paper's; 'standardised' divides by its spread."""
    credit: str = "surrogate"
    """What a period is credited with: R_q, or an experimental credit: 'reversed', 'change',
    'fresh-error', 'next-return'."""

    def __post_init__(self) -> None:
        check_arms(self.arms)
        if self.credit not in (known := ("surrogate", *EXPERIMENTAL)):
            raise ValueError(f"credit must be {' or '.join(map(repr, known))}, got {self.credit!r}")
        _ = self.criterion, self.bandit  # check the rest

    @cached_property
    def criterion(self) -> Criterion:
        make = EXPERIMENTAL.get(self.credit, SurrogateCriterion)
        return make(self.overestimation_penalty)

    @cached_property
    def bandit(self) -> SlidingWindowUCB:
        return SlidingWindowUCB(len(self.arms), self.exploration, self.window, self.scale)

    def init(self, seed: int) -> Pulls:
        del seed  # nothing here is random
        return self.bandit.init()

    def propose(self, state: Pulls, context: Context) -> Decision:
        del context
        stats = self.bandit.stats(state)
        mixture = Mixture(self.arms[stats.best])
        return Decision(mixture, self.criterion, arms=arm_table(self.arms, stats))

    def observe(self, state: Pulls, period: Period) -> Pulls:
        if period.credit is None or period.credited_ratio is None:
            return state
        return self.bandit.record(state, self.arms.index(period.credited_ratio), period.credit)


def arm_table(arms: Sequence[float], stats: ArmStats) -> ArmTable:
    """Means in the credit's own unit, and what is added to them when they are compared."""
    return ArmTable(
        ratios=tuple(arms),
        means=none_for_nan(stats.means),
        bonuses=none_for_nan([bonus * stats.unit for bonus in stats.bonuses]),
        counts=tuple(stats.counts),
    )


def none_for_nan(values: Sequence[float]) -> tuple[float | None, ...]:
    return tuple([None if math.isnan(value) else value for value in values])
