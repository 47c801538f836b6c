"""``road grid run``: every cell of a grid, once, whatever happens in between."""

import dataclasses
import os
import shlex
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from road.cli.flags import parse_flags
from road.cli.grid.display import watching_grid
from road.data.formats import need
from road.errors import Interrupted, Preempted, UsageError
from road.experiments.backends.local import LocalBackend
from road.experiments.backends.ray import RayBackend
from road.experiments.gpus import check_gpus
from road.experiments.grid import Grid
from road.experiments.jobs import Job, work_of
from road.experiments.making import check_policies
from road.experiments.reconcile import check_at_hand, outdated
from road.experiments.registry import OWN, find_grid, usual_folder
from road.experiments.scheduler import Backend, Board, run_grid
from road.experiments.store import GRID, Place, Store
from road.experiments.worker import KEEP
from road.stopping import listening
from road.terminal import note, say

BELONGS = {
    "jobs": "local",
    "gpus": "local",
    "keep_checkpoints": "local",
    "ray_address": "ray",
    "through": "ray",
}
"""Flags of one backend alone."""


@dataclass(frozen=True)
class GridRun:
    """Run a grid: make its data, pretrain once for all strategies, run each cell exactly once."""

    grid: Annotated[str, tyro.conf.Positional]
    """One of `road grid list`, or a Python file with a GRID of your own."""
    scale: Literal["mini", "paper"] = "mini"
    """Budgets for two cores, or the paper's; a grid of your own has its own."""
    backend: Literal["local", "ray"] = "local"
    """This machine, one process per core; or a Ray cluster (the extra 'ray')."""
    resume: bool = False
    """Go on with a grid that was begun; also with more tasks, mixers or seeds than before."""
    jobs: int | None = None
    """Processes at a time on this machine; by default one per core."""
    gpus: tuple[str, ...] = ()
    """GPUs of this machine, by their numbers (0 1 ...): every process gets one of them in turn, and
    an equal part of its memory. By default one process per GPU; --jobs gives more. Untested."""
    out: Path | None = None
    """The grid's folder; by default grids/NAME-SCALE. With Ray every node must see it, or
    --through."""
    tasks: tuple[str, ...] = ()
    """Only these cases, by their labels; some run only if named (see `road grid list`)."""
    mixers: tuple[str, ...] = ()
    """Only these strategies, by their labels."""
    seeds: tuple[int, ...] = ()
    """Only these seeds, or others than the grid has."""
    policies: Path | None = None
    """A folder of policies (.npz) that data is collected with; without one a learner makes it."""
    retry: bool = False
    """Go on, and try once more what has failed twice, of what this command asks for. If you changed
    your environment's code, take another --out: cells that are done would not be run again."""
    keep_checkpoints: bool = False
    """Keep the checkpoints of finished cells, for `road eval`; they take most of the space."""
    ray_address: str | None = None
    """Of a Ray cluster that runs already, such as auto; by default one is started here."""
    through: str | None = None
    """Where jobs and results travel if Ray's nodes share no folder: an fsspec address (s3://...)."""

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"jobs must be 1 or more, got {self.jobs}")
        for flag, backend in BELONGS.items():
            if getattr(self, flag) not in (None, False, ()) and self.backend != backend:
                named = flag.replace("_", "-")
                raise UsageError(f"--{named} belongs to --backend {backend}, not {self.backend}")


def run_command(words: list[str]) -> int:
    flags = parse_flags(GridRun, words, "grid run")
    if flags.backend == "ray":
        need("ray", "ray", "--backend ray")
    check_gpus(flags.gpus)
    own = flags.grid.endswith(".py")
    whole = find_grid(flags.grid, flags.scale)
    grid = with_data(whole.part(flags.tasks, flags.mixers, flags.seeds), flags.policies)
    work = work_of(grid.cells(), flags.policies)
    store = Store((flags.out or usual_folder(flags.grid, flags.scale)).absolute())
    scale = scale_of(store, grid.name) if own else flags.scale
    check_folder(store, grid.name, scale, flags)
    with store.held():
        check_at_hand(whole, {case.label for case in grid.cases}, store.entered(), flags.policies)
        dropped = no_longer_of(whole, store, flags.policies)
        store.enter(grid, scale, shlex.join(["road", "grid", "run", *words]), work, dropped)
        if flags.retry:
            store.forgive(job.key for job in work.jobs)
        board = carry_out(store, work.jobs, flags)
    return print_outcome(board, store)


def with_data(grid: Grid, policies: Path | None) -> Grid:
    """The grid without those cases whose data could not be made; that is said."""
    check_policies(policies)
    lacking = {
        case.label: case.data.lacking(policies) for case in grid.cases if case.data is not None
    }
    left_out = {label: files for label, files in lacking.items() if files}
    for label, files in left_out.items():
        note(
            f"{label} is left out: its data is collected with {', '.join(files)}, which "
            "--policies DIR has to hold"
        )
    cases = tuple(case for case in grid.cases if case.label not in left_out)
    if not cases:
        raise UsageError(
            f"nothing of {grid.name} can be run: put the files named above into --policies DIR"
        )
    return dataclasses.replace(grid, cases=cases)


def no_longer_of(grid: Grid, store: Store, policies: Path | None) -> list[Place]:
    """Cells of earlier commands that are something else by now; that is said."""
    places = outdated(grid, store.entered(), policies)
    if places:
        case, strategy, _ = places[0]
        note(
            f"{len(places)} cells of earlier commands are not what {grid.name} asks for now, "
            f"and are left out of it (first: {case} with {strategy}); their results are kept"
        )
    return places


def scale_of(store: Store, name: str) -> str:
    """A file may go on with a grid of its name, at whatever scale that was begun."""
    about = store.description() if (store.path / GRID).exists() else {}
    return about["scale"] if about.get("name") == name else OWN


def check_folder(store: Store, name: str, scale: str, flags: GridRun) -> None:
    """A folder holds one grid, and goes on only if it was asked to."""
    path = store.path
    if not (path / GRID).exists():
        check_free(path)
        if flags.resume or flags.retry:
            raise UsageError(
                f"{path} holds no grid to go on with: check --out, or leave out --resume and "
                "--retry to begin one there"
            )
        return
    about = store.description()
    if (about["name"], about["scale"]) != (name, scale):
        there = f"{about['name']} at scale {about['scale']}"
        raise UsageError(
            f"{path} holds the grid {there}, not {name} at {scale}; give another --out"
        )
    if not (flags.resume or flags.retry):
        raise UsageError(f"{path} holds this grid already; add --resume to go on with it")


def check_free(path: Path) -> None:
    """A grid begins in a folder with nothing in it but what a killed runner has left."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file; give another --out")
    if path.exists() and any(each.name != "LOCK" for each in path.iterdir()):
        raise UsageError(f"{path} holds something else than a grid; give another --out")


def carry_out(store: Store, jobs: Sequence[Job], flags: GridRun) -> Board:
    if flags.keep_checkpoints:
        os.environ[KEEP] = "1"
    with listening() as stop, watching_grid(store.path, jobs) as watch:
        try:
            return run_grid(store, jobs, backend_of(store.path, flags), watch, stop)
        except Interrupted as error:
            kind = Preempted if stop.signal == signal.SIGTERM else Interrupted
            again = f"road grid run {flags.grid} --resume"
            raise kind(f"{error}; go on with `{again}` and the same flags") from None


def backend_of(path: Path, flags: GridRun) -> Backend:
    if flags.backend == "ray":
        return RayBackend(path, flags.ray_address, flags.through)
    return LocalBackend(path, flags.jobs, flags.gpus)


def print_outcome(board: Board, store: Store) -> int:
    """How it came out; 1 if something failed."""
    cells = [job for job in board.jobs if job.kind == "cell"]
    done = sum(job.key in board.done for job in cells)
    say(f"{done} of {len(cells)} cells are done: {store.path}\n")
    for job in board.jobs:
        if job.key in board.failed:
            say(f"failed: {job.label}: {board.failed[job.key]}\n")
    if board.failed:
        say("once that is mended, the same command with --retry tries it again\n")
    say(f"report: road grid report {store.path}\n")
    return 1 if board.failed else 0
