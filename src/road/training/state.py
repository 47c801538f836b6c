"""The inventory: everything that a run changes, and nothing else.

What is here is saved and restored; what is not here must be a pure function of the plan. Counters
replace every random-number generator (``road.rng``), the decision for the running period is
proposed again from the mixer's state, and the running episode is its number and its actions.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from road.errors import DamagedError, UsageError
from road.training.identity import Identity, identity_from
from road.training.learner import Learner, learner_from
from road.training.typed import rebuild

NONSENSE = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError)
"""What using values of another kind than expected can raise."""
Phase = Literal["offline", "online", "done"]


@dataclass
class Counters:
    """The run's progress, as plain data."""

    phase: Phase = "offline"
    offline_updates: int = 0
    online_steps: int = 0
    evaluations: int = 0
    last_evaluated: str = ""
    """Phase and step of the newest evaluation, so that none is made twice."""
    best_score: float | None = None
    best_position: int | None = None
    episode: int = 0
    said_waiting: bool = False
    """Whether the log has said that the online buffer is still too small."""


@dataclass
class RunState:
    """The whole inventory of a run."""

    learners: tuple[Learner, ...]
    """The main learner first: it acts and is evaluated. Only it is trained offline."""
    counters: Counters = field(default_factory=Counters)
    online_rows: NDArray[np.float32] | None = None
    """The filled part of the online buffer, in the buffer's order."""
    online_written: int = 0
    online_running: int = 0
    episode_actions: NDArray[np.float32] | None = None
    """Actions of the running episode."""
    weighing: dict[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    """Priorities of all transitions and the network they come from; empty where there are none."""
    journals: dict[str, int] = field(default_factory=dict[str, int])
    """Length in bytes of every journal file."""
    identity: Identity | None = None
    """What the checkpoint belongs to that the state was read from, if it says so."""

    @property
    def main(self) -> Learner:
        return self.learners[0]

    @property
    def step(self) -> int:
        """Steps of the running phase: updates offline, environment steps online."""
        offline = self.counters.phase == "offline"
        return self.counters.offline_updates if offline else self.counters.online_steps

    @property
    def position(self) -> int:
        """Steps of both phases so far: orders checkpoints, whatever the clock says."""
        return self.counters.offline_updates + self.counters.online_steps

    def arrays(self) -> dict[str, NDArray[Any]]:
        named = {
            f"learner-{index}/{name}": array
            for index, learner in enumerate(self.learners)
            for name, array in learner.arrays().items()
        }
        named |= {f"weighing/{name}": array for name, array in self.weighing.items()}
        if self.online_rows is not None:
            named["online/rows"] = self.online_rows
        if self.episode_actions is not None:
            named["episode/actions"] = self.episode_actions
        return named

    def document(self) -> dict[str, Any]:
        return {
            "counters": asdict(self.counters),
            "learners": [learner.document() for learner in self.learners],
            "online": {"written": self.online_written, "running": self.online_running},
            "journals": self.journals,
        }


def state_from(arrays: dict[str, NDArray[Any]], document: dict[str, Any]) -> RunState:
    """The inverse of ``arrays`` and ``document``.

    Raises:
        DamagedError: they are none that ``arrays`` and ``document`` gave.
    """
    try:
        return built(arrays, document)
    except (UsageError, *NONSENSE) as error:
        raise DamagedError(
            f"a checkpoint does not hold a run: {type(error).__name__}: {error}"
        ) from error


def built(arrays: dict[str, NDArray[Any]], document: dict[str, Any]) -> RunState:
    return RunState(
        learners=tuple(
            learner_from(below(arrays, f"learner-{index}/"), learner)
            for index, learner in enumerate(document["learners"])
        ),
        counters=rebuild(Counters, document["counters"], "state.json"),
        online_rows=arrays.get("online/rows"),
        online_written=document["online"]["written"],
        online_running=document["online"]["running"],
        episode_actions=arrays.get("episode/actions"),
        weighing=below(arrays, "weighing/"),
        journals=document["journals"],
        identity=identity_from(document.get("identity")),
    )


def below(arrays: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin so, without that beginning."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
