"""Measures a period that has ended: just what its decision is to be judged by.

advantages    Delta_off and Delta_on on a probe of each source, always
change        the same of the agent as it was when the period began, on the same rows and draws
fresh-error   TD error on this period's rows, before and after the period before
next-return   returns of the episodes that ended
alignment     cosines of gradients; nothing else, as it is measured often
probe-errors  mean errors of the probes on this period's rows, each before it was trained on
"""

import math
from dataclasses import dataclass
from functools import cached_property

import jax
import numpy as np
from jaxtyping import PRNGKeyArray
from numpy.typing import NDArray

from road.errors import NumericError, UsageError
from road.mixing import Advantages, Decision, Evidence
from road.mixing.credit import PROBE_ERRORS, ProbeErrors
from road.replay.sampler import MixedSampler
from road.rng import NumpyStream, Stream, jax_stream
from road.training.compiled import CompiledAgent, Leaves
from road.training.config import RunConfig
from road.training.learner import Learner

MEASURED = (
    *("advantages", "change", "fresh-error", "next-return"),
    *("alignment", "return-alignment", PROBE_ERRORS),
)
"""What a ``Criterion`` may ask for; ``READINGS`` in ``mixing/credit.py`` names the results."""


@dataclass(frozen=True)
class EvidenceCollector:
    """Measures the period that a learner has finished."""

    compiled: CompiledAgent
    sampler: MixedSampler
    config: RunConfig
    learner: int = 0
    """The learner's index."""

    @cached_property
    def key(self) -> PRNGKeyArray:
        return jax_stream(self.config.seed, Stream.MEASURING, self.learner)

    @cached_property
    def error_key(self) -> PRNGKeyArray:
        return jax.random.fold_in(self.key, 1)

    @cached_property
    def draws(self) -> NumpyStream:
        return NumpyStream(self.config.seed, Stream.MEASURING, self.learner)

    def __call__(self, learner: Learner, decision: Decision, online_steps: int) -> Evidence:
        measures, period = decision.criterion.measures, learner.period
        if measures in ("alignment", "return-alignment"):
            return Evidence(readings=self.alignment(learner, decision))
        if measures not in MEASURED:
            raise UsageError(
                f"a criterion measures {measures!r}, which is not known; known: "
                f"{', '.join(MEASURED)}"
            )
        probe = self.sampler.probe(self.config.measure_batch, self.draws.at(period.index))
        now = self.advantages(learner.agent, probe, period.index)
        readings: dict[str, float] = {}
        if measures == "change":
            begun = self.advantages(learner.snapshots["begun"], probe, period.index)
            readings["offline_change"] = now.offline - begun.offline
            readings["online_change"] = now.online - begun.online
        if measures == "fresh-error":
            readings["error_drop"] = self.error_drop(learner, online_steps)
        if measures == "next-return":
            readings["mean_return"] = mean_return(learner)
        errors = probe_errors(learner) if measures == PROBE_ERRORS else None
        return Evidence(now, readings=readings, probe_errors=errors)

    def advantages(
        self, leaves: Leaves, probe: tuple[NDArray[np.float32], NDArray[np.float32]], period: int
    ) -> Advantages:
        offline, online = (
            self.compiled.advantage(leaves, rows, self.key, 2 * period + source)
            for source, rows in enumerate(probe)
        )
        check_finite(f"Delta_off, Delta_on at the end of period {period}", offline, online)
        return Advantages(offline, online)

    def error_drop(self, learner: Learner, online_steps: int) -> float:
        """NaN for the first period, which has none before it."""
        if "before" not in learner.snapshots:
            return math.nan
        index = learner.period.index
        rows = self.sampler.online.newest(online_steps - learner.period.start)
        place = self.draws.at(index, part=1).random(self.config.measure_batch)
        fresh = rows[(place * len(rows)).astype(np.int64)]
        before, after = (
            self.compiled.td_error(learner.snapshots[name], fresh, self.error_key, index)
            for name in ("before", "begun")
        )
        check_finite(f"the TD errors on the rows of period {index}", before, after)
        return before - after

    def alignment(self, learner: Learner, decision: Decision) -> dict[str, float]:
        index, held_back = learner.period.index, decision.mixture.held_back
        offline, online = self.sampler.probe(
            self.config.batch_size, self.draws.at(index), held_back=held_back
        )
        sources = (offline, online, self.sampler.online.newest(held_back))
        judge = "td" if decision.criterion.measures == "alignment" else "monte-carlo"
        cosines = self.compiled.alignment(learner.agent, sources, self.key, index, judge).tolist()
        check_finite(f"the cosines at the end of interval {index}", *cosines)
        names = ("offline_cosine", "online_cosine", "between_cosine")
        return dict(zip(names, cosines, strict=True))


def probe_errors(learner: Learner) -> ProbeErrors:
    if learner.scores is None:
        raise UsageError("a criterion measures probe-errors, but its mixer has no probe_mixers")
    means = learner.scores.tally.means()
    for judge, errors in means.items():
        what = f"the {judge} errors of the probes at the end of period {learner.period.index}"
        check_finite(what, *(errors or ()))
    return means


def mean_return(learner: Learner) -> float:
    """NaN where no episode ended."""
    period = learner.period
    return period.raw_return / period.episodes if period.episodes else math.nan


def check_finite(what: str, *values: float) -> None:
    if not np.isfinite(values).all():
        raise NumericError(f"{what} are {values}")
