"""Scores every probe on each new transition, before any learner trains on it.

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

from road.mixing.credit import ProbeErrors
from road.mixing.validated import JUDGES

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


@dataclass
class ProbeScores:
    """Errors of the running interval, and the transitions whose return is not known yet."""

    sums: dict[str, Floats]
    """Summed squared errors of every probe, by judge."""
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(JUDGES, 0))
    """Transitions in the sums."""
    pending: list[Scored] = field(default_factory=list[Scored])
    """The running stretch."""

    def add(self, scored: Scored, discount: float, *, ended: bool) -> None:
        self.count("bellman", squared(scored, scored.target))
        self.pending.append(scored)
        if ended or len(self.pending) >= LONGEST:
            self.end_stretch(discount)

    def end_stretch(self, discount: float) -> None:
        """The returns of the pending transitions are known."""
        returns = self.pending[-1].target
        self.count("return", squared(self.pending[-1], returns))
        for scored in reversed(self.pending[:-1]):
            returns = scored.reward + discount * returns
            self.count("return", squared(scored, returns))
        self.pending = []

    def count(self, judge: str, errors: Floats) -> None:
        self.sums[judge] = self.sums[judge] + errors
        self.counts[judge] += 1

    def means(self) -> ProbeErrors:
        return {
            judge: tuple((self.sums[judge] / count).tolist()) if count else None
            for judge, count in self.counts.items()
        }

    def end_interval(self) -> None:
        """Begin the sums again; pending transitions stay."""
        self.sums = {judge: np.zeros_like(total) for judge, total in self.sums.items()}
        self.counts = dict.fromkeys(JUDGES, 0)

    def arrays(self) -> dict[str, NDArray[Any]]:
        width = len(self.sums[JUDGES[0]])
        rows = [
            np.concatenate([each.q, each.spread, each.target, [each.reward]])
            for each in self.pending
        ]
        return {
            "scores/pending": np.array(rows, np.float64).reshape(len(rows), 3 * width + 1),
            "scores/sums": np.stack([self.sums[judge] for judge in JUDGES]),
            "scores/counts": np.array([self.counts[judge] for judge in JUDGES]),
        }


def squared(scored: Scored, truth: Floats) -> Floats:
    """Mean over the ensemble of the squared distance from the truth."""
    return scored.spread + (scored.q - truth) ** 2


def empty_scores(probes: int) -> ProbeScores:
    return ProbeScores({judge: np.zeros(probes) for judge in JUDGES})


def scores_from(arrays: dict[str, NDArray[Any]]) -> ProbeScores | None:
    """The inverse of ``ProbeScores.arrays``; None for a learner without probes."""
    if "scores/sums" not in arrays:
        return None
    sums, counts = arrays["scores/sums"], arrays["scores/counts"]
    parts = [(*np.split(row[:-1], 3), float(row[-1])) for row in arrays["scores/pending"]]
    return ProbeScores(
        {judge: each.copy() for judge, each in zip(JUDGES, sums, strict=True)},
        {judge: int(each) for judge, each in zip(JUDGES, counts, strict=True)},
        [Scored(q, spread, target, reward) for q, spread, target, reward in parts],
    )
