"""A continuous ratio, moved by what the next step of training would do to data not yet seen.

One step down the critic's loss on a mixed batch changes the loss on fresh online rows by

    - rate · (m g_off + (1 - m) g_on) · g_fresh

so its derivative in m is proportional to (g_off - g_on) · g_fresh. Lengths are divided out, as they
differ by orders of magnitude between batches, and the logit of m moves by what is left:

    logit m  +=  rate · (cos(g_off, g_fresh) - cos(g_on, g_fresh)) - pull · (logit m - logit prior)

This is the outer gradient of the paper's bi-level problem for one inner step. Its known bias:
fresh transitions are drawn as online ones are, so offline ones lose where they merely differ.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypedDict

from road.mixing.credit import Evidence
from road.mixing.decision import Context, Decision
from road.mixing.mixture import Mixture
from road.mixing.period import Period

MARGIN = 1e-6
"""The logit of 0 or 1 is no number."""
FASTEST = 100.0


class Position(TypedDict):
    """The ratio so far, as a logit."""

    logit: float
    finished: int


@dataclass(frozen=True)
class HypergradientMixer:
    """A ratio that follows which source's gradients agree with those of rows not yet trained on."""

    start: float = 0.5
    """m of the first interval."""
    rate: float = 0.2
    """How far the logit of m moves per interval where one source agrees wholly, one not at all."""
    interval: int = 20
    """Environment steps between two moves."""
    held_back: int = 200
    """Newest online transitions that are judged by and not yet trained on."""
    judge: Literal["td", "monte-carlo"] = "td"
    """Loss on the fresh transitions: the Bellman error, or the distance from observed returns."""
    pull: float = 0.0
    """Share of the way back to the prior, in logits, per interval."""
    prior: float = 0.5
    """m that the pull is towards."""
    lowest: float = 0.02
    """m never falls below."""
    highest: float = 0.95
    """m never rises above."""

    def __post_init__(self) -> None:
        check_between("lowest", self.lowest, MARGIN, 1.0 - MARGIN)
        check_between("highest", self.highest, self.lowest, 1.0 - MARGIN)
        check_between("start", self.start, self.lowest, self.highest)
        check_between("prior", self.prior, self.lowest, self.highest)
        check_between("rate", self.rate, 0.0, FASTEST)
        check_between("pull", self.pull, 0.0, 1.0)
        if min(self.interval, self.held_back) < 1:
            raise ValueError(
                f"interval and held_back must be 1 or more, got {self.interval} and "
                f"{self.held_back}"
            )
        if self.judge not in ("td", "monte-carlo"):
            raise ValueError(f"judge must be 'td' or 'monte-carlo', got {self.judge!r}")

    def init(self, seed: int) -> Position:
        del seed  # nothing here is random
        return Position(logit=logit(self.start), finished=0)

    def propose(self, state: Position, context: Context) -> Decision:
        del context
        ratio = min(max(1.0 / (1.0 + math.exp(-state["logit"])), self.lowest), self.highest)
        mixture = Mixture(ratio, held_back=self.held_back)
        return Decision(mixture, AlignmentCriterion(self.judge), steps=self.interval)

    def observe(self, state: Position, period: Period) -> Position:
        offline, online = (
            period.readings.get(f"{source}_cosine") for source in ("offline", "online")
        )
        if offline is None or online is None:
            raise ValueError(
                "a hypergradient needs offline_cosine and online_cosine, which the interval's end "
                "did not report"
            )
        back = self.pull * (state["logit"] - logit(self.prior))
        moved = state["logit"] + self.rate * (offline - online) - back
        bounded = min(max(moved, logit(self.lowest)), logit(self.highest))
        return Position(logit=bounded, finished=state["finished"] + 1)


@dataclass(frozen=True)
class AlignmentCriterion:
    """Cosines between gradients on offline, online and fresh transitions: they earn no credit."""

    judge: Literal["td", "monte-carlo"] = "td"

    late = False

    @property
    def measures(self) -> str:
        return "alignment" if self.judge == "td" else "return-alignment"

    def value(self, evidence: Evidence) -> float:
        del evidence
        return math.nan


def logit(ratio: float) -> float:
    return math.log(ratio / (1.0 - ratio))


def check_between(name: str, value: float, least: float, greatest: float) -> None:
    if not least <= value <= greatest:
        raise ValueError(f"{name} must lie in [{least:g}, {greatest:g}], got {value}")
