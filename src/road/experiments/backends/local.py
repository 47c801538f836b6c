"""One single-threaded process per core: faster than one process on several threads."""

import contextlib
import signal
import subprocess
import time
from pathlib import Path

from road.experiments.backends.process import conclude, start_process
from road.experiments.jobs import Job
from road.experiments.running import Outcome
from road.experiments.store import Store
from road.training.folder import usable_cores

POLL = 0.05
GRACE = 60.0
"""Seconds that a worker has to save before it is killed; nothing is lost then either."""


class LocalBackend:
    """So many processes of our own at a time."""

    def __init__(self, store: Path, jobs: int | None = None) -> None:
        self._store = Store(store)
        self._slots = usable_cores() if jobs is None else jobs
        self._running: dict[str, tuple[Job, subprocess.Popen[bytes]]] = {}

    @property
    def slots(self) -> int:
        return self._slots

    def start(self, job: Job) -> None:
        self._running[job.key] = (job, start_process(self._store.path, job.key))

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        deadline = time.monotonic() + seconds
        while not (ended := self._ended()) and time.monotonic() < deadline:
            time.sleep(POLL)
        return ended

    def _ended(self) -> list[tuple[Job, Outcome]]:
        codes = {key: process.poll() for key, (_, process) in self._running.items()}
        return [
            (self._running.pop(key)[0], conclude(self._store, key, code))
            for key, code in codes.items()
            if code is not None
        ]

    def stop(self) -> None:
        processes = [process for _, process in self._running.values()]
        for process in processes:
            process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(deadline - time.monotonic(), 0.0))
            if process.poll() is None:
                process.kill()
                process.wait()
        self._running.clear()
