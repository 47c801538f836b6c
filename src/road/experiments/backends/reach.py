"""A driver's way to the address that its grid goes through, over a network that may fail."""

import time
from collections.abc import Callable

from road.errors import StorageError
from road.experiments.jobs import Job
from road.experiments.mirror import Mirror
from road.experiments.store import Store

PATIENCE = 300.0
"""Seconds for which nothing may get through before the grid stops."""


class Reach:
    """What fails for a while is tried again later; what fails for long is told in one line."""

    def __init__(self, store: Store, address: str, patience: float = PATIENCE) -> None:
        self._store, self._address, self._patience = store, address, patience
        self._mirror = Mirror(address)
        self._lost_since: float | None = None

    def announce(self, job: Job) -> bool:
        """Whether the machines could be told of a job."""
        return self._got_through(self._mirror.announce, job)

    def gather(self, job: Job) -> bool:
        """Whether a result could be fetched."""
        return self._got_through(self._mirror.gather, job)

    def _got_through(self, act: Callable[[Store, Job], None], job: Job) -> bool:
        try:
            act(self._store, job)
        except OSError as error:
            now = time.monotonic()
            self._lost_since = now if self._lost_since is None else self._lost_since
            if now - self._lost_since >= self._patience:
                raise StorageError(
                    f"the grid stops: nothing got through {self._address} for "
                    f"{self._patience:.0f} s: {error}; go on with --resume"
                ) from error
            return False
        self._lost_since = None
        return True
