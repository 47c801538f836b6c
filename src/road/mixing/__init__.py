"""The heart: how much of each batch is offline. NumPy only, for any RL code in any framework."""

from road.mixing.bandit import Bandit, Pulls, SlidingWindowUCB
from road.mixing.baselines import (
    AppendMixer,
    BalancedMixer,
    DecreasingMixer,
    FixedMixer,
    ProportionalMixer,
    UniformMixer,
)
from road.mixing.controller import Controller
from road.mixing.criterion import Credit, Criterion, judge
from road.mixing.evidence import Alignment, Evidence
from road.mixing.hypergradient import HypergradientMixer
from road.mixing.informedness import Informedness, informedness
from road.mixing.mixers import MIXERS, Mixer, RoadMixer, make_mixer
from road.mixing.mixture import ArmTable, Mixture, Moment
from road.mixing.period import Period
from road.mixing.priorities import Priorities
from road.mixing.surrogate import Advantages, Surrogate, surrogate, surrogate_objective

__all__ = [
    "MIXERS",
    "Advantages",
    "Alignment",
    "AppendMixer",
    "ArmTable",
    "BalancedMixer",
    "Bandit",
    "Controller",
    "Credit",
    "Criterion",
    "DecreasingMixer",
    "Evidence",
    "FixedMixer",
    "HypergradientMixer",
    "Informedness",
    "Mixer",
    "Mixture",
    "Moment",
    "Period",
    "Priorities",
    "ProportionalMixer",
    "Pulls",
    "RoadMixer",
    "SlidingWindowUCB",
    "Surrogate",
    "UniformMixer",
    "informedness",
    "judge",
    "make_mixer",
    "surrogate",
    "surrogate_objective",
]
