"""JSONL files read into columns of numbers, as far as they can be read.

A run may still be writing: a file may be missing, empty, or end in half a line. What is not a
number is NaN, and a line that is no JSON object is counted and skipped.
"""

import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from road.errors import StorageError

Floats = NDArray[np.float64]
Row = Mapping[str, object]

LARGEST = 1e100
"""Numbers beyond this are as good as infinite: nobody can draw them."""
MOST_COLUMNS = 200
PHASES = {"offline": 0.0, "online": 1.0}


@dataclass(frozen=True)
class Table:
    """Columns of numbers, all of one length."""

    columns: Mapping[str, Floats]
    length: int

    def __getitem__(self, name: str) -> Floats:
        """A column; NaN throughout if no row ever had it."""
        return self.columns.get(name, np.full(self.length, np.nan))

    def where(self, kept: NDArray[np.bool_]) -> "Table":
        columns = {name: column[kept] for name, column in self.columns.items()}
        return Table(columns, int(kept.sum()))

    def in_phase(self, phase: str) -> "Table":
        return self.where(self["phase"] == PHASES[phase])


class Journal:
    """The rows of a JSONL file, read while they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unreadable = 0
        """Lines read so far that are no JSON object, a torn last one not counted."""

    def __iter__(self) -> Iterator[Row]:
        self.unreadable = 0
        try:
            with self.path.open("rb") as lines:
                yield from self.rows(lines)
        except FileNotFoundError:
            return
        except OSError as failure:
            raise StorageError(f"cannot read {self.path}: {failure.strerror}") from failure

    def rows(self, lines: Iterable[bytes]) -> Iterator[Row]:
        for line in lines:
            row = parse(line)
            if row is not None:
                yield row
            elif line.endswith(b"\n") and line.strip():
                self.unreadable += 1


def parse(line: bytes) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("Row", row) if isinstance(row, dict) else None


def tabulate(rows: Iterable[Row]) -> Table:
    """Rows into columns: numbers, truth values and the phase; anything else is left out."""
    columns: dict[str, array[float]] = {}
    length = 0
    for row in rows:
        for name, value in row.items():
            if name in columns or (is_cell(value) and len(columns) < MOST_COLUMNS):
                column = columns.setdefault(name, array("d"))
                column.extend([math.nan] * (length - len(column)))
                # Most cells are floats; asking no function about them halves the time.
                column.append(value if type(value) is float else other_number(name, value))
        length += 1
    for column in columns.values():
        column.extend([math.nan] * (length - len(column)))
    return Table({name: finite(np.array(column)) for name, column in columns.items()}, length)


def finite(column: Floats) -> Floats:
    return np.where(np.abs(column) < LARGEST, column, np.nan)


def is_cell(value: object) -> bool:
    return isinstance(value, int | float | str)


def other_number(name: str, value: object) -> float:
    return PHASES.get(str(value), math.nan) if name == "phase" else number(value)


def number(value: object) -> float:
    """A finite number, or NaN for whatever else a file may hold."""
    if not isinstance(value, int | float) or not abs(value) < LARGEST:
        return math.nan
    return float(value)


def numbers(value: object) -> list[float]:
    """The same for a list; empty for what is none."""
    cells = cast("list[object]", value) if isinstance(value, list) else []
    return [number(cell) for cell in cells]
