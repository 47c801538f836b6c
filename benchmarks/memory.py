"""Peak resident memory at the paper's size: a million rows logged, a ring of a million more.

    python -m benchmarks.memory [--agent iql]

The log is random numbers in HalfCheetah's shape, written once as a D4RL file. The ring is touched
whole when the run begins, so that a few thousand steps show the peak of a million.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import workload
from road.data import Dataset, write_d4rl

LIMIT_GB = 1.2
STEPS = 2_000
TASK = "halfcheetah-medium"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--agent", default="iql")
    agent = parser.parse_args().agent
    with tempfile.TemporaryDirectory(prefix="road-memory-") as folder:
        log = write_d4rl(random_log(), Path(folder) / "log.hdf5")
        peak = peak_of_run(log, Path(folder) / "run", agent) / 2**30
    verdict = "met" if peak < LIMIT_GB else "missed"
    print(f"{agent}: peak resident memory {peak:.2f} GB, at most {LIMIT_GB}: {verdict}")


def random_log() -> Dataset:
    data = workload.random_columns(0)
    return Dataset(
        observation=data.observation,
        action=data.action,
        reward=data.reward,
        next_observation=np.roll(data.observation, -1, axis=0),
        terminated=data.terminated.astype(bool),
        truncated=np.zeros(len(data.reward), bool),
    )


def peak_of_run(log: Path, out: Path, agent: str) -> int:
    """In bytes; the run is stopped after some online steps."""
    words = ("train", TASK, "--agent", agent, "--data", f"file:{log}", "--out", str(out))
    budget = ("--offline-steps", "100", "--online-steps", "1000000", "--log-every", "100")
    brief = ("--evaluation-episodes", "1", "--evaluate-every", "1000000")
    with subprocess.Popen((sys.executable, "-m", "road.cli", *words, *budget, *brief)) as process:
        metrics, peak = out / "metrics.jsonl", 0
        while process.poll() is None:
            peak = max(peak, high_water_mark(process.pid))
            rows = metrics.read_text().count("online") if metrics.exists() else 0
            if rows >= STEPS // 100:
                process.send_signal(signal.SIGKILL)
            time.sleep(0.2)
    if process.returncode != -signal.SIGKILL:
        raise SystemExit(f"the run ended with exit code {process.returncode}")
    return peak


def high_water_mark(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    marks = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return 1024 * int(marks[0]) if marks else 0


if __name__ == "__main__":
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    main()
