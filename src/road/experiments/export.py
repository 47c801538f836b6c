"""What came of a grid as tidy tables: a row per cell, and a row per cell and evaluation."""

import csv
import io
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from road.experiments.store import Store
from road.files import write_bytes, write_text
from road.mixing.informedness import Informedness
from road.records.journal import read_rows

Row = dict[str, Any]
EXTRA = "pyarrow"
RESULT = ("summary", "area", "seconds", "cpu_seconds", "digest")
"""What a cell leaves in ``done``."""


def cell_rows(store: Store, cells: list[Row]) -> list[Row]:
    """Every cell that is done: where it stands, and its result in numbers."""
    return [
        {**placed(cell), **numbers_of(store.result(cell["key"], *RESULT))}
        for cell in cells
        if store.is_done(cell["key"])
    ]


def placed(cell: Row) -> Row:
    """A cell's place, the setting of its family in columns of their own."""
    setting = cell.get("setting")
    if setting is None:
        return cell
    place = {name: value for name, value in cell.items() if name != "setting"}
    named = {name: setting[name] for name in ("family", "knob")}
    return {**place, **named, "knob_value": setting["value"]}


def numbers_of(result: Row) -> Row:
    summary = result["summary"]
    dip, informed = summary["dip"] or {}, judgement(summary["informedness"])
    return {
        "agent": summary["agent"],
        "mixer": summary["mixer"],
        "pretrained": summary["pretrained"],
        "final": summary["final"],
        "area": result["area"],
        "best": summary["best"],
        "dip_depth": dip.get("depth"),
        "dip_area": dip.get("area"),
        "steps_to_recover": dip.get("steps_to_recover"),
        "mean_realised_ratio": summary["mean_realised_ratio"],
        "periods": summary["periods"],
        **{f"informedness_{name}": value for name, value in flat(informed)},
        "seconds": result["seconds"],
        "cpu_seconds": result["cpu_seconds"],
        "digest": result["digest"],
    }


def judgement(row: Row | None) -> Row:
    """A judgement as it is kept, and what follows from it."""
    if row is None:
        return {}
    # JSON has no tuples.
    kept: Row = {n: tuple(v) if isinstance(v, list) else v for n, v in row.items()}
    found = Informedness(**kept)
    more = ("beyond_equal", "detrended_epsilon_squared")
    return {**row, **{name: getattr(found, name) for name in more}}


def flat(informed: Row) -> Iterable[tuple[str, Any]]:
    """The numbers and words of a judgement; its lists stay in ``done``."""
    return ((n, v) for n, v in informed.items() if isinstance(v, str | int | float | None))


def evaluation_rows(store: Store, cells: list[Row]) -> list[Row]:
    """Every evaluation of every cell that is done."""
    return [
        {**placed(cell), **row}
        for cell in cells
        if store.is_done(cell["key"])
        for row in read_rows(store.run(cell["key"]) / "evaluations.jsonl")
    ]


def write_tidy(store: Store, cells: list[Row], out: Path) -> list[Path]:
    """Both tables of those cells as CSV, and as Parquet if that can be written."""
    written: list[Path] = []
    tables = {"cells": cell_rows(store, cells), "evaluations": evaluation_rows(store, cells)}
    for name, rows in tables.items():
        written.append(write_csv(out / f"{name}.csv", rows))
        if has_parquet():
            written.append(write_parquet(out / f"{name}.parquet", rows))
    return written


def has_parquet() -> bool:
    return find_spec(EXTRA) is not None


def columns_of(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def write_csv(path: Path, rows: list[Row]) -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns_of(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: escape_formula(value) for name, value in row.items()} for row in rows)
    return write_text(path, text.getvalue())


def escape_formula(value: Any) -> Any:
    """A spreadsheet would run a text that begins like a formula."""
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@"))
    return f"'{value}" if formula else value


def write_parquet(path: Path, rows: list[Row]) -> Path:
    import pyarrow
    from pyarrow import parquet

    columns = {name: [row.get(name) for row in rows] for name in columns_of(rows)}
    content = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), content)
    return write_bytes(path, content.getvalue())
