"""The strategies that choose the offline ratio, behind one protocol of three pure functions.

    state   = mixer.init(seed)
    mixture = mixer.propose(state, progress)              at the start of a period
    state   = mixer.observe(state, mixture, evidence)     at its end

A state is plain data that ``json.dumps`` takes as it is. ``propose`` changes nothing, so asking
twice gives the same answer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict, TypeVar, runtime_checkable

import numpy as np

from road.mixing.bandit import Pulls, Scale, SlidingWindowUCB
from road.mixing.mixture import ArmTable, Mixture, check_ratio
from road.mixing.period import Evidence, judge

State = TypeVar("State")

PAPER_ARMS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Lambda, the paper's candidate ratios."""


@runtime_checkable
class Mixer(Protocol[State]):
    """Chooses the offline ratio of each period."""

    def init(self, seed: int) -> State: ...

    def propose(self, state: State, progress: float) -> Mixture:
        """The mixture of the next period; ``progress`` is the done share of the online phase."""
        ...

    def observe(self, state: State, mixture: Mixture, evidence: Evidence) -> State: ...


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

    def propose(self, state: Tally, progress: float) -> Mixture:
        del state, progress
        return Mixture(self.offline_ratio)

    def observe(self, state: Tally, mixture: Mixture, evidence: Evidence) -> Tally:
        del mixture, evidence
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

    def propose(self, state: Tally, progress: float) -> Mixture:
        del state
        if not 0.0 <= progress <= 1.0:
            raise ValueError(
                f"a decreasing ratio needs the done share of the online phase in [0, 1], got "
                f"{progress}; give Controller its total_periods"
            )
        return Mixture((1.0 - progress) * self.start + progress * self.end)

    def observe(self, state: Tally, mixture: Mixture, evidence: Evidence) -> Tally:
        del mixture, evidence
        return advance(state)


@dataclass(frozen=True)
class UniformMixer:
    """Any of the arms, each period anew."""

    arms: tuple[float, ...] = PAPER_ARMS
    """Lambda: the ratios drawn from."""

    def __post_init__(self) -> None:
        check_arms(self.arms)

    def init(self, seed: int) -> Tally:
        return Tally(seed=seed, finished=0)

    def propose(self, state: Tally, progress: float) -> Mixture:
        del progress
        rng = np.random.default_rng([state["seed"], state["finished"]])
        return Mixture(self.arms[int(rng.integers(len(self.arms)))])

    def observe(self, state: Tally, mixture: Mixture, evidence: Evidence) -> Tally:
        del mixture, evidence
        return advance(state)


@dataclass(frozen=True)
class RoadMixer:
    """The paper's mixer: a sliding-window bandit over ratios, credited with R_q."""

    arms: tuple[float, ...] = PAPER_ARMS
    """Lambda: the candidate ratios, each in [0, 1]."""
    overestimation_penalty: float = 1.0
    """kappa: the weight of Delta_on in R_q = Delta_off - kappa · Delta_on."""
    exploration: float = 2.0
    """c: how much a ratio is favoured for having been tried little."""
    window: int | None = 1000
    """tau: periods that count; None keeps them all (the paper's tau = k on sparse rewards)."""
    scale: Scale = "raw"
    """Unit of the credit: 'raw' is the paper's; 'standardised' divides by its spread."""

    def __post_init__(self) -> None:
        check_arms(self.arms)
        if not 0.0 <= self.overestimation_penalty < math.inf:
            raise ValueError(
                f"overestimation_penalty (kappa) must be 0 or more, got "
                f"{self.overestimation_penalty}"
            )
        _ = self.bandit  # checks exploration, window and scale

    @property
    def bandit(self) -> SlidingWindowUCB:
        return SlidingWindowUCB(len(self.arms), self.exploration, self.window, self.scale)

    def init(self, seed: int) -> Pulls:
        del seed  # nothing here is random
        return self.bandit.init()

    def propose(self, state: Pulls, progress: float) -> Mixture:
        del progress
        return Mixture(self.arms[self.bandit.choose(state)], self.table(state))

    def observe(self, state: Pulls, mixture: Mixture, evidence: Evidence) -> Pulls:
        arm = self.arms.index(mixture.offline_ratio)
        return self.bandit.record(state, arm, judge(evidence, self.overestimation_penalty))

    def table(self, state: Pulls) -> ArmTable:
        """Means in the credit's own unit, bonuses as they are compared with them."""
        unit = self.bandit.unit(state)
        return ArmTable(
            ratios=self.arms,
            means=known(self.bandit.means(state)),
            bonuses=known(self.bandit.bonuses(state) * unit),
            counts=tuple(state["counts"]),
        )


MIXERS: dict[str, type[Any]] = {
    "road": RoadMixer,
    "fixed": FixedMixer,
    "uniform": UniformMixer,
    "decreasing": DecreasingMixer,
}
"""Every strategy by the name that the command line knows it by."""


def credit_of(mixer: Mixer[Any], evidence: Evidence) -> float:
    """What a period is recorded with; R_q at kappa = 1 for a mixer that credits nothing."""
    return judge(evidence, mixer.overestimation_penalty if isinstance(mixer, RoadMixer) else 1.0)


def check_arms(arms: Sequence[float]) -> None:
    if not arms:
        raise ValueError(f"at least one arm is needed, got {tuple(arms)}")
    for arm in arms:
        check_ratio("every arm", arm)
    if len(set(arms)) < len(arms):
        raise ValueError(f"arms must differ from each other, got {tuple(arms)}")


def known(values: Sequence[float] | np.ndarray) -> tuple[float | None, ...]:
    return tuple(None if math.isnan(value) else float(value) for value in values)
