"""Data that stays on disk: how fast it is sampled, and how much memory that takes.

    python -m benchmarks.memmap --rows 20000000 --folder /tmp/rows     # about 5 GB of disk
    python -m benchmarks.memmap --load                                 # 1M rows from a gzip file

Every figure is taken in a process of its own, so that its memory is its own.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

OBSERVATIONS, ACTIONS, EPISODE = 11, 3, 1_000
"""As large as Hopper's."""
BATCH, UPDATES = 256, 50
ROOM = {"observation": (OBSERVATIONS,), "action": (ACTIONS,), "reward": ()}


def memory() -> dict[str, int]:
    """Megabytes of this process: its own, and those of files that it has mapped."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = dict(line.split(":", 1) for line in lines if ":" in line)
    return {name: int(found[name].split()[0]) // 1024 for name in ("RssAnon", "RssFile")}


def make(folder: Path, rows: int) -> None:
    """Store synthetic rows without ever holding more than a block of them."""
    from road.data.dataset import Dataset
    from road.data.memory import Allocate, blocks
    from road.data.on_disk import store

    def write(allocate: Allocate) -> Dataset:
        arrays = {name: allocate(name, (rows, *shape)) for name, shape in ROOM.items()}
        following = allocate("next_observation", (rows, OBSERVATIONS))
        rng = np.random.default_rng(0)
        for block in blocks(rows):
            for array in arrays.values():
                array[block] = rng.random(array[block].shape, np.float32) * 2.0 - 1.0
        for block in blocks(rows - 1):
            following[block] = arrays["observation"][block.start + 1 : block.stop + 1]
        last = (np.arange(rows) + 1) % EPISODE == 0
        last[-1] = True
        never = np.zeros(rows, np.bool_)
        return Dataset(
            **arrays, next_observation=following, terminated=never, truncated=last, notes=()
        )

    store(folder, write)


def rows_of(folder: Path) -> NDArray[np.float32]:
    from road.data.on_disk import open_stored
    from road.tasks.catalogue import find_task
    from road.training.buffers import offline_rows

    return offline_rows(open_stored(folder), find_task("pendulum-mixed"), 0.99)


def sample(rows: NDArray[np.float32], seconds: float) -> dict[str, float]:
    """Rows per second of the sampler itself, in the second half of the time."""
    from road.mixing import Mixture
    from road.replay.buffer import OnlineBuffer
    from road.replay.sampler import MixedSampler
    from road.types import Spec

    sampler = MixedSampler(rows, OnlineBuffer(Spec(OBSERVATIONS, ACTIONS), 1), 1)
    begun, drawn, since, calls = time.perf_counter(), 0, 0.0, 0
    while (now := time.perf_counter() - begun) < seconds:
        if now > seconds / 2:
            since, drawn = since or now, drawn + UPDATES * BATCH
        sampler.sample(Mixture(1.0), UPDATES, BATCH, np.random.default_rng(calls))
        calls += 1
    return {"million_rows_per_second": drawn / (time.perf_counter() - begun - since) / 1e6}


def mapped(folder: Path, seconds: float) -> dict[str, float]:
    rows = rows_of(folder)
    rows.sum()  # the file is in the cache of the system from here on
    before = memory()
    result = sample(rows, seconds)
    return {**result, **{f"{name}_before": size for name, size in before.items()}, **memory()}


def copied(folder: Path, seconds: float) -> dict[str, float]:
    rows = np.array(rows_of(folder))
    return {**sample(rows, seconds), **memory()}


def packing(folder: Path) -> dict[str, float]:
    begun = time.perf_counter()
    rows = rows_of(folder)
    return {"rows": len(rows), "seconds": time.perf_counter() - begun, **memory()}


def making(folder: Path, rows: float) -> dict[str, float]:
    begun = time.perf_counter()
    make(folder, int(rows))
    return {"seconds": time.perf_counter() - begun, **memory()}


def writing(path: Path) -> dict[str, float]:
    """A million rows in D4RL's layout without successors, packed by gzip."""
    import h5py

    rng, rows = np.random.default_rng(0), 1_000_000
    steps = rng.normal(size=(rows, OBSERVATIONS)).astype(np.float32)
    with h5py.File(path, "w") as file:
        shown = {
            "observations": steps,
            "actions": np.tanh(steps[:, :ACTIONS]),
            "rewards": steps[:, 0],
        }
        for name, array in shown.items():
            file.create_dataset(name, data=array, compression="gzip")
        ends = np.arange(rows) % EPISODE == EPISODE - 1
        file.create_dataset("terminals", data=np.zeros(rows, np.bool_), compression="gzip")
        file.create_dataset("timeouts", data=ends, compression="gzip")
    return {"megabytes": path.stat().st_size / 1e6}


def loading(path: Path) -> dict[str, float]:
    """Time and peak memory of ``road.data.load``, beyond what the imports take."""
    import h5py

    from road.data import load

    with h5py.File(path) as file:
        stored = sum(array.size * array.dtype.itemsize for array in file.values())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    dataset = load(f"file:{path}")
    seconds = time.perf_counter() - begun
    peak = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    size = sum(array.nbytes for array in dataset.arrays().values())
    return {
        "rows": len(dataset),
        "seconds": seconds,
        "peak_over_arrays_of_the_file": peak / stored,
        "peak_over_arrays_of_the_dataset": peak / size,
    }


def alone(figure: str, *words: object) -> None:
    """One figure in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.memmap", "--figure", figure, *map(str, words)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    print(f"{figure:10} {answer.stdout.strip()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--figure", nargs="+")
    flags = parser.parse_args()
    if flags.figure:
        name, path, *numbers = flags.figure
        figures = {f.__name__: f for f in (making, packing, mapped, copied, writing, loading)}
        print(json.dumps(figures[name](Path(path), *map(float, numbers))))
        return
    folder = flags.folder or Path(tempfile.mkdtemp()) / "rows"
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    if flags.load:
        folder.parent.mkdir(parents=True, exist_ok=True)
        path = folder.with_suffix(".hdf5")
        alone("writing", path)
        alone("loading", path)
        path.unlink()
        return
    alone("making", folder, flags.rows)
    for figure in ("packing", "packing"):
        alone(figure, folder)
    for figure in ("mapped", "copied"):
        alone(figure, folder, flags.seconds)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
