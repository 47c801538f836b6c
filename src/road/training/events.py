"""What a run reports while it trains."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from road.training.duration import Expectation
from road.training.evaluate import Evaluation
from road.training.state import Phase


@dataclass(frozen=True)
class Prepared:
    """All parts of the run are there, and its first step comes next."""

    measure: Callable[[], Expectation]
    """Takes a second or so to find out how long the run will be; nothing is changed by it."""


@dataclass(frozen=True)
class PhaseStarted:
    """A phase begins, or is taken up again after ``done`` of its steps."""

    phase: Phase
    done: int
    total: int


@dataclass(frozen=True)
class Progressed:
    """Steps of the running phase so far, and the ratio in force."""

    phase: Phase
    done: int
    offline_ratio: float


@dataclass(frozen=True)
class Evaluated:
    """An evaluation was made."""

    phase: Phase
    step: int
    evaluation: Evaluation


@dataclass(frozen=True)
class Note:
    """Something that a person should know."""

    text: str


Event: TypeAlias = Prepared | PhaseStarted | Progressed | Evaluated | Note
Notify: TypeAlias = Callable[[Event], None]
