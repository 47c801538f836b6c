"""Measure everything, one window at a time in shuffled order, and store the record.

    python -m benchmarks.run [--quick] [--name NAME] [--only PREFIX ...]

A missed bar is information, not a failure: the exit code is 0 either way.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from benchmarks.figures import Figure, figures, rates_of, table
from benchmarks.machine import (
    ROOT,
    describe_commit,
    describe_machine,
    foreign_load,
    read_ticks,
)

FORMAT = 1
RECORDS = ROOT / "benchmarks" / "records"
D3RLPY_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
WORKERS = {
    "benchmarks.train_road": Path(sys.executable),
    "benchmarks.train_agents": Path(sys.executable),
    "benchmarks.train_d3rlpy": D3RLPY_PYTHON,
    "benchmarks.online": Path(sys.executable),
    "benchmarks.sum_tree": Path(sys.executable),
    "benchmarks.controller": Path(sys.executable),
    "benchmarks.startup": Path(sys.executable),
}
QUIET = 0.10
"""A window in which other processes had more of the machine than this is repeated, if allowed."""
PAUSE_SECONDS = 0.1
"""Before a window: threads of the worker before it may still be spinning."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    rounds: int
    seconds: float
    repeats: int
    """How often a disturbed window is measured again before it is taken as it is."""


FULL = Effort(rounds=11, seconds=3.0, repeats=2)
QUICK = Effort(rounds=5, seconds=1.0, repeats=0)


@dataclass(frozen=True)
class Measured:
    """One window as it is in the record."""

    round: int
    candidate: str
    units: int
    seconds: float
    foreign: float | None
    """Share of the machine that other processes had; None where the kernel does not tell."""


class Worker:
    """A process that waits for its windows."""

    def __init__(self, process: subprocess.Popen[str], errors: IO[str], module: str) -> None:
        self._process, self._errors, self._module = process, errors, module
        about = self._answer()
        self.candidates: list[str] = about["candidates"]
        self.versions: dict[str, str] = about["versions"]

    def window(self, candidate: str, seconds: float) -> dict[str, Any]:
        assert self._process.stdin is not None
        before = read_ticks(self._process.pid)
        self._process.stdin.write(f"run {candidate} {seconds}\n")
        self._process.stdin.flush()
        answer = self._answer()
        return {**answer, "foreign": foreign_load(before, read_ticks(self._process.pid))}

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise SystemExit(f"{self._module} died:\n{self._errors.read()[-4000:]}")
        return json.loads(line)


@contextmanager
def working(module: str, python: Path, *arguments: str) -> Iterator[Worker]:
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            (str(python), "-m", module, *arguments),
            cwd=ROOT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        try:
            yield Worker(process, errors, module)
            process.communicate()  # end of input: the worker tidies up and leaves
        finally:
            process.kill()
            process.wait()


def measure(workers: list[Worker], effort: Effort, only: list[str]) -> list[Measured]:
    """Every candidate once per round, each round in an order of its own."""
    homes = {name: worker for worker in workers for name in worker.candidates}
    chosen = [name for name in homes if not only or name.startswith(tuple(only))]
    shuffler, found = random.Random(0), list[Measured]()
    for number in range(effort.rounds):
        shuffler.shuffle(chosen)
        for name in chosen:
            found.append(Measured(number, name, **calm_window(homes[name], name, effort)))
        print(f"round {number + 1} of {effort.rounds}", file=sys.stderr, flush=True)
    return found


def calm_window(worker: Worker, candidate: str, effort: Effort) -> dict[str, Any]:
    """The first undisturbed window, or the least disturbed one."""
    tries = list[dict[str, Any]]()
    for _ in range(1 + effort.repeats):
        time.sleep(PAUSE_SECONDS)
        tries.append(worker.window(candidate, effort.seconds))
        if (tries[-1]["foreign"] or 0.0) <= QUIET:
            break
    return min(tries, key=lambda each: each["foreign"] or 0.0)


def judged(windows: list[Measured]) -> list[Figure]:
    rates = rates_of((each.candidate, each.units, each.seconds) for each in windows)
    loads = defaultdict[str, list[float]](list)
    for each in windows:
        loads[each.candidate].append(each.foreign or 0.0)
    return figures(rates, {name for name in loads if statistics.median(loads[name]) > QUIET})


def record(
    name: str, effort: Effort, versions: dict[str, Any], windows: list[Measured]
) -> dict[str, Any]:
    loads = [each.foreign for each in windows if each.foreign is not None]
    return {
        "format": FORMAT,
        "name": name,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        **describe_commit(),
        "machine": describe_machine(),
        "versions": versions,
        "effort": asdict(effort),
        "foreign_load": statistics.median(loads) if loads else None,
        "disturbed_windows": sum(load > QUIET for load in loads),
        "figures": [asdict(figure) for figure in judged(windows)],
        "windows": [asdict(each) for each in windows],
    }


def main() -> None:
    flags = parse_flags()
    effort = QUICK if flags.quick else FULL
    present = {module: python for module, python in WORKERS.items() if python.exists()}
    with ExitStack() as stack:
        workers = [stack.enter_context(working(*each)) for each in present.items()]
        windows = measure(workers, effort, flags.only)
        versions = {m: w.versions for m, w in zip(present, workers, strict=True)}
    commit = describe_commit()
    name = flags.name or f"{commit['commit'][:7]}-{'quick' if flags.quick else 'full'}"
    result = record(name, effort, versions, windows)
    RECORDS.mkdir(exist_ok=True)
    path = RECORDS / f"{name}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    show(result, windows, path)


def show(result: dict[str, Any], windows: list[Measured], path: Path) -> None:
    print(table(judged(windows)))
    if not D3RLPY_PYTHON.exists():
        print("d3rlpy was not measured: there is no .venv-bench (see benchmarks/README.md)")
    if disturbed := result["disturbed_windows"]:
        print(f"not quiet: other processes disturbed {disturbed} of {len(windows)} windows")
    print(f"record: {path.relative_to(ROOT)}")


def parse_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute or two, for a first look")
    parser.add_argument("--name", help="name of the record; by default commit and effort")
    parser.add_argument("--only", nargs="*", default=[], help="beginnings of candidates' names")
    return parser.parse_args()


if __name__ == "__main__":
    main()
