"""``road report``: runs as a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from road.cli.flags import parse_flags
from road.data.formats import need
from road.errors import UsageError
from road.report import write_report
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
