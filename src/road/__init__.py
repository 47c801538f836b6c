"""ROAD: offline-to-online reinforcement learning with an adaptive offline/online sampling ratio.

Importing this package loads nothing but its version, so that a command can listen to signals at
once. ``road.mixing``, which depends only on NumPy, is loaded when one of its names is first used,
agents, tasks and the training loop when ``road.finetune`` is. ``road.load_policy``
needs NumPy alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from road.version import __version__

if TYPE_CHECKING:
    from road.api.finetune import finetune
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
    from road.policies import load_policy

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
    "load_policy",
    "surrogate",
]


def __getattr__(name: str) -> Any:
    if name == "mixing":
        return import_module("road.mixing")
    if name == "load_policy":
        from road.policies import load_policy

        return load_policy
    if name not in __all__:
        raise AttributeError(f"module 'road' has no attribute {name!r}")
    if name != "finetune":
        return getattr(import_module("road.mixing"), name)
    try:
        from road.api.finetune import finetune
    except ModuleNotFoundError as error:
        what = f"road.finetune needs {error.name}: pip install 'road-o2o[train]'"
        raise ImportError(what) from error
    return finetune


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
