"""Processes that do jobs, with one thread each: the same bits wherever they run."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from road.errors import Interrupted, LockedError, Preempted, StorageError
from road.experiments.running import Outcome, last_words
from road.experiments.store import Store

ONE_THREAD = dict.fromkeys(
    ("PJRT_NPROC", "NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
POLL = 0.05
GRACE = 60.0
"""Seconds that a worker has to save before it is killed; nothing is lost then either."""
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGILL, signal.SIGBUS)
"""Signals that a program brings on itself; any other came from outside."""


class Worker:
    """A process that does one job after another, and ends with the first that goes wrong.

    A new one has to import and compile everything again, which takes seconds.
    """

    def __init__(self, store: Path, key: str) -> None:
        with Store(store).log(key).open("ab") as log:
            self._process = subprocess.Popen(
                # Whose code went wrong stands in the log; the runner tells the last line alone.
                [sys.executable, "-m", "road.cli", "grid", "work", str(store), "--debug"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,  # until it has read its first key; then it opens the logs itself
                bufsize=0,
                env={**os.environ, **ONE_THREAD},
                start_new_session=True,  # Ctrl-C is for the runner, which tells its workers itself
            )
        self._answers = piped(self._process.stdout)
        os.set_blocking(self._answers.fileno(), False)
        self.given = 0
        """Jobs that it has got so far."""
        self.give(key)

    def give(self, key: str) -> None:
        """Hand over a job. If the process is gone, it is as if it had gone with the job."""
        self.given += 1
        with contextlib.suppress(BrokenPipeError):
            piped(self._process.stdin).write(f"{key}\n".encode())

    def poll(self) -> int | None:
        """How the job has ended, as an exit code; None while it goes on."""
        return 0 if self._answers.read() else self._process.poll()

    def stop(self) -> None:
        """Ask it to save and end."""
        self._process.send_signal(signal.SIGTERM)

    def join(self, seconds: float | None = None) -> int:
        """Give it nothing more, and wait for its end; its exit code. Late ones are killed."""
        piped(self._process.stdin).close()
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._answers.close()


def piped(pipe: IO[bytes] | None) -> IO[bytes]:
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
    """Do one job and wait for it; whoever is interrupted leaves no process behind."""
    worker = Worker(store, key)
    try:
        while worker.poll() is None:
            time.sleep(POLL)  # Ray's interruption would not end a wait in the operating system
        return worker.join()
    finally:
        worker.stop()
        worker.join(GRACE)
