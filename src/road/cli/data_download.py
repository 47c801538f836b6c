"""``road data download``: bring a published dataset to this machine."""

import sys
from dataclasses import dataclass
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

from road.cli.flags import parse_flags
from road.data.downloading import download


@dataclass(frozen=True)
class Download:
    """Bring a published dataset to this machine; one that broke off is continued."""

    source: Annotated[str, tyro.conf.Positional]
    """d4rl:NAME or minari:ID."""


def run(words: list[str]) -> int:
    flags = parse_flags(Download, words, "data download")
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as shown:
        task = shown.add_task(flags.source, total=None)
        path = download(
            flags.source, lambda done, total: shown.update(task, completed=done, total=total)
        )
    sys.stdout.write(f"{path}\n")
    return 0
