"""Commands that draw or export runs: ``road report`` and ``road export``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from road.cli.flags import parse_flags
from road.data.formats import need
from road.errors import UsageError
from road.records.series import rows_by_step
from road.report import RunRecord, load_run, write_report
from road.terminal import say


@dataclass(frozen=True)
class Report:
    """Draw one or several runs as a self-contained HTML page."""

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders; several are compared."""
    out: Path | None = None
    """Where to write; by default report.html in the run folder, or here if there are several."""
    figures: Path | None = None
    """A folder for learning curves and offline ratios as PNG and PDF, beside the page."""


def report_command(words: list[str]) -> int:
    flags = parse_flags(Report, words, "report")
    if not flags.folders:
        raise UsageError("name at least one run folder: road report DIR [DIR ...]")
    if flags.figures is not None:  # before the page is written
        need("road.report.figures", "train", "--figures")
    single = len(flags.folders) == 1
    out = flags.out or (flags.folders[0] if single else Path()) / "report.html"
    paths = [write_report(flags.folders, out)]
    if flags.figures is not None:
        paths += figures_of(flags.folders, flags.figures)
    say("".join(f"{path}\n" for path in paths))
    return 0


def figures_of(folders: Sequence[Path], out: Path) -> list[Path]:
    return need("road.report.figures", "train", "--figures").write_figures(folders, out)


NEXT = {
    "tensorboard": "to look at it: tensorboard --logdir {out}",
    "wandb": "to send it: wandb sync {out}/wandb/offline-run-*",
}


@dataclass(frozen=True)
class Export:
    """Write what runs have recorded, finished or still going, for TensorBoard or W&B.

    Exporting again takes the place of what was exported before.
    """

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders."""
    to: Literal["tensorboard", "wandb"]
    """Event files for TensorBoard, or a W&B run in offline mode; nothing is sent."""
    out: Path
    """The folder to write to: what `tensorboard --logdir` is given, or where `wandb/` is made."""


def export_command(words: list[str]) -> int:
    flags = parse_flags(Export, words, "export")
    if not flags.folders:
        raise UsageError("name at least one run folder: road export RUN [RUN ...]")
    # Read all before the first is written: a wrong folder leaves nothing behind.
    runs = [load_run(folder) for folder in flags.folders]
    check_names(runs)
    writer = need(f"road.integrations.{flags.to}", flags.to, f"--to {flags.to}")
    for record in runs:
        rows = rows_by_step(record)
        place = writer.write_run(rows, flags.out, record.folder, record.config)
        say(f"{place}\n")
    say(f"{NEXT[flags.to].format(out=flags.out)}\n")
    return 0


def check_names(runs: Sequence[RunRecord]) -> None:
    """The folder's name is the run's there."""
    name, count = Counter(run.folder for run in runs).most_common(1)[0]
    if count > 1:
        raise UsageError(f"{count} runs are called {name!r}; export them to different folders")
