"""One single-threaded process per core: faster than one process on several threads, same bits."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from road.errors import Interrupted, LockedError, Preempted, StorageError
from road.experiments.gpus import gpu_variables
from road.experiments.jobs import Job
from road.experiments.scheduler import Outcome, last_words
from road.experiments.store import Store
from road.records.folder import usable_cores

ONE_THREAD = dict.fromkeys(
    ("PJRT_NPROC", "NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
POLL = 0.05
GRACE = 60.0
"""Seconds that a worker has to save before it is killed; nothing is lost then either."""
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGILL, signal.SIGBUS)
"""Signals that a program brings on itself; any other came from outside."""
CAREER = 32
"""Jobs that a worker does before a new one takes its place: whatever leaks, leaks no further."""


class Worker:
    """A process that does one job after another, and ends with the first that goes wrong.

    A new one has to import and compile everything again, which takes seconds.
    """

    def __init__(
        self, store: Path, key: str, variables: Mapping[str, str] | None = None, slot: int = 0
    ) -> None:
        self.slot = slot
        """Which of the processes at a time it is; a GPU belongs to it."""
        with Store(store).open_log(key) as log:
            self._process = subprocess.Popen(
                # The traceback is in the log; the runner reports its last line alone.
                [sys.executable, "-m", "road.experiments.worker", str(store)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,  # until it has read its first key; then it opens the logs itself
                bufsize=0,
                env={**os.environ, **ONE_THREAD, **(variables or {})},
                start_new_session=True,  # Ctrl-C is for the runner, which tells its workers itself
            )
        self._answers = pipe_of(self._process.stdout)
        os.set_blocking(self._answers.fileno(), False)
        self.given = 0
        """Jobs that it has got so far."""
        self.give(key)

    def give(self, key: str) -> None:
        """Hand over a job. If the process is gone, it is as if it had gone with the job."""
        self.given += 1
        with contextlib.suppress(BrokenPipeError):
            pipe_of(self._process.stdin).write(f"{key}\n".encode())

    def poll(self) -> int | None:
        """How the job has ended, as an exit code; None while it goes on."""
        return 0 if self._answers.read() else self._process.poll()

    def stop(self) -> None:
        """Ask it to save and end."""
        self._process.send_signal(signal.SIGTERM)

    def join(self, seconds: float | None = None) -> int:
        """Give it nothing more, and wait for its end; its exit code. Late ones are killed."""
        pipe_of(self._process.stdin).close()
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._answers.close()


def pipe_of(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # asked for when the process was started
    return pipe


def conclude(store: Store, key: str, code: int) -> Outcome:
    """What an exit code means; a job's own error is noted."""
    outcome = outcome_of(code)
    if outcome == "error":
        store.note_failure(key, message_of(store, key, code))
    return outcome


def message_of(store: Store, key: str, code: int) -> str:
    """Why a job failed, in its own words if it had any."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else last_words(store, key)


def outcome_of(code: int) -> Outcome:
    match code:
        case 0:
            return "done"
        case LockedError.exit_code | Preempted.exit_code | Interrupted.exit_code:
            return "again"
        case StorageError.exit_code:
            return "halt"
        case _ if code < 0 and -code not in CRASHES:
            return "again"
        case _:
            return "error"


def run_to_its_end(store: Path, key: str) -> int:
    """Do one job and wait for it; an interruption leaves no process behind."""
    worker = Worker(store, key)
    try:
        while worker.poll() is None:
            time.sleep(POLL)  # Ray's interruption would not end a wait in the operating system
        return worker.join()
    finally:
        worker.stop()
        worker.join(GRACE)


class LocalBackend:
    """So many processes of our own at a time."""

    def __init__(self, store: Path, jobs: int | None = None, gpus: Sequence[str] = ()) -> None:
        self._store = Store(store)
        self._gpus = tuple(gpus)
        self._slots = (len(gpus) or usable_cores()) if jobs is None else jobs
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
            slot = self._free_slot()
            variables = gpu_variables(self._gpus, slot, self._slots)
            worker = Worker(self._store.path, job.key, variables, slot)
        self._running[job.key] = (job, worker)

    def _free_slot(self) -> int:
        taken = {worker.slot for _, worker in self._running.values()}
        taken |= {worker.slot for worker in self._idle}
        return next(slot for slot in range(len(taken) + 1) if slot not in taken)

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
