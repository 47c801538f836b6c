"""Worker: how long a user waits for the first sign of life. A window is one start, however long.

`train` is timed to the first row of ``metrics.jsonl``, asked for at the first opportunity: the
process has started, imported everything, read the dataset, made its environments, loaded compiled
code from the cache, and finished its first call of 50 updates. Dataset and compiled code are in a
cache of the worker's own, filled by one start that is not timed.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.window import Candidate, Window, serve

ROAD = str(Path(sys.executable).parent / "road")
TRAIN = (ROAD, "train", "pointmaze-umaze-random", "--offline-steps", "50", "--online-steps", "1")
BRIEF = ("--log-every", "1", "--evaluation-episodes", "1")
POLL_SECONDS = 0.002
PATIENCE_SECONDS = 300.0


def prepare() -> dict[str, Candidate]:
    # Removed when the worker ends: the candidates hold it until then.
    scratch = tempfile.TemporaryDirectory(prefix="road-bench-")
    os.environ["ROAD_DATA_DIR"] = str(Path(scratch.name) / "cache")

    def train(_: float) -> Window:
        return timed_to_first_step(Path(scratch.name) / f"run-{next(numbers)}")

    numbers = itertools.count()
    candidates: dict[str, Candidate] = {
        "start-import": lambda _: timed((sys.executable, "-c", "import road")),
        "start-help": lambda _: timed((ROAD, "--help")),
        "start-train": train,
        "start-rlpd": lambda _: timed((sys.executable, "-m", "benchmarks.first_step")),
    }
    for candidate in candidates.values():
        candidate(0.0)
    return candidates


def timed(command: tuple[str, ...]) -> Window:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return Window(1, time.perf_counter() - began)


def timed_to_first_step(out: Path) -> Window:
    metrics = out / "metrics.jsonl"
    began = time.perf_counter()
    with subprocess.Popen((*TRAIN, *BRIEF, "--out", str(out)), stdout=subprocess.DEVNULL) as run:
        while not (metrics.exists() and metrics.stat().st_size):
            waited = time.perf_counter() - began
            if run.poll() is not None or waited > PATIENCE_SECONDS:
                run.kill()
                raise RuntimeError(f"no first step after {waited:.1f} s, exit code {run.poll()}")
            time.sleep(POLL_SECONDS)
        seconds = time.perf_counter() - began
    if run.returncode:
        raise RuntimeError(f"road train ended with exit code {run.returncode}")
    return Window(1, seconds)


if __name__ == "__main__":
    serve(prepare, ())
