"""ROAD: offline-to-online reinforcement learning that adapts its own data diet.

Importing this package costs NumPy and nothing more: the mixing heart. The agents, tasks and the
training loop live in their own rooms and are imported by name; ``road.finetune`` loads them when
it is first asked for.
"""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from road.training.from_python import finetune

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
    "finetune",
    "informedness",
    "surrogate",
]


def __getattr__(name: str) -> Any:
    if name == "finetune":
        from road.training.from_python import finetune

        return finetune
    raise AttributeError(f"module 'road' has no attribute {name!r}")
