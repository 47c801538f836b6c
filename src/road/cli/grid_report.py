"""``road grid report``: what came of a grid: tidy tables, one like the paper's, and a page."""

import dataclasses
import hashlib
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import tyro

from road.cli.flags import parse_flags
from road.cli.grid_run import GridRun
from road.errors import StorageError, UsageError
from road.naming import find_name

if TYPE_CHECKING:
    from road.experiments.store import Store
    from road.report.grid_placed import Axes
    from road.report.grid_results import GridResults
    from road.report.grid_runs import Measure
    from road.report.grid_tables import Results

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


def run(words: list[str]) -> int:
    flags = parse_flags(GridReport, words, "grid report")
    from road.experiments.finding import find_folder
    from road.experiments.store import Store
    from road.experiments.tidy import EXTRA, has_parquet, put, write_tidy
    from road.report.grid_answers import answers_of
    from road.report.grid_figure import write_grid_figure
    from road.report.grid_findings import findings
    from road.report.grid_page import write_grid_page
    from road.report.grid_tables import latex_table, markdown_table

    store = Store(find_folder(flags.grid, flags.scale, flags.out))
    cells = part_of(store.description()["cells"], flags)
    again = same_again(flags, store.description()["command"])
    results = gathered(store, cells, flags.subject, again, flags.score)
    target = made(flags.to or store.path / usual_target(flags))
    written = write_tidy(store, cells, target)
    for name, table in (("results.md", markdown_table), ("results.tex", latex_table)):
        put(target / name, table(results.cells, results.paper).encode())
        written.append(target / name)
    answers = answers_of(results)
    put(target / "findings.md", findings(results, answers).encode())
    written.append(target / "findings.md")
    written.append(write_grid_figure(results, answers, target / "figure.svg"))
    written.append(write_grid_page(results, answers, target / "report.html"))
    sys.stdout.write((target / "results.md").read_text("utf-8"))
    sys.stdout.write("".join(f"{path}\n" for path in written))
    if not has_parquet():
        sys.stderr.write(f"note: no Parquet without the package {EXTRA} (the extra 'tables')\n")
    return 0


def usual_target(flags: GridReport) -> str:
    """Below the grid's folder: a part, or another view, must not take the place of the whole."""
    said = [str(word) for name in PARTS for word in getattr(flags, name)]
    said += [flags.subject] if flags.subject is not None else []
    said += [flags.score] if flags.score != "final" else []
    if not said:
        return "."
    readable = "-".join(re.findall(r"[\w.]+", " ".join(said)))[:60]
    asked = repr([getattr(flags, name) for name in (*PARTS, "subject", "score")])
    return f"parts/{readable}-{hashlib.sha256(asked.encode()).hexdigest()[:6]}"


def same_again(flags: GridReport, ran: str) -> str:
    """The command for this page, in the words of the one that ran the grid: folders move."""
    words = ["road", "grid", "report", *(grid_as_run(ran) or grid_as_asked(flags))]
    for name in PARTS:
        if asked := getattr(flags, name):
            words += [f"--{name}", *map(str, asked)]
    if flags.subject is not None:
        words += ["--subject", flags.subject]
    if flags.score != "final":
        words += ["--score", flags.score]
    return shlex.join(words)


def grid_as_run(command: str) -> list[str]:
    """The grid, its scale and folder, as it was begun with; nothing if that is unknown."""
    words = shlex.split(command.partition("\n")[0])
    if words[:3] != ["road", "grid", "run"]:
        return []
    try:
        asked = parse_flags(GridRun, words[3:], "grid run")
    except UsageError:  # of a version with other flags
        return []
    return [*scaled(asked), *(() if asked.out is None else ("--out", str(asked.out)))]


def grid_as_asked(flags: GridReport) -> list[str]:
    return scaled(dataclasses.replace(flags, grid=Path(flags.grid).name))


def scaled(asked: GridRun | GridReport) -> list[str]:
    return [asked.grid, *(() if asked.scale == "mini" else ("--scale", asked.scale))]


def part_of(cells: list[Row], flags: GridReport) -> list[Row]:
    """The cells that were asked for: all, where nothing was said."""
    for name, asked in (("case", flags.tasks), ("strategy", flags.mixers), ("seed", flags.seeds)):
        if asked:
            kept = {labelled(each, cells, name) for each in asked}
            cells = [cell for cell in cells if cell[name] in kept]
    return cells


def labelled(word: str | int, cells: list[Row], name: str) -> Any:
    """The label that was meant, whatever its case."""
    known = {str(cell[name]): cell[name] for cell in cells}
    meant = {label.lower(): label for label in known}.get(str(word).lower(), str(word))
    return find_name(meant, known, name)


def made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot write to {folder}: {error.strerror}") from error
    return folder


def gathered(
    store: "Store",
    cells: list[Row],
    subject: str | None,
    command: str,
    measure: "Measure" = "final",
) -> "GridResults":
    """What is done of those cells, with the paper's numbers beside it where it has any."""
    from road.experiments.finding import usual_subject
    from road.report import load_run
    from road.report.grid_placed import Axes, PlacedRun
    from road.report.grid_runs import results_of

    told = store.description()
    runs = [
        PlacedRun(
            cell["case"],
            cell["strategy"],
            cell["seed"],
            load_run(store.path / "runs" / cell["key"]),
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
    usual = told.get("subject") or usual_subject(told["name"], told["scale"])
    results = results_of(
        runs,
        axes,
        f"{told['name']}, scale {told['scale']}",
        f"{told['command']}\n{command}",
        paper_results(told["name"], axes),
        labelled(subject, cells, "strategy") if subject else usual,
        measure,
    )
    return dataclasses.replace(results, notes=(*results.notes, *failures(store, cells)))


def failures(store: "Store", cells: list[Row]) -> list[str]:
    """What was given up, and why: it is not merely missing."""
    failed = [(cell, why) for cell in cells if (why := store.failure(cell["key"])) is not None]
    told = [
        f"Failed: {cell['case']}, {cell['strategy']}, seed {cell['seed']}: {why}"
        for cell, why in failed[:MOST_FAILURES]
    ]
    left = len(failed) - len(told)
    return [*told, f"And {left} more failed: `road grid status` names them."] if left else told


def paper_results(name: str, axes: "Axes") -> "Results | None":
    """The paper's table of that name, if it shares a cell with ours."""
    import numpy as np

    from road.experiments.paper_tables import PAPER_TABLES
    from road.report.grid_tables import Results

    if name not in PAPER_TABLES:
        return None
    table = PAPER_TABLES[name]
    paper = Results(table.tasks, table.methods, table.means, table.deviations, table.fixed)
    shared = np.isfinite(paper.aligned(axes.tasks, axes.methods).means)
    return paper if shared.any() else None
