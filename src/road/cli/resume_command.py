"""``road resume``: continue a run that was stopped or killed, to the same bits."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from road.cli.display import watching
from road.cli.finish import finish
from road.cli.flags import parse_flags
from road.cli.jax_setup import prepare_jax
from road.data.folder import data_folder


@dataclass(frozen=True)
class Resume:
    """Continue a run from its newest whole checkpoint."""

    folder: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that the run's own environment imports; to be allowed anew, as its code runs."""


def run(words: list[str]) -> int:
    flags = parse_flags(Resume, words, "resume")
    folder = flags.folder
    from road.training.folder import META, read_run_file

    threads = str(read_run_file(folder, META).get("machine", {}).get("jax_threads"))
    prepare_jax(data_folder() / "compiled", int(threads) if threads.isdigit() else None)
    from road.training.launch import resume_run

    with watching(folder) as notify:
        resume_run(folder, notify, flags.allow_import)
    finish(folder)
    return 0
