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
from functools import cached_property
from typing import Any, Literal, Protocol, TypedDict, TypeVar, get_args, runtime_checkable

from road.mixing.bandit import Bandit, Pulls, Weighed
from road.mixing.baselines import (
    AppendMixer,
    BalancedMixer,
    DecreasingMixer,
    FixedMixer,
    ProportionalMixer,
    UniformMixer,
)
from road.mixing.choice import ChoiceName, Thompson, UpperBounds
from road.mixing.criterion import CreditName, Criterion
from road.mixing.evidence import Evidence
from road.mixing.hypergradient import HypergradientMixer
from road.mixing.memory import Discounted, Windowed
from road.mixing.mixture import PAPER_ARMS, ArmTable, Mixture, Moment, check_arms
from road.mixing.standing import Scale, Trend

State = TypeVar("State")
Counts = Literal["windowed", "discounted"]


@runtime_checkable
class Mixer(Protocol[State]):
    """Chooses the offline ratio of each period."""

    def init(self, seed: int) -> State: ...

    def propose(self, state: State, moment: Moment) -> Mixture:
        """The mixture of the period that begins at that moment."""
        ...

    def observe(self, state: State, mixture: Mixture, evidence: Evidence) -> State: ...


class RoadState(TypedDict):
    """What ROAD remembers. Plain data, of constant size."""

    seed: int
    finished: int
    """Periods so far."""
    before: float | None
    """The ratio of the period before, which a late credit is about; None at first."""
    pulls: Pulls


@dataclass(frozen=True)
class RoadMixer:
    """The paper's mixer: a sliding-window bandit over ratios, credited with R_q."""

    arms: tuple[float, ...] = PAPER_ARMS
    """Lambda: the candidate ratios, each in [0, 1]."""
    overestimation_penalty: float = 1.0
    """kappa: the weight of Delta_on in R_q = Delta_off - kappa · Delta_on."""
    exploration: float = 2.0
    """c: how much a ratio is favoured for having been tried little; not heard by 'thompson'."""
    window: int | None = 1000
    """tau: periods that count; None keeps them all (the paper's tau = k on sparse rewards)."""
    scale: Scale = "raw"
    """Unit of the credit: 'raw' is the paper's; 'standardised' divides by its spread."""
    credit: CreditName = "surrogate"
    """What a period is credited with: R_q, minus R_q, its change over the period, the drop of the
    TD error on the next period's rows, or the next period's mean return."""
    trend: Trend = "kept"
    """Whether a drift that all ratios share stays in their means."""
    counts: Counts = "windowed"
    """How old periods are forgotten: after the window, or little by little."""
    discount: float = 0.999
    """gamma: what is left of a period's weight one later, where counts are discounted."""
    choice: ChoiceName = "ucb"
    """By upper confidence bounds, or by Thompson sampling."""

    def __post_init__(self) -> None:
        check_arms(self.arms)
        for name, kind in (("credit", CreditName), ("counts", Counts), ("choice", ChoiceName)):
            if (value := getattr(self, name)) not in get_args(kind):
                known = " or ".join(map(repr, get_args(kind)))
                raise ValueError(f"{name} must be {known}, got {value!r}")
        _ = self.criterion, self.bandit  # check the rest

    @cached_property
    def criterion(self) -> Criterion:
        return Criterion(self.credit, self.overestimation_penalty)

    @cached_property
    def bandit(self) -> Bandit:
        number = len(self.arms)
        windowed, fading = Windowed(number, self.window), Discounted(number, self.discount)
        bounds = UpperBounds(self.exploration)
        return Bandit(
            fading if self.counts == "discounted" else windowed,
            Thompson() if self.choice == "thompson" else bounds,
            self.scale,
            self.trend,
        )

    def init(self, seed: int) -> RoadState:
        return RoadState(seed=seed, finished=0, before=None, pulls=self.bandit.init())

    def propose(self, state: RoadState, moment: Moment) -> Mixture:
        del moment
        weighed = self.weigh(state)
        ratio = self.arms[weighed.favourite]
        return Mixture(ratio, arms=self.tabulated(weighed), criterion=self.criterion)

    def observe(self, state: RoadState, mixture: Mixture, evidence: Evidence) -> RoadState:
        ratio, pulls = mixture.offline_ratio, state["pulls"]
        heard = mixture.criterion.credit(evidence, ratio, state["before"])
        if heard is not None:
            pulls = self.bandit.record(pulls, self.arms.index(heard.ratio), heard.value)
        return RoadState(
            seed=state["seed"], finished=state["finished"] + 1, before=ratio, pulls=pulls
        )

    def weigh(self, state: RoadState) -> Weighed:
        return self.bandit.weigh(state["pulls"], (state["seed"], state["finished"]))

    def table(self, state: RoadState) -> ArmTable:
        return self.tabulated(self.weigh(state))

    def tabulated(self, weighed: Weighed) -> ArmTable:
        """Means in the credit's own unit, and what is added to them when they are compared."""
        return ArmTable(
            ratios=self.arms,
            means=known(weighed.standing.means),
            bonuses=known([bonus * weighed.unit for bonus in weighed.bonuses]),
            counts=tuple(weighed.standing.counts),
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
    "balanced": BalancedMixer,
    "hypergradient": HypergradientMixer,
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


def known(values: Sequence[float]) -> tuple[float | None, ...]:
    return tuple([None if math.isnan(value) else value for value in values])
