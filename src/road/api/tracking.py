"""A run shown in TensorBoard or W&B while it goes on: its journals, read as they grow."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

from road.data.formats import need
from road.records.following import Follower
from road.training.events import Evaluated, Event, Notify, PhaseStarted, Progressed

Tracker: TypeAlias = Literal["tensorboard", "wandb"]
SECONDS = 5.0
"""Between two looks at the journals."""


@contextmanager
def tracking(folder: Path, to: Tracker | None, notify: Notify) -> Generator[Notify]:
    """Passes every event on, and what the run has written to the tracker.

    Raises:
        UsageError: the tracker's package is not installed.
    """
    if to is None:
        yield notify
        return
    tracked = Tracked(folder, need(f"road.integrations.{to}", to, f"--log {to}"))

    def both(event: Event) -> None:
        notify(event)
        tracked(event)

    try:
        yield both
    finally:
        tracked.close()


class Tracked:
    """A run folder and the tracker's own file in it, which begins again with every session."""

    def __init__(self, folder: Path, tracker: Any) -> None:
        self.folder, self.tracker = folder, tracker
        self.following: Follower | None = None
        self.writer: Any = None
        self.looked = 0.0

    def __call__(self, event: Event) -> None:
        match event:
            case PhaseStarted():
                self.begin()
            case Progressed() if time.monotonic() - self.looked < SECONDS:
                pass
            case Progressed() | Evaluated():
                self.look()
            case _:
                pass

    def begin(self) -> None:
        """Once the folder holds the run, with the rows that a resumed run goes on from."""
        if self.following is None:
            self.following = Follower(self.folder)
            name, config = self.folder.resolve().name, self.following.record.config
            self.writer = self.tracker.LiveRun(self.folder, name, config)
        self.look()

    def look(self) -> None:
        if self.following is not None:
            for step, numbers in self.following.new_rows().items():
                self.writer.log(step, numbers)
            self.writer.flush()
        self.looked = time.monotonic()

    def close(self) -> None:
        if self.writer is not None:
            self.look()
            self.writer.close()
