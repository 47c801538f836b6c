"""The protocol of a mixer, and every mixer by the name that the command line knows it by.

    state    = mixer.init(seed)
    decision = mixer.propose(state, context)      at the start of a period
    state    = mixer.observe(state, period)       at its end

A state is plain data that ``json.dumps`` takes as it is. ``propose`` changes nothing, so asking
twice gives the same answer.
"""

import inspect
from typing import Any, Protocol, TypeVar, runtime_checkable

from road.mixing.baselines import (
    AppendMixer,
    BalancedMixer,
    DecreasingMixer,
    FixedMixer,
    ProportionalMixer,
    UniformMixer,
)
from road.mixing.decision import Context, Decision
from road.mixing.hypergradient import HypergradientMixer
from road.mixing.period import Period
from road.mixing.road import RoadMixer
from road.mixing.sample_level import A3RLMixer, OuterGradientMixer
from road.mixing.validated import ValidatedMixer

State = TypeVar("State")


@runtime_checkable
class Mixer(Protocol[State]):
    """Chooses the offline ratio of each period.

    Optional attributes: ``held_back``, the newest online transitions that its mixtures keep from
    training; ``probe_mixers``, mixers of learners to be trained beside the main one, and
    ``probe_training``, how.
    """

    def init(self, seed: int) -> State: ...

    def propose(self, state: State, context: Context) -> Decision:
        """The decision for the period that begins now."""
        ...

    def observe(self, state: State, period: Period) -> State:
        """The state after a period has ended."""
        ...


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
    "a3rl": A3RLMixer,
    "outer-gradient": OuterGradientMixer,
    "hypergradient": HypergradientMixer,
    "validated": ValidatedMixer,
}
"""The classes of the mixers, by the names of ``road list mixers``."""

PRESETS: dict[str, dict[str, Any]] = {
    "symmetric": {"offline_ratio": 0.5},
    "discard": {"offline_ratio": 0.0},
    "ramp": {"start": 0.99, "end": 0.5},
}
"""The settings that tell apart the names that share a class."""

SENTENCES = {
    "symmetric": "Half of every batch is offline.",
    "discard": "No offline data at all: it is dropped at the switch.",
    "ramp": "A straight line from 0.99 to 0.5: online data is let in gradually.",
}

RETIRED: dict[str, dict[str, Any]] = {
    "road": {"trend": "kept", "counts": "windowed", "discount": 0.999, "choice": "ucb"},
}
"""Settings that mixers once had, at the values that today's mixers behave like."""


def sentence_of(name: str) -> str:
    """What the strategy of that name samples."""
    return SENTENCES.get(name) or (inspect.getdoc(MIXERS[name]) or "").splitlines()[0]


def make_mixer(name: str, **settings: Any) -> Mixer[Any]:
    """The strategy of that name; settings go before those of its preset."""
    return MIXERS[name](**{**PRESETS.get(name, {}), **settings})


def without_retired(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Recorded settings without those that no longer exist; another value of one is an error."""
    retired = RETIRED.get(name, {})
    for setting, value in retired.items():
        if settings.get(setting, value) != value:
            raise ValueError(
                f"{setting}={settings[setting]!r} of mixer {name!r} no longer exists; "
                f"only what {setting}={value!r} meant is left"
            )
    return {setting: value for setting, value in settings.items() if setting not in retired}
