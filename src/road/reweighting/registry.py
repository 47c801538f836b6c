"""From the settings of a row weighting to the object that draws the rows.

The mixer that asks for a row weighting is its settings. A mixer with a method ``make_weighing``
builds its own, so a class of the caller needs no registration; those of this library have a line in
``WEIGHINGS``.
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from road.errors import UsageError
from road.mixing.priorities import Priorities
from road.mixing.sample_level import A3RLMixer, OuterGradientMixer
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import Weighing
from road.reweighting.a3rl import make_a3rl
from road.reweighting.balanced_replay import BalancedReplay
from road.reweighting.outer_gradient import make_outer_gradient

MakeWeighing = Callable[[Any, NDArray[np.float32], OnlineBuffer, int], Weighing]
"""From settings, packed offline transitions, the replay buffer and a seed."""

WEIGHINGS: dict[type[Any], MakeWeighing] = {
    A3RLMixer: make_a3rl,
    OuterGradientMixer: make_outer_gradient,
    Priorities: BalancedReplay,
}
"""What builds a row weighting, by the class of its settings; the first that fits."""

METHODS = ("offline_mass", "draw", "reweight", "arrays", "restore")
"""What the sampler and the checkpoints call; see ``road.replay.sampler.Weighing``."""


@runtime_checkable
class RowWeighting(Protocol):
    """Settings that build their own row weighting."""

    def make_weighing(
        self, offline: NDArray[np.float32], online: OnlineBuffer, seed: int
    ) -> Weighing: ...


def weighs_rows(mixer: object) -> bool:
    """Whether a row weighting can be built from it."""
    return isinstance(mixer, (RowWeighting, *WEIGHINGS))


def make_weighing(
    settings: object, offline: NDArray[np.float32], online: OnlineBuffer, seed: int
) -> Weighing:
    """The row weighting of these settings.

    Raises:
        UsageError: nothing builds one from them, or what was built lacks a method.
    """
    name = type(settings).__name__
    if isinstance(settings, RowWeighting):
        return checked(settings.make_weighing(offline, online, seed), name)
    for kind, make in WEIGHINGS.items():
        if isinstance(settings, kind):
            return make(settings, offline, online, seed)
    raise UsageError(
        f"the mixture's priorities are {name}, from which no row weighting can be built; give it "
        "a method make_weighing(offline, online, seed)"
    )


def checked(weighing: Any, name: str) -> Weighing:
    if missing := [method for method in METHODS if not callable(getattr(weighing, method, None))]:
        raise UsageError(
            f"make_weighing of {name} returned {type(weighing).__name__}, which lacks "
            f"{', '.join(missing)}; a row weighting has {', '.join(METHODS)}"
        )
    return weighing
