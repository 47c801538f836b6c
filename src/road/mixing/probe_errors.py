"""Errors of probe learners on new transitions: collected, averaged, compared.

    bellman   (Q_k(s, a) - r - gamma V_k(s'))^2       known at once
    return    (Q_k(s, a) - G)^2                       known when the episode has ended

Every probe k is judged on the same transitions, before it has trained on them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from road.mixing.credit import PROBE_ERRORS, Evidence, ProbeErrors
from road.mixing.decision import ENDLESS, Context, Decision
from road.mixing.mixture import Mixture, check_ratio
from road.mixing.period import Period

JUDGES = ("bellman", "return")
"""The error is the distance from the bootstrapped target, or from the observed return."""
LEAST = 1e-6
"""Errors below this share of the largest count as this share: log 0 is no number."""


@dataclass(frozen=True)
class ProbeCriterion:
    """The period is not credited: probes are judged by their errors on its transitions."""

    measures = PROBE_ERRORS
    late = False

    def value(self, evidence: Evidence) -> float:
        del evidence
        return math.nan


@dataclass(frozen=True)
class ProbeTraining:
    """How learners beside the main one are trained; the cheaper, the less they cost."""

    every: int = 1
    """Environment steps between two updates."""
    batch: float = 1.0
    """Size of a mini-batch, as a share of the main learner's."""
    actor: bool = True
    """Whether each trains a policy of its own, instead of bootstrapping with the main one."""
    fresh: bool = True
    """Whether probes are judged on transitions that they have not trained on; otherwise on ones
    drawn from the replay buffer, which only serves as a control."""

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"probe_every must be 1 or more, got {self.every}")
        check_share("probe_batch", self.batch)


@dataclass(frozen=True)
class ProbeMixer:
    """The constant ratio of a probe; its period never ends, since nothing depends on it."""

    offline_ratio: float

    def __post_init__(self) -> None:
        check_ratio("offline_ratio", self.offline_ratio)

    def init(self, seed: int) -> None:
        del seed  # nothing here is random

    def propose(self, state: None, context: Context) -> Decision:
        del state, context
        return Decision(Mixture(self.offline_ratio), ProbeCriterion(), steps=ENDLESS)

    def observe(self, state: None, period: Period) -> None:
        del state, period


class ErrorTally:
    """Sums of every probe's errors over the new transitions of the running interval."""

    def __init__(self, probes: int) -> None:
        self.probes = probes
        self.sums = {judge: np.zeros(probes) for judge in JUDGES}
        self.counts = dict.fromkeys(JUDGES, 0)
        """Transitions in the sums."""

    def add(self, errors: ArrayLike, judge: str = "bellman") -> None:
        """Count one error per probe, or a row of them per transition.

        Raises:
            ValueError: the judge is unknown, or errors are not finite, negative, or not one per
                probe; nothing is counted then.
        """
        if judge not in JUDGES:
            raise ValueError(f"judge must be one of {', '.join(JUDGES)}, got {judge!r}")
        rows = checked_errors(judge, errors, self.probes)
        self.sums[judge] = self.sums[judge] + rows.sum(axis=0)
        self.counts[judge] += len(rows)

    def means(self) -> ProbeErrors:
        return {
            judge: tuple((self.sums[judge] / count).tolist()) if count else None
            for judge, count in self.counts.items()
        }

    def clear(self) -> None:
        """Begin the next interval."""
        self.sums = {judge: np.zeros(self.probes) for judge in JUDGES}
        self.counts = dict.fromkeys(JUDGES, 0)

    def state_dict(self) -> dict[str, Any]:
        return {
            "sums": {judge: total.tolist() for judge, total in self.sums.items()},
            "counts": dict(self.counts),
        }

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        sums = {judge: np.asarray(saved["sums"][judge], np.float64) for judge in JUDGES}
        if any(total.shape != (self.probes,) for total in sums.values()):
            raise ValueError(f"state_dict has errors of other than {self.probes} probes")
        self.sums, self.counts = sums, {judge: int(saved["counts"][judge]) for judge in JUDGES}


def checked_errors(judge: str, errors: ArrayLike, probes: int) -> NDArray[np.float64]:
    """Rows of errors, one column per probe; finite and not negative."""
    values = np.asarray(errors, np.float64)
    if values.ndim not in (1, 2) or values.shape[-1] != probes:
        raise ValueError(
            f"{judge} errors must be one per probe, {probes}, for every transition; got an array "
            f"of shape {values.shape}"
        )
    rows = np.atleast_2d(values)
    wrong = np.argwhere(~(np.isfinite(rows) & (rows >= 0.0)))
    if wrong.size:
        row, probe = wrong[0].tolist()
        raise ValueError(
            f"{judge} errors must be finite and 0 or more, got {rows[row, probe]} of probe {probe}"
        )
    return rows


def relative_log_errors(judge: str, errors: Sequence[float], probes: int) -> NDArray[np.float64]:
    """Log errors less their mean over the probes, so that the unit of reward does not matter."""
    values = checked_errors(judge, np.asarray(errors, np.float64).reshape(-1), probes)[0]
    return relative_logs(values)


def relative_logs(errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for every row of checked errors; NaN stays NaN."""
    largest = errors.max(axis=-1, keepdims=True)
    logs = np.log(np.maximum(errors, np.maximum(LEAST * largest, np.finfo(np.float64).tiny)))
    return logs - logs.mean(axis=-1, keepdims=True)


def check_share(name: str, value: float) -> None:
    if not 0.0 < value <= 1.0:
        raise ValueError(f"{name} must lie above 0 and be at most 1, got {value}")
