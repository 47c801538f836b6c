"""The process that does a grid's jobs: ``python -m road.experiments.worker FOLDER``.

A runner starts it, writes the key of one job after another to its input, and reads a line for each
that is done. An error ends the process with its exit code; what it was is in the job's log.
"""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from road.errors import RoadError, explain
from road.experiments.jobs import Job, Kind
from road.experiments.store import Store
from road.experiments.work import make_data, pretrain_agent, run_cell, time_before
from road.files import remove_folder
from road.terminal import one_line, printable
from road.training.events import Event, Note, Notify
from road.training.process import prepare_jax

KEEP = "ROAD_GRID_KEEP"
"""Set by a runner that wants the checkpoints of finished cells."""
WATCHED_EVERY = 1.0


def main() -> int:
    """Do the jobs of a grid's folder; gives the exit code."""
    try:
        work(Store(Path(sys.argv[1])))
    except (RoadError, ModuleNotFoundError, KeyboardInterrupt) as error:
        traceback.print_exc()
        code, message = explain(error)
        sys.stderr.write(
            f"error: {one_line(message)}\n"
        )  # the last line of the log: what the runner reports
        return code
    return 0


def work(store: Store) -> None:
    """Do the jobs whose keys are read, and answer each with a line."""
    end_with(os.getppid())
    prepare_jax(1)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    for key, began in read_keys():
        with store.open_log(key) as log:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
                os.dup2(log.fileno(), stream.fileno())
        work_on(store, key, began)
        answers.write("done\n")


class Began(NamedTuple):
    """When a job began: by the clock, and in seconds of this process."""

    clock: float
    cpu: float


def read_keys() -> Iterator[tuple[str, Began]]:
    """Keys as they come; the first job began with the process, whose imports are its cost."""
    began = Began(time.monotonic() - running_for(), 0.0)
    for line in sys.stdin:
        yield line.strip(), began or Began(time.monotonic(), time.process_time())
        began = None


def work_on(store: Store, key: str, began: Began) -> None:
    """One job, from its file to its result."""
    if store.is_done(key):
        return
    job = store.job(key)
    before = time_before(store.place(job))
    result = ACTIONS[job.kind](store, job, notify)
    took = {
        "seconds": before["seconds"] + time.monotonic() - began.clock,
        "cpu_seconds": before["cpu_seconds"] + time.process_time() - began.cpu,
    }
    rounded = {name: round(value, 3) for name, value in took.items()}
    store.commit(key, {"key": key, "kind": job.kind, **rounded, **result})
    if job.kind == "cell" and not os.environ.get(KEEP):
        # A finished cell keeps its journals; its buffer would fill the disk.
        remove_folder(store.place(job) / "checkpoints")


ACTIONS: dict[Kind, Callable[[Store, Job, Notify], dict[str, Any]]] = {
    "data": make_data,
    "pretraining": pretrain_agent,
    "cell": run_cell,
}
"""What is done with a job of each kind."""


def notify(event: Event) -> None:
    """Only notes go to the log."""
    if isinstance(event, Note):
        sys.stderr.write(f"note: {printable(event.text)}\n")


def running_for() -> float:
    """Seconds since this process was started, its imports included."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, AttributeError):  # not Linux
        return time.process_time()


def end_with(parent: int) -> None:
    """If the process that started us dies, save and end: another runner will want the folder."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCHED_EVERY)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
