"""``road theory``: compute and draw the paper's theory on problems small enough to be exact."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from road.cli.flags import parse_flags
from road.errors import UsageError
from road.names import find_name
from road.terminal import say
from road.theory.output import STUDIES, make

FIGURES = {**{name: (name,) for name in STUDIES}, "all": tuple(STUDIES)}


@dataclass(frozen=True)
class Theory:
    """Draw one of the theory's figures (SVG and PNG) and write its numbers as JSON."""

    name: Annotated[
        str,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="NAME", help=f"One of {', '.join(FIGURES)}."),
    ]
    """Which figure."""
    out: Path = Path("theory")
    """The folder to write to."""
    seeds: int | None = None
    """Repetitions: seeds or random problems; six or more; by default as each study has it."""
    seed: int = 0
    """Where the random numbers begin; the same seed gives the same bytes."""


def theory_command(words: list[str]) -> int:
    flags = parse_flags(Theory, words, "theory")
    # Random problems come in three qualities of data, and an interval needs two of each.
    if (flags.seeds is not None and flags.seeds < 6) or flags.seed < 0:
        raise UsageError(f"needs seeds >= 6 and seed >= 0, got {flags.seeds}, {flags.seed}")
    names = find_name(flags.name, FIGURES, "figure")
    written: list[Path] = []
    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description:10}"), BarColumn(bar_width=30), TimeElapsedColumn())
    with Progress(*columns, console=console, refresh_per_second=4) as progress:
        rows = {name: progress.add_task(name, total=1.0, start=False) for name in names}
        for name, row in rows.items():
            progress.start_task(row)
            report = partial(advance, progress, row)
            written += make(name, flags.out, flags.seeds, flags.seed, report)
            progress.update(row, completed=1.0)
    say("".join(f"{path}\n" for path in written))
    return 0


def advance(progress: Progress, row: TaskID, done: float) -> None:
    progress.update(row, completed=done)
