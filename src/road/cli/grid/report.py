"""``road grid report``: what came of a grid: tidy tables, one like the paper's, and a page."""

import dataclasses
import re
import shlex
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import tyro

from road.cli.flags import parse_flags
from road.cli.grid.run import GridRun
from road.errors import UsageError
from road.experiments.export import EXTRA, has_parquet, write_tidy
from road.experiments.paper_tables import printed_table
from road.experiments.registry import find_folder, usual_subject
from road.experiments.store import Store
from road.files import hash_bytes, write_text
from road.names import find_name
from road.report import load_run
from road.report.grid.answers import answers_of
from road.report.grid.cells import Results
from road.report.grid.figure import write_grid_figure
from road.report.grid.findings import findings
from road.report.grid.page import write_grid_page
from road.report.grid.placed import Axes, KnobSetting, PlacedRun
from road.report.grid.results import GridResults
from road.report.grid.runs import Measure, results_of
from road.report.grid.tables import latex_table, markdown_table
from road.terminal import note, say

MOST_FAILURES = 5
PARTS = ("tasks", "mixers", "seeds")
Row: TypeAlias = dict[str, Any]
"""A cell as ``grid.json`` has it."""


@dataclass(frozen=True)
class GridReport:
    """Write tidy tables (CSV, Parquet), Markdown, LaTeX, findings, figure.svg and report.html."""

    grid: Annotated[str, tyro.conf.Positional]
    """The grid that was run, or its folder."""
    scale: Literal["mini", "paper"] = "mini"
    """Of the grid that was run."""
    out: Path | None = None
    """Its folder, if it was given one."""
    to: Path | None = None
    """Where to write; by default the grid's folder, or parts/ in it for a part or another view."""
    tasks: tuple[str, ...] = ()
    """Only these cases, by their labels."""
    mixers: tuple[str, ...] = ()
    """Only these strategies, by their labels."""
    seeds: tuple[int, ...] = ()
    """Only these seeds: what was chosen on some is judged on others."""
    subject: str | None = None
    """The strategy that the page is about; by default ROAD, with the paper's setting if there are
    several."""
    score: Literal["final", "area"] = "final"
    """What a run is judged by: its last evaluation, or its mean score over the online phase."""


def report_command(words: list[str]) -> int:
    flags = parse_flags(GridReport, words, "grid report")
    store = Store(find_folder(flags.grid, flags.scale, flags.out))
    cells = requested_cells(store.description()["cells"], flags)
    again = same_again(flags, store.description()["command"])
    results = gather(store, cells, flags.subject, again, flags.score)
    answers = answers_of(results)
    target = flags.to or store.path / usual_target(flags)
    table = markdown_table(results.cells, results.paper)
    written = [
        *write_tidy(store, cells, target),
        write_text(target / "results.md", table),
        write_text(target / "results.tex", latex_table(results.cells, results.paper)),
        write_text(target / "findings.md", findings(results, answers)),
        write_grid_figure(results, answers, target / "figure.svg"),
        write_grid_page(results, answers, target / "report.html"),
    ]
    say(table + "".join(f"{path}\n" for path in written))
    if not has_parquet():
        note(f"no Parquet without the package {EXTRA} (the extra 'tables')")
    return 0


def usual_target(flags: GridReport) -> str:
    """Below the grid's folder: a part, or another view, must not take the place of the whole."""
    said = requested_view(flags)
    if not said:
        return "."
    readable = "-".join(re.findall(r"[\w.]+", " ".join(chain(*said.values()))))[:60]
    asked = repr([getattr(flags, name) for name in (*PARTS, "subject", "score")])
    return f"parts/{readable}-{hash_bytes(asked.encode())[:6]}"


def same_again(flags: GridReport, ran: str) -> str:
    """The command for this page, in the words of the one that ran the grid: folders move."""
    moved = dataclasses.replace(flags, grid=Path(flags.grid).name)
    words = ["road", "grid", "report", *(grid_as_run(ran) or grid_words(moved))]
    for name, values in requested_view(flags).items():
        words += [f"--{name}", *values]
    return shlex.join(words)


def requested_view(flags: GridReport) -> dict[str, list[str]]:
    """The flags that make it another page than that of the whole grid."""
    usual = GridReport(flags.grid)
    chosen = {name: getattr(flags, name) for name in (*PARTS, "subject", "score")}
    return {
        name: [str(word) for word in (value if isinstance(value, tuple) else (value,))]
        for name, value in chosen.items()
        if value != getattr(usual, name)
    }


def grid_as_run(command: str) -> list[str]:
    """The grid, its scale and folder, as it was begun with; nothing if that is unknown."""
    words = shlex.split(command.partition("\n")[0])
    if words[:3] != ["road", "grid", "run"]:
        return []
    try:
        asked = parse_flags(GridRun, words[3:], "grid run")
    except UsageError:  # of a version with other flags
        return []
    return [*grid_words(asked), *(() if asked.out is None else ("--out", str(asked.out)))]


def grid_words(asked: GridRun | GridReport) -> list[str]:
    return [asked.grid, *(() if asked.scale == "mini" else ("--scale", asked.scale))]


def requested_cells(cells: list[Row], flags: GridReport) -> list[Row]:
    """The cells that were asked for: all, where nothing was said."""
    for name, asked in (("case", flags.tasks), ("strategy", flags.mixers), ("seed", flags.seeds)):
        if asked:
            kept = {find_label(each, cells, name) for each in asked}
            cells = [cell for cell in cells if cell[name] in kept]
    return cells


def find_label(word: str | int, cells: list[Row], name: str) -> Any:
    """The label that was meant, whatever its case."""
    known = {str(cell[name]): cell[name] for cell in cells}
    meant = {label.lower(): label for label in known}.get(str(word).lower(), str(word))
    return find_name(meant, known, name)


def gather(
    store: Store,
    cells: list[Row],
    subject: str | None,
    command: str,
    measure: Measure = "final",
) -> GridResults:
    """What is done of those cells, with the paper's numbers beside it where it has any."""
    about = store.description()
    runs = [
        PlacedRun(
            cell["case"],
            cell["strategy"],
            cell["seed"],
            load_run(store.run(cell["key"])),
            store.result(cell["key"], "area")["area"],
        )
        for cell in cells
        if store.is_done(cell["key"])
    ]
    if not runs:
        raise UsageError(f"no cell of {store.path} that was asked for is done yet")
    axes = Axes(
        tuple(dict.fromkeys(cell["case"] for cell in cells)),
        tuple(dict.fromkeys(cell["strategy"] for cell in cells)),
        tuple(sorted({cell["seed"] for cell in cells})),
    )
    usual = about.get("subject") or usual_subject(about["name"], about["scale"])
    results = results_of(
        runs,
        axes,
        f"{about['name']}, scale {about['scale']}",
        f"{about['command']}\n{command}",
        paper_results(about["name"], axes),
        find_label(subject, cells, "strategy") if subject else usual,
        measure,
    )
    return dataclasses.replace(
        results, notes=(*results.notes, *failures(store, cells)), knobs=knobs_of(cells)
    )


def knobs_of(cells: list[Row]) -> dict[str, KnobSetting]:
    """Where the cases of families along a knob belong."""
    return {cell["case"]: KnobSetting(**cell["setting"]) for cell in cells if cell.get("setting")}


def failures(store: Store, cells: list[Row]) -> list[str]:
    """What was given up, and why: it is not merely missing."""
    failed = [(cell, why) for cell in cells if (why := store.failure(cell["key"])) is not None]
    named = [
        f"Failed: {cell['case']}, {cell['strategy']}, seed {cell['seed']}: {why}"
        for cell, why in failed[:MOST_FAILURES]
    ]
    left = len(failed) - len(named)
    return [*named, f"And {left} more failed: `road grid status` names them."] if left else named


def paper_results(name: str, axes: Axes) -> Results | None:
    """The paper's table of that name, if it shares a cell with ours."""
    table = printed_table(name)
    if table is None:
        return None
    paper = Results(table.tasks, table.methods, table.means, table.deviations, table.fixed)
    shared = np.isfinite(paper.aligned(axes.tasks, axes.methods).means)
    return paper if shared.any() else None
