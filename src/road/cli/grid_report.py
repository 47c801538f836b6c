"""``road grid report``: what came of a grid: tidy tables, one like the paper's, and a page."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from road.cli.flags import parse_flags
from road.errors import UsageError

if TYPE_CHECKING:
    from road.experiments.store import Store
    from road.report.grid_results import GridResults
    from road.report.grid_tables import Results


@dataclass(frozen=True)
class GridReport:
    """Write tidy tables (CSV, Parquet), results.md, results.tex, findings.md and report.html."""

    grid: Annotated[str, tyro.conf.Positional]
    """The grid that was run, or its folder."""
    scale: Literal["mini", "paper"] = "mini"
    """Of the grid that was run."""
    out: Path | None = None
    """Its folder, if it was given one."""
    to: Path | None = None
    """Where to write; by default the grid's own folder."""
    subject: str = "ROAD"
    """The strategy that the page is about."""


def run(words: list[str]) -> int:
    flags = parse_flags(GridReport, words, "grid report")
    from road.experiments.finding import find_folder
    from road.experiments.store import Store
    from road.experiments.tidy import EXTRA, has_parquet, put, write_tidy
    from road.report.grid_answers import answers_of
    from road.report.grid_findings import findings
    from road.report.grid_page import write_grid_page
    from road.report.grid_tables import latex_table, markdown_table

    store = Store(find_folder(flags.grid, flags.scale, flags.out))
    results = gathered(store, flags.subject)
    target = flags.to or store.path
    target.mkdir(parents=True, exist_ok=True)
    written = write_tidy(store, target)
    for name, table in (("results.md", markdown_table), ("results.tex", latex_table)):
        put(target / name, table(results.cells, results.paper).encode())
        written.append(target / name)
    answers = answers_of(results)
    put(target / "findings.md", findings(results, answers).encode())
    written.append(target / "findings.md")
    written.append(write_grid_page(results, answers, target / "report.html"))
    sys.stdout.write((target / "results.md").read_text("utf-8"))
    sys.stdout.write("".join(f"{path}\n" for path in written))
    if not has_parquet():
        sys.stderr.write(f"note: no Parquet without the package {EXTRA} (the extra 'tables')\n")
    return 0


def gathered(store: "Store", subject: str) -> "GridResults":
    """Everything that is done, with the paper's numbers beside it where it has any."""
    from road.report import load_run
    from road.report.grid_runs import Axes, GridRun, results_of

    told = store.description()
    cells = told["cells"]
    runs = [
        GridRun(cell["case"], cell["strategy"], cell["seed"], load_run(folder))
        for cell in cells
        if store.is_done(cell["key"])
        for folder in [store.path / "runs" / cell["key"]]
    ]
    if not runs:
        raise UsageError(f"no cell of {store.path} is done yet")
    axes = Axes(
        tuple(dict.fromkeys(cell["case"] for cell in cells)),
        tuple(dict.fromkeys(cell["strategy"] for cell in cells)),
        tuple(sorted({cell["seed"] for cell in cells})),
    )
    title = f"{told['name']}, scale {told['scale']}"
    return results_of(runs, axes, title, told["command"], paper_results(told["name"]), subject)


def paper_results(name: str) -> "Results | None":
    from road.experiments.paper_tables import PAPER_TABLES
    from road.report.grid_tables import Results

    if name not in PAPER_TABLES:
        return None
    table = PAPER_TABLES[name]
    return Results(table.tasks, table.methods, table.means, table.deviations, table.fixed)
