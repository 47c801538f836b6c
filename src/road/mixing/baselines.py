"""The strategies that learn nothing: constants, lines, chance, and the sizes of the sources."""

from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from road.mixing.decision import Context, Decision
from road.mixing.mixture import PAPER_ARMS, Mixture, check_arms, check_ratio
from road.mixing.period import Period
from road.mixing.priorities import Priorities


class Tally(TypedDict):
    """The state of a mixer that learns nothing: where it stands."""

    seed: int
    finished: int


def advance(state: Tally) -> Tally:
    return Tally(seed=state["seed"], finished=state["finished"] + 1)


@dataclass(frozen=True)
class FixedMixer:
    """Always the same ratio."""

    offline_ratio: float = 0.5
    """m: the share of every batch that is offline."""

    def __post_init__(self) -> None:
        check_ratio("offline_ratio", self.offline_ratio)

    def init(self, seed: int) -> Tally:
        return Tally(seed=seed, finished=0)

    def propose(self, state: Tally, context: Context) -> Decision:
        del state, context
        return Decision(Mixture(self.offline_ratio))

    def observe(self, state: Tally, period: Period) -> Tally:
        del period
        return advance(state)


@dataclass(frozen=True)
class DecreasingMixer:
    """A straight line from one ratio to another over the online phase."""

    start: float = 0.5
    """m at the beginning of the online phase."""
    end: float = 0.1
    """m that the line reaches when the online phase is over."""

    def __post_init__(self) -> None:
        check_ratio("start", self.start)
        check_ratio("end", self.end)

    def init(self, seed: int) -> Tally:
        return Tally(seed=seed, finished=0)

    def propose(self, state: Tally, context: Context) -> Decision:
        del state
        progress = context.progress
        if not 0.0 <= progress <= 1.0:
            raise ValueError(
                f"a ratio on a line needs the done share of the online phase in [0, 1], got "
                f"{progress}; give Controller its total_periods"
            )
        return Decision(Mixture((1.0 - progress) * self.start + progress * self.end))

    def observe(self, state: Tally, period: Period) -> Tally:
        del period
        return advance(state)


@dataclass(frozen=True)
class AppendMixer:
    """One pool: every row, offline or online, is as likely as any other."""

    def init(self, seed: int) -> Tally:
        return Tally(seed=seed, finished=0)

    def propose(self, state: Tally, context: Context) -> Decision:
        del state
        return Decision(Mixture(context.offline_share, pooled=True))

    def observe(self, state: Tally, period: Period) -> Tally:
        del period
        return advance(state)


@dataclass(frozen=True)
class ProportionalMixer:
    """The offline share of all rows at the period's beginning, the same in every batch of it."""

    def init(self, seed: int) -> Tally:
        return Tally(seed=seed, finished=0)

    def propose(self, state: Tally, context: Context) -> Decision:
        del state
        return Decision(Mixture(context.offline_share))

    def observe(self, state: Tally, period: Period) -> Tally:
        del period
        return advance(state)


@dataclass(frozen=True)
class BalancedMixer(Priorities):
    """Row by row, by priority: offline rows that look like online ones, and online rows.

    It is the settings and nothing else: ``road.reweighting`` learns the priorities.
    """

    def init(self, seed: int) -> Tally:
        return Tally(seed=seed, finished=0)

    def propose(self, state: Tally, context: Context) -> Decision:
        del state
        expected = context.offline_mass
        if expected is None:
            expected = self.offline_mass(context.online_rows or 0)
        return Decision(Mixture(expected, priorities=self))

    def observe(self, state: Tally, period: Period) -> Tally:
        del period
        return advance(state)


@dataclass(frozen=True)
class UniformMixer:
    """One of the arms at random, drawn again in each period."""

    arms: tuple[float, ...] = PAPER_ARMS
    """Lambda: the ratios drawn from."""

    def __post_init__(self) -> None:
        check_arms(self.arms)

    def init(self, seed: int) -> Tally:
        return Tally(seed=seed, finished=0)

    def propose(self, state: Tally, context: Context) -> Decision:
        del context
        rng = np.random.default_rng([state["seed"], state["finished"]])
        return Decision(Mixture(self.arms[int(rng.integers(len(self.arms)))]))

    def observe(self, state: Tally, period: Period) -> Tally:
        del period
        return advance(state)
