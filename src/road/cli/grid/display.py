"""What a person sees while a grid runs: a live table on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from road.experiments.jobs import Job
from road.experiments.scheduler import Board, Watch
from road.terminal import printable

PLAIN_SECONDS = 30.0
"""Between two plain lines, unless something has ended."""
KINDS = {"data": "datasets", "pretraining": "pretrained agents", "cell": "cells"}


@contextmanager
def watching_grid(folder: Path, jobs: Sequence[Job]) -> Generator[Watch]:
    """Show the progress of a grid in a form that suits the output."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    counts = {kind: sum(job.kind == kind for job in jobs) for kind in KINDS}
    asked = ", ".join(f"{counts[kind]} {name}" for kind, name in KINDS.items() if counts[kind])
    console.print(printable(f"grid folder: {folder} ({asked})"), markup=False)
    if not sys.stderr.isatty():
        yield PlainLines(console)
        return
    with Live(console=console, refresh_per_second=2) as live:
        yield lambda board: live.update(table_of(board))


class PlainLines:
    """Lines for a log file, when something ended or now and then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._told, self._shown = (-1, -1), 0.0

    def __call__(self, board: Board) -> None:
        ended = (len(board.done), len(board.failed))
        if ended == self._told and time.monotonic() - self._shown < PLAIN_SECONDS:
            return
        self._told, self._shown = ended, time.monotonic()
        self._console.print(printable(summary_of(board)), markup=False)


def table_of(board: Board) -> Table:
    """What runs, how long already, and the sums below."""
    table = Table(box=None, pad_edge=False, caption=summary_of(board), caption_justify="left")
    table.add_column("running")
    table.add_column("for", justify="right")
    now = time.monotonic()
    for job in board.jobs:
        if job.key in board.running:
            table.add_row(escape(job.label), clock(now - board.running[job.key]))
    return table


def summary_of(board: Board) -> str:
    parts = [f"{len(board.running)} running"]
    for kind, name in KINDS.items():
        alike = [job for job in board.jobs if job.kind == kind]
        if alike:
            parts.append(f"{sum(job.key in board.done for job in alike)}/{len(alike)} {name} done")
    left = board.remaining()
    failed = sum(job.kind == "cell" and job.key in board.failed for job in board.jobs)
    parts += [f"{failed} failed", "left: " + ("?" if left is None else clock(left))]
    return ", ".join(parts)


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
