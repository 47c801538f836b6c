"""CSV tables: the first line names the columns, between commas, semicolons or tabs.

Names of episodes and flags are turned into numbers as they are read: kept as text, one long cell
would make every cell as long. So memory and time are in proportion to the file.
"""

import csv
import re
import warnings
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import FLAGS
from road.data.formats.columns import Columns, choose_columns
from road.data.formats.tables import shown, table_log, truth_of
from road.data.log import Log
from road.data.memory import check_memory
from road.errors import DataError

MOST_LINE = 2**20
"""Characters of the first two lines, which tell the columns."""
EXPANSION = 8
"""Bytes of memory for a byte of text: two characters can be a number of eight bytes, twice."""

Converters: TypeAlias = Mapping[int | str, Callable[[str], float]]


def read_csv(path: Path, columns: Columns | None) -> Log:
    """A table of numbers; a cell may also be a list in brackets, as pandas writes it."""
    where = str(path)
    header, first, delimiter = read_head(path)
    check_memory(where, EXPANSION * path.stat().st_size)
    chosen = choose_columns(where, header, columns)
    places = {name: place for place, name in enumerate(header)}
    arrays: dict[str, NDArray[Any]] = {}
    for name, each in chosen.items():
        at = [places[column] for column in each]
        lists = any(
            first[place : place + 1][0].startswith("[") for place in at if place < len(first)
        )
        read = read_lists if lists else read_numbers
        arrays[name] = read(path, header, delimiter, name, at)
    return table_log(where, arrays)


def read_head(path: Path) -> tuple[list[str], list[str], str]:
    """The names of the columns, the cells of the first row, and what separates them."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [file.readline(MOST_LINE) for _ in range(2)]
        if max(map(len, lines)) >= MOST_LINE:
            raise DataError(
                f"{path}: a line has more than {MOST_LINE:,} characters; a table of transitions "
                "has a row per step and a column per number"
            )
        delimiter = max(",;\t", key=lines[0].count)
        # An empty line has no cells.
        header, first = [next(csv.reader([line], delimiter=delimiter), []) for line in lines]
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: not a CSV table in UTF-8 ({error})") from error
    return [name.strip() for name in header], [cell.strip() for cell in first], delimiter


def read_numbers(
    path: Path, header: Sequence[str], delimiter: str, name: str, at: Sequence[int]
) -> NDArray[Any]:
    """The columns of one array, (rows, columns)."""
    special = converters(f"{path}: {name}", name, at[0])
    load = partial(
        np.loadtxt, path, np.float64, delimiter=delimiter, skiprows=1, usecols=at,
        comments=None, quotechar='"', ndmin=2, encoding="utf-8-sig",
    )  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # no rows: refused with the others
            try:
                table: NDArray[Any] = load(converters=special)
            except ValueError as error:
                if special is not None or "string ''" not in str(error):
                    raise
                table = load(converters=number_or_nan)  # slow, so only where it is needed
    except ValueError as error:
        if isinstance(error.__cause__, DataError):  # from one of the converters
            raise error.__cause__ from None
        raise DataError(f"{path}: {name}: {explain(str(error), header)}") from error
    return table[:, 0] == 1 if name in FLAGS else table


def converters(where: str, name: str, column: int) -> Converters | None:
    """How the cells of a column that is not of numbers become numbers."""
    if name == "episode":
        numbers: dict[str, int] = {}
        return {column: lambda cell: float(numbers.setdefault(cell.strip(), len(numbers)))}
    if name not in FLAGS:
        return None
    rows = count()

    def flag(cell: str) -> float:
        row, value = next(rows), truth_of(cell)
        if value < 0:
            raise DataError(f"{where} holds {shown(cell)} at row {row}; write 0 or 1")
        return value

    return {column: flag}


def number_or_nan(cell: str) -> float:
    """An empty cell is how most programs write NaN."""
    return float(cell.strip() or "nan")


def explain(message: str, header: Sequence[str]) -> str:
    """What NumPy says about a table, in rows that count from 0 after the header."""
    short = re.search(r"invalid column index \d+ at row (\d+) with (\d+) columns", message)
    if short:  # here it counts from 1
        return f"row {int(short[1]) - 1} has {short[2]} columns only"
    named = re.sub(r"column (\d+)", lambda at: f"column {header[int(at[1]) - 1]!r}", message)
    plain = re.sub(r"'([^']{60})[^']*'", r"'\1…'", " ".join(named.split()))
    return plain.rstrip(".")[:240]


def read_lists(
    path: Path, header: Sequence[str], delimiter: str, name: str, at: Sequence[int]
) -> NDArray[np.float64]:
    """The same where cells are lists of numbers, all of one length."""
    values, width = array("d"), 0
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file, delimiter=delimiter)
            next(rows)
            for row, cells in enumerate(rows):
                before = len(values)
                for place in at:
                    values.extend(numbers_of(path, header[place], row, cells[place : place + 1]))
                width = len(values) if row == 0 else width
                if len(values) - before != width:
                    raise DataError(
                        f"{path}: {name}: {len(values) - before} numbers at row {row}, "
                        f"{width} at row 0"
                    )
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: {name}: {error}") from error
    return np.frombuffer(values).reshape(-1, max(width, 1))


def numbers_of(path: Path, column: str, row: int, cell: Sequence[str]) -> list[float]:
    """The numbers of a cell such as ``[0.1, 0.2]``."""
    words = cell[0].strip().strip("[]").replace(",", " ").split() if cell else []
    try:
        return [float(word) for word in words]
    except ValueError:
        raise DataError(
            f"{path}: column {column!r} holds {shown(cell[0])} at row {row}, not numbers"
        ) from None
