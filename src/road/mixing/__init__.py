"""Chooses how much of each batch is offline. NumPy only, for any RL code in any framework."""

from road.mixing.bandit import SlidingWindowUCB
from road.mixing.baselines import (
    AppendMixer,
    BalancedMixer,
    DecreasingMixer,
    FixedMixer,
    ProportionalMixer,
    UniformMixer,
)
from road.mixing.controller import Controller
from road.mixing.credit import (
    Advantages,
    Credit,
    Criterion,
    Evidence,
    Surrogate,
    SurrogateCriterion,
    surrogate,
    surrogate_objective,
)
from road.mixing.decision import ArmTable, Context, Decision
from road.mixing.hypergradient import HypergradientMixer
from road.mixing.informedness import Informedness, informedness
from road.mixing.mixture import Mixture
from road.mixing.period import Period
from road.mixing.priorities import Priorities
from road.mixing.probe_errors import ErrorTally, ProbeMixer, ProbeTraining
from road.mixing.registry import MIXERS, Mixer, make_mixer
from road.mixing.road import RoadMixer
from road.mixing.validated import ValidatedMixer

__all__ = [
    "MIXERS",
    "Advantages",
    "AppendMixer",
    "ArmTable",
    "BalancedMixer",
    "Context",
    "Controller",
    "Credit",
    "Criterion",
    "Decision",
    "DecreasingMixer",
    "ErrorTally",
    "Evidence",
    "FixedMixer",
    "HypergradientMixer",
    "Informedness",
    "Mixer",
    "Mixture",
    "Period",
    "Priorities",
    "ProbeMixer",
    "ProbeTraining",
    "ProportionalMixer",
    "RoadMixer",
    "SlidingWindowUCB",
    "Surrogate",
    "SurrogateCriterion",
    "UniformMixer",
    "ValidatedMixer",
    "informedness",
    "make_mixer",
    "surrogate",
    "surrogate_objective",
]
