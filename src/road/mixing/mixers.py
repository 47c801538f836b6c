"""The strategies that choose the offline ratio, behind one protocol of three pure functions.

    state   = mixer.init(seed)
    mixture = mixer.propose(state, moment)                at the start of a period
    state   = mixer.observe(state, mixture, evidence)     at its end

A state is plain data that ``json.dumps`` takes as it is. ``propose`` changes nothing, so asking
twice gives the same answer.
"""

import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from road.mixing.bandit import Pulls, Scale, SlidingWindowUCB
from road.mixing.baselines import (
    AppendMixer,
    DecreasingMixer,
    FixedMixer,
    ProportionalMixer,
    UniformMixer,
)
from road.mixing.criterion import Criterion
from road.mixing.evidence import Evidence
from road.mixing.mixture import PAPER_ARMS, ArmTable, Mixture, Moment, check_arms

State = TypeVar("State")


@runtime_checkable
class Mixer(Protocol[State]):
    """Chooses the offline ratio of each period."""

    def init(self, seed: int) -> State: ...

    def propose(self, state: State, moment: Moment) -> Mixture:
        """The mixture of the period that begins at that moment."""
        ...

    def observe(self, state: State, mixture: Mixture, evidence: Evidence) -> State: ...


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
        _ = self.criterion, self.bandit  # check the rest

    @property
    def criterion(self) -> Criterion:
        return Criterion("surrogate", self.overestimation_penalty)

    @property
    def bandit(self) -> SlidingWindowUCB:
        return SlidingWindowUCB(len(self.arms), self.exploration, self.window, self.scale)

    def init(self, seed: int) -> Pulls:
        del seed  # nothing here is random
        return self.bandit.init()

    def propose(self, state: Pulls, moment: Moment) -> Mixture:
        del moment
        ratio = self.arms[self.bandit.choose(state)]
        return Mixture(ratio, arms=self.table(state), criterion=self.criterion)

    def observe(self, state: Pulls, mixture: Mixture, evidence: Evidence) -> Pulls:
        heard = mixture.criterion.credit(evidence, mixture.offline_ratio, None)
        if heard is None:
            return state
        return self.bandit.record(state, self.arms.index(heard.ratio), heard.value)

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
    "symmetric": FixedMixer,
    "discard": FixedMixer,
    "uniform": UniformMixer,
    "decreasing": DecreasingMixer,
    "ramp": DecreasingMixer,
    "append": AppendMixer,
    "proportional": ProportionalMixer,
}
"""Every strategy by the name that the command line knows it by."""

PRESETS: dict[str, dict[str, Any]] = {
    "symmetric": {"offline_ratio": 0.5},
    "discard": {"offline_ratio": 0.0},
    "ramp": {"start": 0.99, "end": 0.5},
}
"""Where several names share a class, what makes them differ."""


SENTENCES = {
    "symmetric": "Half of every batch is offline.",
    "discard": "No offline row at all: the offline data is dropped at the switch.",
    "ramp": "A straight line from 0.99 to 0.5: online data is let in little by little.",
}


def sentence_of(name: str) -> str:
    """What the strategy of that name samples."""
    return SENTENCES.get(name) or (inspect.getdoc(MIXERS[name]) or "").splitlines()[0]


def make_mixer(name: str, **settings: Any) -> Mixer[Any]:
    """The strategy of that name; settings go before what the name stands for."""
    return MIXERS[name](**{**PRESETS.get(name, {}), **settings})


def known(values: Sequence[float] | np.ndarray) -> tuple[float | None, ...]:
    return tuple(None if math.isnan(value) else float(value) for value in values)
