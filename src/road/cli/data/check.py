"""``road data check``: the card of a dataset, and everything that is wrong with it."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.markup import escape

from road.cli.data.source import Fitting, ReadingFlags, fitting
from road.cli.flags import parse_flags
from road.data.card import make_card
from road.data.dataset import Dataset, Finding
from road.data.diagnostics import (
    beyond_limit,
    check_spaces,
    examine,
    log_faults,
    sorted_findings,
)
from road.data.interpret import Reading, interpret
from road.data.load import STORED, read_log, refuse_reading, split_source
from road.data.on_disk import open_verified
from road.errors import DataError
from road.report.dataset import write_dataset_page
from road.report.draw.format import plain
from road.terminal import printable

COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


@dataclass(frozen=True)
class Check:
    """Print what a dataset holds and everything that is wrong with it."""

    source: Annotated[str, tyro.conf.Positional]
    """file:PATH, d4rl:NAME, minari:ID or stored:FOLDER."""
    env: str | None = None
    """A task or a Gymnasium id: its spaces and its time limit are compared with the data, and its
    dynamics and rewards by steps that are sampled in it; a task also scores its returns."""
    out: Path | None = None
    """Where to write the same as an HTML page with plots."""
    json: bool = False
    """Print the card as JSON instead; of data that is none, its faults."""
    allow_import: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A module that may be imported for --env MODULE:ID: its code runs."""
    how: tyro.conf.OmitArgPrefixes[ReadingFlags] = field(default_factory=ReadingFlags)


def check_command(words: list[str]) -> int:
    flags = parse_flags(Check, words, "data check")
    fits = Fitting() if flags.env is None else fitting(flags.env, flags.allow_import)
    dataset = read_with_care(flags, flags.how.reading(fits.box))
    if fits.mend is not None:
        dataset = fits.mend(dataset)
    if fits.spaces is not None:
        check_spaces(dataset, *fits.spaces, where=str(flags.env))
    found, environment = compare_with(fits, dataset, str(flags.env))
    findings = sorted_findings([*examine(dataset).items, *found])
    card = make_card(dataset, flags.source, fits.score_range, findings, environment)
    if flags.json:
        sys.stdout.write(json.dumps(card) + "\n")
    else:
        print_card(card)
    if flags.out is not None:
        written = write_dataset_page(card, flags.out)
        (sys.stderr if flags.json else sys.stdout).write(f"page: {written}\n")
    return 0


def compare_with(
    fits: Fitting, dataset: Dataset, name: str
) -> tuple[list[Finding], dict[str, Any]]:
    """What the environment says about the data: its limit, and steps that are sampled in it."""
    if fits.make is None:
        return [], {}
    from road.data.compare import FEW_ROWS, compare
    from road.tasks.sampled import STEPS, sample_steps

    limits = [] if fits.limit is None else list(beyond_limit(dataset, fits.limit, name))
    few = len(dataset) < FEW_ROWS  # not worth the time
    found, numbers = compare(dataset, sample_steps(fits.make(), dataset, steps=1 if few else STEPS))
    return [*limits, *found], {"name": name, "limit": fits.limit, **numbers}


def read_with_care(flags: Check, reading: Reading) -> Dataset:
    """The dataset, or every fault for which it is none."""
    scheme, name = split_source(flags.source)
    if scheme == STORED:
        refuse_reading(reading, flags.how.selection)
        return open_verified(Path(name).expanduser())
    log = read_log(flags.source, flags.how.selection)
    faults = log_faults(log, reading)
    if faults:
        findings = [asdict(fault) for fault in faults]
        if flags.json:
            sys.stdout.write(json.dumps({"source": flags.source, "findings": findings}) + "\n")
        else:
            print_findings(findings, Console(highlight=False))
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise DataError(
            f"{log.where}: {count}, nothing can be learnt from it; mend the log, "
            "or see --drop-nonfinite and --action-box"
        )
    return interpret(log, reading)


def print_card(card: Mapping[str, Any]) -> None:
    """Its numbers, a bar for every range of returns, and every finding."""
    console = Console(highlight=False)
    for name, value in lines(card):
        # Never folded: a path that is cut in two cannot be copied.
        console.print(f"[dim]{name:10}[/]  {escape(printable(value))}", soft_wrap=True)
    print_findings(card["findings"], console)
    if not any(found["level"] in ("error", "warning") for found in card["findings"]):
        console.print("[green]nothing wrong was found[/]")


def print_findings(findings: Sequence[Mapping[str, Any]], console: Console) -> None:
    for found in findings:
        where = "" if found["row"] is None else f" (first: row {found['row']})"
        level = found["level"]
        said = escape(printable(f"{found['text']}{where}"))
        console.print(f"[{COLOURS[level]}]{level}:[/] {said}", soft_wrap=True)


def lines(card: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "source", str(card["source"])
    yield "rows", f"{card['rows']:,} in {card['episodes']:,} episodes"
    yield "spaces", f"{card['observations']} observations, {card['actions']} actions"
    yield "ends", f"{card['terminated']:,} terminated, {card['truncated']:,} cut"
    for name in ("return", "length", "reward"):
        yield name, spread(card[name])
    yield "", bars(card["return"]["histogram"])
    yield "reward ≠ 0", f"{card['reward_nonzero']:.1%} of the rows"
    columns = card["action_columns"]
    low, high = min(each["min"] for each in columns), max(each["max"] for each in columns)
    edge = f"{card['clipped_actions']:.1%} at the edge of the box"
    yield "action", f"{plain(low)} to {plain(high)}, {edge}"
    if card["score"] is not None:
        yield "score", spread(card["score"])


def spread(described: Mapping[str, Any]) -> str:
    low, middle, mean, high = (plain(described[name]) for name in ("min", "median", "mean", "max"))
    return f"{low} to {high}, mean {mean}, median {middle}"


def bars(histogram: Mapping[str, Any]) -> str:
    """The distribution of returns in one line."""
    marks = " ▁▂▃▄▅▆▇█"
    counts = histogram["counts"]
    most = max(*counts, 1)
    return "returns " + "".join(marks[-(-8 * count // most)] for count in counts)
