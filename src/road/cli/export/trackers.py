"""``road export tensorboard`` and ``road export wandb``: what runs have recorded, for a tracker."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from road.cli.flags import parse_flags
from road.data.formats import need
from road.errors import UsageError
from road.records.series import rows_by_step
from road.report import RunRecord, load_run
from road.terminal import say

NEXT = {
    "tensorboard": "to look at it: tensorboard --logdir {out}",
    "wandb": "to send it: wandb sync {out}/wandb/offline-run-*",
}


@dataclass(frozen=True)
class Tracker:
    """Write what runs have recorded, finished or still going; nothing is sent anywhere.

    Exporting again takes the place of what was exported before.
    """

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders."""
    out: Path
    """The folder to write to: what `tensorboard --logdir` is given, or where `wandb/` is made."""


def tensorboard_command(words: list[str]) -> int:
    return write_runs("tensorboard", words)


def wandb_command(words: list[str]) -> int:
    return write_runs("wandb", words)


def write_runs(to: str, words: list[str]) -> int:
    flags = parse_flags(Tracker, words, f"export {to}")
    if not flags.folders:
        raise UsageError(f"name at least one run folder: road export {to} RUN [RUN ...]")
    # Read all before the first is written: a wrong folder leaves nothing behind.
    runs = [load_run(folder) for folder in flags.folders]
    check_names(runs)
    writer = need(f"road.integrations.{to}", to, f"road export {to}")
    for record in runs:
        rows = rows_by_step(record)
        place = writer.write_run(rows, flags.out, record.folder, record.config)
        say(f"{place}\n")
    say(f"{NEXT[to].format(out=flags.out)}\n")
    return 0


def check_names(runs: Sequence[RunRecord]) -> None:
    """The folder's name is the run's there."""
    name, count = Counter(run.folder for run in runs).most_common(1)[0]
    if count > 1:
        raise UsageError(f"{count} runs are called {name!r}; export them to different folders")
