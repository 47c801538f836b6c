"""The replay buffer of the online data: packed transitions in host memory, oldest overwritten."""

import numpy as np
from numpy.typing import NDArray

from road.replay.transitions import UNKNOWN_RETURN, returns_to_go, row_width, unpack
from road.types import Spec


class OnlineBuffer:
    """The last ``capacity`` transitions; returns-to-go are filled in when their episode ends."""

    def __init__(self, spec: Spec, capacity: int) -> None:
        self.spec = spec
        self.rows: NDArray[np.float32] = np.empty((capacity, row_width(spec)), np.float32)
        # Touch every page now: too little memory should show at the start, not days later.
        self.rows.fill(0.0)
        self.written = 0
        """Steps ever appended."""
        self.running = 0
        """How many of the newest transitions belong to the episode that has not ended."""

    def __len__(self) -> int:
        return min(self.written, len(self.rows))

    def append(
        self,
        observation: NDArray[np.float32],
        action: NDArray[np.float32],
        reward: float,
        next_observation: NDArray[np.float32],
        *,
        terminated: bool,
    ) -> None:
        row = self.rows[self.written % len(self.rows)]
        acts = self.spec.observation_dim + self.spec.action_dim
        row[: self.spec.observation_dim] = observation
        row[self.spec.observation_dim : acts] = action
        row[acts:-3] = next_observation
        row[-3:] = (reward, terminated, UNKNOWN_RETURN)
        self.written += 1
        self.running = min(self.running + 1, len(self.rows))

    def end_episode(self, discount: float, failure: float | None = None) -> None:
        """The episode is over, by its own end or by a time limit: its returns are known."""
        newest = np.arange(self.written - self.running, self.written) % len(self.rows)
        reward = unpack(self.rows[newest], self.spec).reward
        self.rows[newest, -1] = returns_to_go(reward, discount, failure)
        self.running = 0

    def older(self, held_back: int) -> tuple[int, int]:
        """Index of the oldest transition, and how many there are without the newest held back."""
        begin = self.written % len(self.rows) if self.written > len(self.rows) else 0
        return (begin if held_back else 0), max(len(self) - held_back, 0)

    def newest(self, count: int) -> NDArray[np.float32]:
        """The last transitions written, oldest first."""
        count = min(count, len(self))
        return self.rows[np.arange(self.written - count, self.written) % len(self.rows)]

    def filled(self) -> NDArray[np.float32]:
        """The rows in use, in ring order: what a checkpoint holds."""
        return self.rows[: len(self)]

    def restore(self, rows: NDArray[np.float32], written: int, running: int) -> None:
        """Put back what ``filled``, ``written`` and ``running`` were."""
        if rows.shape[1:] != self.rows.shape[1:] or len(rows) != min(written, len(self.rows)):
            raise ValueError(f"rows of shape {rows.shape} do not fit a ring {self.rows.shape}")
        self.rows[: len(rows)] = rows
        self.written = written
        self.running = running
