"""``road data check``: the card of a dataset, and everything that is wrong with it."""

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from road.cli.data_card import print_card, print_findings
from road.cli.data_fitting import Fitting, fitting
from road.cli.data_flags import ReadingFlags
from road.cli.flags import parse_flags
from road.data.card import make_card
from road.data.dataset import Dataset
from road.data.examining import check_spaces, log_faults
from road.data.loading import STORED, read_log, refuse_settled, split_source
from road.data.reading import Reading, understand
from road.data.stored import open_stored, verify
from road.errors import DataError


@dataclass(frozen=True)
class Check:
    """Print what a dataset holds and everything that is wrong with it."""

    source: Annotated[str, tyro.conf.Positional]
    """file:PATH, d4rl:NAME, minari:ID or stored:FOLDER."""
    env: str | None = None
    """A task or a Gymnasium id that the data should fit; a task also scores its returns."""
    out: Path | None = None
    """Where to write the same as an HTML page with plots."""
    json: bool = False
    """Print the card as JSON instead; of data that is none, its faults."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that may be imported for --env MODULE:ID: its code runs."""
    how: tyro.conf.OmitArgPrefixes[ReadingFlags] = field(default_factory=ReadingFlags)


def run(words: list[str]) -> int:
    flags = parse_flags(Check, words, "data check")
    fits = Fitting() if flags.env is None else fitting(flags.env, flags.allow_import)
    dataset = read_with_care(flags, flags.how.reading(fits.box))
    if fits.mend is not None:
        dataset = fits.mend(dataset)
    if fits.spaces is not None:
        check_spaces(dataset, *fits.spaces, where=str(flags.env))
    card = make_card(dataset, flags.source, fits.score_range)
    if flags.json:
        sys.stdout.write(json.dumps(card) + "\n")
    else:
        print_card(card)
    if flags.out is not None:
        from road.report.dataset import write_dataset_page

        written = write_dataset_page(card, flags.out)
        (sys.stderr if flags.json else sys.stdout).write(f"page: {written}\n")
    return 0


def read_with_care(flags: Check, reading: Reading) -> Dataset:
    """The dataset, or every fault for which it is none."""
    scheme, name = split_source(flags.source)
    if scheme == STORED:
        refuse_settled(reading, flags.how.selection)
        dataset = open_stored(Path(name).expanduser())
        verify(Path(name).expanduser(), dataset)
        return dataset
    log = read_log(flags.source, flags.how.selection)
    faults = log_faults(log, reading)
    if faults:
        told = [asdict(fault) for fault in faults]
        if flags.json:
            sys.stdout.write(json.dumps({"source": flags.source, "findings": told}) + "\n")
        else:
            print_findings(told, Console(highlight=False))
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise DataError(
            f"{log.where}: {count}, nothing can be learnt from it; mend the log, "
            "or see --drop-nonfinite and --action-box"
        )
    return understand(log, reading)
