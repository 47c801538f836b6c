"""The cells of a published grid as one CSV, and what its findings need, read back from it.

Beside the columns of ``road grid report`` a cell has those that its findings are made from: the
kind of its mixer, its ratio if that is constant, how often each ratio was used, and what each
constant ratio adds to the credits of the run.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from road.cli.grid.report import gather, paper_results
from road.experiments.export import cell_rows, write_csv
from road.experiments.export import placed as placed_cell
from road.experiments.store import Store
from road.mixing.informedness import Informedness
from road.report.grid.answers import answers_of
from road.report.grid.findings import findings
from road.report.grid.placed import Axes, KnobSetting, informed_runs, seed_notes
from road.report.grid.results import GridResults
from road.report.grid.runs import JUDGED_BY, Measure
from road.statistics import ScoreTable

Row = dict[str, Any]
JUDGEMENT = "informedness_"
STATISTICS = ("f", "p", "eta_squared", "detrended_f", "detrended_p", "detrended_eta_squared")
"""Of a judgement, those that may be undefined."""


def write_cells(store: Store, cells: list[Row], path: Path) -> GridResults:
    """Write every cell that was asked for, empty where it is not finished."""
    results = gather(store, cells, None, "")
    known = {row["key"]: row for row in cell_rows(store, cells)}
    rows = [
        {**placed_cell(cell), **known.get(cell["key"], {}), **extra_columns(store, cell, results)}
        for cell in cells
    ]
    write_csv(path, rows)
    return results


def own_notes(results: GridResults) -> list[str]:
    """Those that depend on more than the number of seeds: versions and failures."""
    table = results.table
    axes = Axes(table.tasks, table.methods, table.seeds)
    usual = set(seed_notes(axes, constants=bool(results.fixed)))
    return [note for note in results.notes if note not in usual]


def extra_columns(store: Store, cell: Row, results: GridResults) -> Row:
    method = results.table.method(cell["strategy"])
    seed = results.table.seeds.index(cell["seed"])
    kind = next((kind for kind, members in results.kinds.items() if method in members), None)
    constants = dict(zip(results.fixed, results.constants, strict=True))
    credits = results.credits[cell["case"]][method, seed]
    return {
        "kind": kind,
        "constant": constants.get(method),
        **along_a_knob(cell, results, method, seed),
        **usage(store, cell["key"]),
        **{
            credit_column(constant): None if np.isnan(credit) else float(credit)
            for constant, credit in zip(results.constants, credits, strict=True)
        },
    }


def along_a_knob(cell: Row, results: GridResults, method: int, seed: int) -> Row:
    """What figures along a knob need beside its value: where it is identical, the ratio used."""
    if cell.get("setting") is None:
        return {}
    used = results.ratios[cell["case"]][method, seed]
    known = used[np.isfinite(used)]
    mean = float(known.mean()) if known.size else None
    return {"knob_identical": cell["setting"]["identical"], "ratio_used": mean}


def usage(store: Store, key: str) -> Row:
    """Which ratios were used, and in how many periods each."""
    judged = store.result(key, "summary")["summary"]["informedness"] if store.is_done(key) else None
    lists = judged or {"ratios": [], "counts": []}
    return {name: " ".join(map(str, lists[name])) for name in ("ratios", "counts")}


def credit_column(constant: float) -> str:
    return f"credit_of_{constant:g}"


def read_cells(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def findings_of(
    rows: Sequence[Row], about: Row, measure: Measure = "final", without: Sequence[str] = ()
) -> str:
    """The findings of ``road grid report``, from the table alone."""
    asked = {str(seed) for seed in about["seeds"]}
    kept = [row for row in rows if row["seed"] in asked and row["case"] not in without]
    results = results_of_cells(kept, about, measure)
    return findings(results, answers_of(results))


def results_of_cells(rows: Sequence[Row], about: Row, measure: Measure) -> GridResults:
    axes = Axes(
        tuple(dict.fromkeys(row["case"] for row in rows)),
        tuple(dict.fromkeys(row["strategy"] for row in rows)),
        tuple(sorted({int(row["seed"]) for row in rows})),
    )
    kinds = kinds_of_cells(rows, axes)
    fixed = kinds.get("fixed", ())
    ratios = {row["strategy"]: number(row["constant"]) for row in rows if row["constant"]}
    constants = tuple(ratios[axes.methods[index]] for index in fixed)
    credits = placed(rows, axes, [credit_column(constant) for constant in constants])
    return GridResults(
        title="",
        table=ScoreTable(
            axes.tasks, axes.methods, axes.seeds, placed(rows, axes, [measure])[..., 0]
        ),
        judged_by=JUDGED_BY[measure],
        fixed=fixed,
        kinds=kinds,
        subject=about["subject"],
        paper=paper_results(about["grid"], axes) if measure == "final" else None,
        informed=tuple(informed_of_cells(rows, axes)),
        constants=constants,
        credits=dict(zip(axes.tasks, credits, strict=True)),
        **families_of_cells(rows, axes),
        notes=(*about["notes"], *seed_notes(axes, constants=bool(fixed))),
    )


def families_of_cells(rows: Sequence[Row], axes: Axes) -> Row:
    """Knobs, mean scores over the phase and ratios, of the tasks that belong to a family."""
    knobs = {
        row["case"]: KnobSetting(
            row["family"], row["knob"], float(row["knob_value"]), float(row["knob_identical"])
        )
        for row in rows
        if row.get("family")
    }
    if not knobs:
        return {}
    found = placed(rows, axes, ["area", "ratio_used"])
    areas, ratios = found[..., 0], found[..., 1:]
    return {
        "knobs": knobs,
        "areas": dict(zip(axes.tasks, areas, strict=True)),
        "ratios": dict(zip(axes.tasks, ratios, strict=True)),
    }


def kinds_of_cells(rows: Sequence[Row], axes: Axes) -> dict[str, tuple[int, ...]]:
    """The methods of each kind of mixer, in the order of the grid."""
    kinds = {row["strategy"]: row["kind"] for row in rows if row["kind"]}
    known = dict.fromkeys(kinds[method] for method in axes.methods if method in kinds)
    return {
        kind: tuple(at for at, method in enumerate(axes.methods) if kinds.get(method) == kind)
        for kind in known
    }


def placed(rows: Sequence[Row], axes: Axes, columns: Sequence[str]) -> np.ndarray:
    """``[task, method, seed, column]``; NaN where a cell has no number."""
    found = np.full((*map(len, vars(axes).values()), len(columns)), np.nan)
    for row in rows:
        at = (
            axes.tasks.index(row["case"]),
            axes.methods.index(row["strategy"]),
            axes.seeds.index(int(row["seed"])),
        )
        found[at] = [number(row[column]) for column in columns]
    return found


def number(text: str) -> float:
    return float(text) if text else float("nan")


def informed_of_cells(rows: Sequence[Row], axes: Axes) -> Iterable[Any]:
    for method in axes.methods:
        judged = [judgement(row) for row in rows if row["strategy"] == method and row["ratios"]]
        yield from informed_runs(method, judged)


def judgement(row: Row) -> Informedness:
    counts = tuple(map(int, row["counts"].split()))
    statistics = {name: row[f"{JUDGEMENT}{name}"] for name in STATISTICS}
    return Informedness(
        ratios=tuple(map(float, row["ratios"].split())),
        counts=counts,
        shares=tuple(count / sum(counts) for count in counts),
        imbalance=float(row[f"{JUDGEMENT}imbalance"]),
        sentence=row[f"{JUDGEMENT}sentence"],
        **{name: float(text) if text else None for name, text in statistics.items()},
    )
