"""Scores every probe on each new transition, before any probe trains on it.

q_k, spread_k    mean and variance of Q_k(s, a) over the ensemble of probe k
target_k         what its critic regresses on there

    bellman   spread_k + (q_k - target_k)^2                     known at once
    return    spread_k + (q_k - G_k)^2                          known when the stretch ends

G_k is the observed return from the transition to the end of its stretch, plus, unless the episode
terminated there, the discounted value in which probe k's target ends. A stretch is an episode, or
the ``LONGEST`` steps of one that goes on.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.mixing.probe_errors import JUDGES, ErrorTally

LONGEST = 1000
"""Steps after which a stretch ends, so that an endless episode is judged too."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scored:
    """What all probes say of one transition; an entry per probe."""

    q: Floats
    spread: Floats
    target: Floats
    reward: float

    def errors(self, truth: Floats) -> Floats:
        """Mean over the ensemble of the squared distance from the truth."""
        return self.spread + (self.q - truth) ** 2


@dataclass
class ProbeScores:
    """Errors of the running interval, and the transitions that are not judged yet."""

    tally: ErrorTally
    pending: list[Scored] = field(default_factory=list[Scored])
    """The running stretch: its returns are not known yet."""
    unscored: list[bool] = field(default_factory=list[bool])
    """The newest transitions, which the probes have not seen: whether each ended its episode."""

    def add(self, scored: Scored, discount: float, *, ended: bool) -> None:
        self.tally.add(scored.errors(scored.target), "bellman")
        self.pending.append(scored)
        if ended or len(self.pending) >= LONGEST:
            self.end_stretch(discount)

    def end_stretch(self, discount: float) -> None:
        """The returns of the pending transitions are known."""
        returns = self.pending[-1].target
        self.tally.add(self.pending[-1].errors(returns), "return")
        for scored in reversed(self.pending[:-1]):
            returns = scored.reward + discount * returns
            self.tally.add(scored.errors(returns), "return")
        self.pending = []

    def arrays(self) -> dict[str, NDArray[Any]]:
        rows = [
            np.concatenate([each.q, each.spread, each.target, [each.reward]])
            for each in self.pending
        ]
        return {
            "scores/pending": np.array(rows, np.float64).reshape(-1, 3 * self.tally.probes + 1),
            "scores/unscored": np.array(self.unscored, np.bool_),
            "scores/sums": np.stack([self.tally.sums[judge] for judge in JUDGES]),
            "scores/counts": np.array([self.tally.counts[judge] for judge in JUDGES]),
        }


def scores_from(arrays: dict[str, NDArray[Any]]) -> ProbeScores | None:
    """The inverse of ``ProbeScores.arrays``; None for a learner without probes."""
    if "scores/sums" not in arrays:
        return None
    sums, counts = arrays["scores/sums"], arrays["scores/counts"]
    tally = ErrorTally(sums.shape[1])
    tally.sums = {judge: each.copy() for judge, each in zip(JUDGES, sums, strict=True)}
    tally.counts = {judge: int(each) for judge, each in zip(JUDGES, counts, strict=True)}
    parts = [(*np.split(row[:-1], 3), float(row[-1])) for row in arrays["scores/pending"]]
    pending = [Scored(q, spread, target, reward) for q, spread, target, reward in parts]
    return ProbeScores(tally, pending, [bool(ended) for ended in arrays["scores/unscored"]])
