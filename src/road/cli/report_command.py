"""``road report``: one or several runs as a self-contained HTML page."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from road.cli.flags import parse_flags
from road.errors import UsageError
from road.report import write_report


@dataclass(frozen=True)
class Report:
    """Draw one or several runs as a self-contained HTML page."""

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders; several are compared."""
    out: Path | None = None
    """Where to write; by default report.html in the run folder, or here if there are several."""


def run(words: list[str]) -> int:
    flags = parse_flags(Report, words, "report")
    if not flags.folders:
        raise UsageError("name at least one run folder: road report DIR [DIR ...]")
    single = len(flags.folders) == 1
    out = flags.out or (flags.folders[0] if single else Path()) / "report.html"
    sys.stdout.write(f"{write_report(flags.folders, out)}\n")
    return 0
