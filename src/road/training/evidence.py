"""What is measured when a period ends: just what its mixture is to be judged by.

surrogate     Delta_off and Delta_on on a probe of each source, always
change        the same of the agent as it was when the period began, on the same rows and draws
fresh-error   TD error on this period's rows, before and after the period before
next-return   returns of the episodes that ended
alignment     cosines of gradients; nothing else, as it is measured often
"""

import math
from dataclasses import dataclass
from functools import cached_property

import jax
import numpy as np
from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray

from road.errors import NumericError
from road.mixing import Advantages, Alignment, Evidence, Mixture
from road.randomness import NumpyStream, Stream, jax_stream
from road.replay.sampler import MixedSampler
from road.training.config import RunConfig
from road.training.engine import Engine, Leaves
from road.training.state import RunState


@dataclass(frozen=True)
class Readings:
    """Measures a finished period; called with the run's state and the mixture that was in force."""

    engine: Engine
    sampler: MixedSampler
    config: RunConfig

    @cached_property
    def key(self) -> PRNGKeyArray:
        return jax_stream(self.config.seed, Stream.MEASURING)

    @cached_property
    def error_key(self) -> PRNGKeyArray:
        return jax.random.fold_in(self.key, 1)

    @cached_property
    def draws(self) -> NumpyStream:
        return NumpyStream(self.config.seed, Stream.MEASURING)

    def __call__(self, state: RunState, mixture: Mixture) -> Evidence:
        wanted, period = mixture.criterion.wanted, state.counters.periods
        if wanted in ("alignment", "return-alignment"):
            return Evidence(alignment=self.alignment(state, mixture))
        probe = self.sampler.probe(self.config.measure_batch, self.draws.at(period))
        now = self.advantages(state.agent, probe, period)
        change = self.change(state, probe, now) if wanted == "change" else None
        drop = self.error_drop(state) if wanted == "fresh-error" else None
        returned = mean_return(state) if wanted == "next-return" else None
        return Evidence(now, change=change, error_drop=drop, mean_return=returned)

    def advantages(
        self, leaves: Leaves, probe: tuple[NDArray[np.float32], NDArray[np.float32]], period: int
    ) -> Advantages:
        offline, online = (
            self.engine.advantage(leaves, rows, self.key, 2 * period + source)
            for source, rows in enumerate(probe)
        )
        finite(f"Delta_off, Delta_on at the end of period {period}", offline, online)
        return Advantages(offline, online)

    def change(
        self,
        state: RunState,
        probe: tuple[NDArray[np.float32], NDArray[np.float32]],
        now: Advantages,
    ) -> Advantages:
        begun = self.advantages(state.snapshots["begun"], probe, state.counters.periods)
        return Advantages(now.offline - begun.offline, now.online - begun.online)

    def error_drop(self, state: RunState) -> float:
        """NaN for the first period, which has none before it."""
        if "before" not in state.snapshots:
            return math.nan
        counters = state.counters
        rows = self.sampler.online.newest(counters.online_steps - counters.period_start)
        place = self.draws.at(counters.periods, part=1).random(self.config.measure_batch)
        fresh = rows[(place * len(rows)).astype(np.int64)]
        before, after = (
            self.engine.td_error(state.snapshots[name], fresh, self.error_key, counters.periods)
            for name in ("before", "begun")
        )
        finite(f"the TD errors on the rows of period {counters.periods}", before, after)
        return before - after

    def alignment(self, state: RunState, mixture: Mixture) -> Alignment:
        period = state.counters.periods
        offline, online = self.sampler.probe(
            self.config.batch_size, self.draws.at(period), held_back=mixture.held_back
        )
        sources = (offline, online, self.sampler.online.newest(mixture.held_back))
        judge = "td" if mixture.criterion.wanted == "alignment" else "monte-carlo"
        cosines = self.engine.alignment(state.agent, sources, self.key, period, judge).tolist()
        finite(f"the cosines at the end of interval {period}", *cosines)
        return Alignment(*cosines)


def mean_return(state: RunState) -> float:
    """NaN where no episode ended."""
    counters = state.counters
    return (
        counters.period_return / counters.period_episodes if counters.period_episodes else math.nan
    )


def finite(what: str, *values: float) -> None:
    if not np.isfinite(values).all():
        raise NumericError(f"{what} are {values}")
