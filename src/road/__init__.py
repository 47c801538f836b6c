"""ROAD: offline-to-online reinforcement learning with an adaptive offline/online sampling ratio.

Importing this package imports ``road.mixing``, which depends only on NumPy. Agents, tasks and the
training loop are imported by name; ``road.finetune`` loads them when it is first used.
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
    from road.api.finetune import finetune

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
    if name != "finetune":
        raise AttributeError(f"module 'road' has no attribute {name!r}")
    try:
        from road.api.finetune import finetune
    except ModuleNotFoundError as error:
        what = f"road.finetune needs {error.name}: pip install 'road-o2o[train]'"
        raise ImportError(what) from error
    return finetune


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
