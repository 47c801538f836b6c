"""The heart: how much of each batch is offline. NumPy only, for any RL code in any framework."""

from road.mixing.bandit import Pulls, SlidingWindowUCB
from road.mixing.controller import Controller
from road.mixing.informedness import Informedness, informedness
from road.mixing.mixers import (
    MIXERS,
    DecreasingMixer,
    FixedMixer,
    Mixer,
    RoadMixer,
    UniformMixer,
)
from road.mixing.mixture import ArmTable, Mixture
from road.mixing.period import Evidence, Period, judge
from road.mixing.surrogate import Advantages, Surrogate, surrogate, surrogate_objective

__all__ = [
    "MIXERS",
    "Advantages",
    "ArmTable",
    "Controller",
    "DecreasingMixer",
    "Evidence",
    "FixedMixer",
    "Informedness",
    "Mixer",
    "Mixture",
    "Period",
    "Pulls",
    "RoadMixer",
    "SlidingWindowUCB",
    "Surrogate",
    "UniformMixer",
    "informedness",
    "judge",
    "surrogate",
    "surrogate_objective",
]
