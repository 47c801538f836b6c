"""``road data download`` and ``road data convert``: a dataset on this machine, in any format."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

from road.cli.data.source import Fitting, ReadingFlags, fitting
from road.cli.flags import parse_flags
from road.data.downloads import download
from road.data.export import write_d4rl, write_minari
from road.data.load import load_with
from road.data.on_disk import store
from road.errors import UsageError
from road.terminal import say


@dataclass(frozen=True)
class Convert:
    """Write a dataset as D4RL HDF5, as a Minari dataset, or as a folder to map from disk."""

    source: Annotated[str, tyro.conf.Positional]
    """file:PATH, d4rl:NAME, minari:ID or stored:FOLDER."""
    target: Annotated[str, tyro.conf.Positional]
    """file:PATH.hdf5, minari:ID or stored:FOLDER; nothing is overwritten."""
    env: str | None = None
    """The Gymnasium id of the environment that it was logged in: its action box is used where the
    source tells none, and a Minari dataset notes it."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that may be imported for --env MODULE:ID: its code runs."""
    how: tyro.conf.OmitArgPrefixes[ReadingFlags] = field(default_factory=ReadingFlags)


def convert_command(words: list[str]) -> int:
    flags = parse_flags(Convert, words, "data convert")
    say(f"{convert(flags)}\n")
    return 0


def convert(flags: Convert) -> Path:
    fits = Fitting() if flags.env is None else fitting(flags.env, flags.allow_import)
    reading, selection = flags.how.reading(fits.box), flags.how.selection
    scheme, _, name = flags.target.partition(":")
    path = Path(name).expanduser()
    if scheme == "stored" and name:
        # Larger than memory is what this format is for: arrays are made on disk.
        store(path, lambda allocate: load_with(flags.source, reading, selection, allocate))
        return path
    if scheme == "minari" and name:
        return write_minari(
            load_with(flags.source, reading, selection), name, environment=fits.environment
        )
    if scheme == "file" and path.suffix in (".hdf5", ".h5"):
        if path.exists():
            raise UsageError(f"{path} exists already; name a file that does not")
        return write_d4rl(load_with(flags.source, reading, selection), path)
    raise UsageError(f"{flags.target!r} is not file:PATH.hdf5, minari:ID or stored:FOLDER")


@dataclass(frozen=True)
class Download:
    """Bring a published dataset to this machine; one that broke off is continued."""

    source: Annotated[str, tyro.conf.Positional]
    """d4rl:NAME or minari:ID."""


def download_command(words: list[str]) -> int:
    flags = parse_flags(Download, words, "data download")
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as shown:
        task = shown.add_task(flags.source, total=None)
        path = download(
            flags.source, lambda done, total: shown.update(task, completed=done, total=total)
        )
    say(f"{path}\n")
    return 0
