"""Commands that only read runs: ``road report``, ``road export`` and ``road whatif``."""

import dataclasses
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import tyro

from road.cli.flags import parse_flags
from road.data.formats import need
from road.errors import UsageError
from road.mixing import RoadMixer
from road.records.series import rows_by_step
from road.report import RunRecord, load_run, write_report
from road.report.run.whatif import (
    describe_settings,
    lines,
    read_recorded,
    run_settings,
    what_if,
    write_what_if,
)


@dataclass(frozen=True)
class Report:
    """Draw one or several runs as a self-contained HTML page."""

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders; several are compared."""
    out: Path | None = None
    """Where to write; by default report.html in the run folder, or here if there are several."""


def report_command(words: list[str]) -> int:
    flags = parse_flags(Report, words, "report")
    if not flags.folders:
        raise UsageError("name at least one run folder: road report DIR [DIR ...]")
    single = len(flags.folders) == 1
    out = flags.out or (flags.folders[0] if single else Path()) / "report.html"
    sys.stdout.write(f"{write_report(flags.folders, out)}\n")
    return 0


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
        sys.stdout.write(f"{place}\n")
    sys.stdout.write(f"{NEXT[flags.to].format(out=flags.out)}\n")
    return 0


def check_names(runs: Sequence[RunRecord]) -> None:
    """The folder's name is the run's there."""
    name, count = Counter(run.folder for run in runs).most_common(1)[0]
    if count > 1:
        raise UsageError(f"{count} runs are called {name!r}; export them to different folders")


MOST_ROWS = 40


@dataclass(frozen=True)
class WhatIfFlags:
    """Replay the Δ_off and Δ_on of a finished run under other settings: choices only.

    Several values of a flag make several rows; what is not given is as the run had it.
    """

    run: Annotated[Path, tyro.conf.Positional]
    """The run folder."""
    exploration: tuple[float, ...] = ()
    """c: UCB exploration coefficient."""
    window: tuple[int | None, ...] = ()
    """tau: periods that count; None keeps them all."""
    penalty: tuple[float, ...] = ()
    """kappa: the weight of Δ_on in R_q."""
    scale: tuple[Literal["raw", "standardised"], ...] = ()
    """Unit of the credit."""
    arms: tuple[float, ...] = ()
    """The ratios to choose from, among those that the run has run; by default all of them."""
    out: Path | None = None
    """Where to write the page; by default whatif.html in the run folder."""


def whatif_command(words: list[str]) -> int:
    flags = parse_flags(WhatIfFlags, words, "whatif")
    record = load_run(flags.run)
    found = read_recorded(record)
    own = run_settings(record, found.arms)
    try:
        # What one choice does not hear makes no row of its own: c with Thompson sampling.
        mixers = list({describe_settings(mixer): mixer for mixer in asked_for(flags, own)}.values())
    except ValueError as wrong:
        raise UsageError(str(wrong)) from wrong
    answer = what_if(record, found, mixers)
    page = write_what_if(answer, flags.out or flags.run / "whatif.html")
    told = [*lines(answer), answer.notice, f"picture: {page}"]
    sys.stdout.write("".join(f"{line}\n" for line in told))
    return 0


def asked_for(flags: WhatIfFlags, own: RoadMixer) -> Iterable[RoadMixer]:
    """The run's own settings, changed by every combination of what was given."""
    if flags.arms:
        own = dataclasses.replace(own, arms=flags.arms)
    given = {
        "overestimation_penalty": flags.penalty,
        **{name: getattr(flags, name) for name in ("exploration", "window", "scale")},
    }
    changed = {name: values for name, values in given.items() if values}
    rows = list(product(*changed.values()))
    if len(rows) > MOST_ROWS:
        raise UsageError(f"{len(rows)} combinations are too many to read, at most {MOST_ROWS}")
    for values in rows:
        yield dataclasses.replace(own, **dict(zip(changed, values, strict=True)))
