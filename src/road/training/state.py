"""The inventory: everything that a run changes, and nothing else.

What is here is saved and restored; what is not here must be a pure function of the plan. Counters
stand in for every random-number generator (``road.randomness``), the mixture of the running period
is proposed again from the mixer's state, and the running episode is its number and its actions.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from road.training.engine import Leaves

Phase = Literal["offline", "online", "done"]


@dataclass
class Counters:
    """Where the run stands, as plain data."""

    phase: Phase = "offline"
    offline_updates: int = 0
    online_steps: int = 0
    evaluations: int = 0
    last_evaluated: str = ""
    """Phase and step of the newest evaluation, so that none is made twice."""
    best_score: float | None = None
    best_position: int | None = None
    episode: int = 0
    periods: int = 0
    period_start: int = 0
    """Online step at which the running period was proposed."""
    period_steps: int = 0
    """Environment steps in the running period at its own ratio."""
    period_offline_rows: int = 0
    """Offline rows drawn in the running period."""
    period_rows: int = 0
    period_episodes: int = 0
    """Episodes that ended in the running period."""
    period_return: float = 0.0
    """Sum of their returns, in the environment's own reward."""
    period_mass: float | None = None
    """The offline share of all priorities when the running period began, if rows have any."""
    ratio_before: float | None = None
    """Of the period before the running one."""
    said_waiting: bool = False
    """Whether the log has said that the online buffer is still too small."""


@dataclass
class RunState:
    """The whole inventory of a run."""

    agent: Leaves
    counters: Counters = field(default_factory=Counters)
    mixer: Any = None
    """The mixer's own state: plain data."""
    online_rows: NDArray[np.float32] | None = None
    """Filled part of the online ring, in ring order."""
    online_written: int = 0
    online_running: int = 0
    episode_actions: NDArray[np.float32] | None = None
    """Actions of the running episode."""
    weighing: dict[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    """Priorities of all rows and the network they come from; empty where rows have none."""
    snapshots: dict[str, Leaves] = field(default_factory=dict[str, Leaves])
    """The agent as it was when the running period began ("begun") and when the one before did
    ("before"); empty unless the mixer is judged by them."""
    journals: dict[str, int] = field(default_factory=dict[str, int])
    """Length in bytes of every journal file."""

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
        named = {f"agent/{i:04d}": np.asarray(leaf) for i, leaf in enumerate(self.agent)}
        for name, leaves in self.snapshots.items():
            named |= {f"{name}/{i:04d}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
        named |= {f"weighing/{name}": array for name, array in self.weighing.items()}
        if self.online_rows is not None:
            named["online/rows"] = self.online_rows
        if self.episode_actions is not None:
            named["episode/actions"] = self.episode_actions
        return named

    def document(self) -> dict[str, Any]:
        return {
            "counters": asdict(self.counters),
            "mixer": self.mixer,
            "online": {"written": self.online_written, "running": self.online_running},
            "journals": self.journals,
        }


def state_from(arrays: dict[str, NDArray[Any]], document: dict[str, Any]) -> RunState:
    """The inverse of ``arrays`` and ``document``."""
    snapshots = {name: leaves_of(arrays, name) for name in ("begun", "before")}
    return RunState(
        agent=leaves_of(arrays, "agent"),
        snapshots={name: leaves for name, leaves in snapshots.items() if leaves},
        counters=Counters(**document["counters"]),
        mixer=document["mixer"],
        online_rows=arrays.get("online/rows"),
        online_written=document["online"]["written"],
        online_running=document["online"]["running"],
        episode_actions=arrays.get("episode/actions"),
        weighing={
            name.removeprefix("weighing/"): array
            for name, array in arrays.items()
            if name.startswith("weighing/")
        },
        journals=document["journals"],
    )


def leaves_of(arrays: dict[str, NDArray[Any]], name: str) -> Leaves:
    members = sorted(each for each in arrays if each.startswith(f"{name}/"))
    return [jnp.asarray(arrays[each]) for each in members]
