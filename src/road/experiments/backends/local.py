"""One single-threaded process per core: faster than one process on several threads."""

import time
from pathlib import Path

from road.experiments.backends.process import GRACE, POLL, Worker, conclude
from road.experiments.jobs import Job
from road.experiments.running import Outcome
from road.experiments.store import Store
from road.training.folder import usable_cores

CAREER = 32
"""Jobs that a worker does before a new one takes its place: whatever leaks, leaks no further."""


class LocalBackend:
    """So many processes of our own at a time."""

    def __init__(self, store: Path, jobs: int | None = None) -> None:
        self._store = Store(store)
        self._slots = usable_cores() if jobs is None else jobs
        self._running: dict[str, tuple[Job, Worker]] = {}
        self._idle: list[Worker] = []

    @property
    def slots(self) -> int:
        return self._slots

    def start(self, job: Job) -> None:
        if self._idle:
            worker = self._idle.pop()
            worker.give(job.key)
        else:
            worker = Worker(self._store.path, job.key)
        self._running[job.key] = (job, worker)

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        deadline = time.monotonic() + seconds
        while not (ended := self._ended()) and time.monotonic() < deadline:
            time.sleep(POLL)
        return ended

    def _ended(self) -> list[tuple[Job, Outcome]]:
        codes = {key: worker.poll() for key, (_, worker) in self._running.items()}
        return [self._end(key, code) for key, code in codes.items() if code is not None]

    def _end(self, key: str, code: int) -> tuple[Job, Outcome]:
        job, worker = self._running.pop(key)
        if code == 0 and worker.given < CAREER:
            self._idle.append(worker)
        else:
            worker.join(GRACE)
        return job, conclude(self._store, key, code)

    def stop(self) -> None:
        """A worker without a job ends at once, the others when they have saved."""
        workers = [*self._idle, *(worker for _, worker in self._running.values())]
        for worker in workers:
            worker.stop()
        deadline = time.monotonic() + GRACE
        for worker in workers:
            worker.join(max(deadline - time.monotonic(), 0.0))
        self._idle.clear()
        self._running.clear()
