"""A job as a process of its own, with one thread: the same bits wherever it runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from road.errors import Interrupted, LockedError, Preempted, StorageError
from road.experiments.running import Outcome, last_words
from road.experiments.store import Store

ONE_THREAD = dict.fromkeys(
    ("PJRT_NPROC", "NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGILL, signal.SIGBUS)
"""Signals that a program brings on itself; any other came from outside."""


def start_process(store: Path, key: str) -> "subprocess.Popen[bytes]":
    """Begin a job; what it says goes to its log."""
    with Store(store).log(key).open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "road.cli", "grid", "work", str(store), key],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,  # Ctrl-C is for the runner, which tells its workers itself
        )


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
    """Begin a job and wait for it; the process ends with whoever waits."""
    process = start_process(store, key)
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
