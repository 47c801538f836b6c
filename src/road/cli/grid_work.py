"""``road grid work FOLDER``: jobs of a grid, in a process that its runner has started."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from road.cli.jax_setup import prepare_jax
from road.data.folder import data_folder
from road.errors import UsageError

if TYPE_CHECKING:
    from road.experiments.jobs import Job
    from road.experiments.store import Store
    from road.training.events import Event

KEEP = "ROAD_GRID_KEEP"
"""Set by a runner that wants the checkpoints of finished cells."""
WATCHED_EVERY = 1.0


def run(words: list[str]) -> int:
    """Do the jobs whose keys are read, and answer each with a line; an error ends the process."""
    if len(words) != 1:
        raise UsageError("road grid work is what runners start: it takes a folder, and reads keys")
    end_with(os.getppid())
    prepare_jax(data_folder() / "compiled", 1)
    from road.experiments.store import Store

    store = Store(Path(words[0]))
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    for key, began in given_keys():
        with store.log(key).open("ab") as log:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
                os.dup2(log.fileno(), stream.fileno())
        work_on(store, key, began)
        answers.write("done\n")
    return 0


class Began(NamedTuple):
    """When a job began: by the clock, and in seconds of this process."""

    clock: float
    cpu: float


def given_keys() -> Iterator[tuple[str, Began]]:
    """Keys as they come; the first job began with the process, whose imports are its cost."""
    began = Began(time.monotonic() - running_for(), 0.0)
    for line in sys.stdin:
        yield line.strip(), began or Began(time.monotonic(), time.process_time())
        began = None


def work_on(store: "Store", key: str, began: Began) -> None:
    """One job, from its file to its result."""
    from road.experiments.work import drop_checkpoints, time_before

    if store.is_done(key):
        return
    job = store.job(key)
    act: dict[str, Callable[..., dict[str, Any]]] = {
        "data": make_data,
        "pretraining": pretrain,
        "cell": run_one,
    }
    before = time_before(store.place(job))
    result = act[job.kind](store, job)
    took = {
        "seconds": before["seconds"] + time.monotonic() - began.clock,
        "cpu_seconds": before["cpu_seconds"] + time.process_time() - began.cpu,
    }
    rounded = {name: round(value, 3) for name, value in took.items()}
    store.commit(key, {"key": key, "kind": job.kind, **rounded, **result})
    if job.kind == "cell" and not os.environ.get(KEEP):
        drop_checkpoints(store.place(job))


def running_for() -> float:
    """Seconds since this process was started, its imports included."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, AttributeError):  # not Linux
        return time.process_time()


def end_with(parent: int) -> None:
    """If whoever started us dies, save and end: somebody else will want the folder."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCHED_EVERY)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def make_data(store: "Store", job: "Job") -> dict[str, Any]:
    from road.cli.data_collect import run as collect

    collect([*job.what["words"], "--out", str(store.place(job))])
    return {}


def pretrain(store: "Store", job: "Job") -> dict[str, Any]:
    from road.experiments.work import digest_of, pretrain_agent

    return {"digest": digest_of(pretrain_agent(store, job, notify))}


def run_one(store: "Store", job: "Job") -> dict[str, Any]:
    from road.experiments.work import area_under, digest_of, run_cell
    from road.report import load_run, summarise

    folder = run_cell(store, job, notify)
    summary = asdict(summarise(load_run(folder)))
    lines = (folder / "evaluations.jsonl").read_text("utf-8").splitlines()
    area = area_under([json.loads(line) for line in lines])
    return {"digest": digest_of(folder), "area": area, "summary": summary}


def notify(event: "Event") -> None:
    """Only what a person should know goes to the log."""
    from road.training.events import Note

    if isinstance(event, Note):
        sys.stderr.write(f"note: {event.text}\n")
