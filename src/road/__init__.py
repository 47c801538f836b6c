"""ROAD: offline-to-online reinforcement learning that adapts its own data diet.

Importing this package costs NumPy and nothing more: the mixing heart. The agents, tasks and the
training loop live in their own rooms and are imported by name.
"""

from road.mixing import (
    Controller,
    DecreasingMixer,
    FixedMixer,
    Mixer,
    Mixture,
    RoadMixer,
    SlidingWindowUCB,
    UniformMixer,
    informedness,
    surrogate,
)
from road.version import __version__

__all__ = [
    "Controller",
    "DecreasingMixer",
    "FixedMixer",
    "Mixer",
    "Mixture",
    "RoadMixer",
    "SlidingWindowUCB",
    "UniformMixer",
    "__version__",
    "informedness",
    "surrogate",
]
