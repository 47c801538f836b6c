"""CSV and Parquet tables: one transition per line."""

import csv
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from road.data.dataset import FLAGS, Finding
from road.data.formats import need
from road.data.log import ALIASES, REQUIRED, Log, make_log
from road.data.memory import check_declared, check_memory
from road.errors import DataError, UsageError

Columns: TypeAlias = Mapping[str, Sequence[str]]
"""Columns of each array; ``episode`` names one that changes where an episode begins."""

EPISODE = ("episode", "episode_id", "trajectory", "trajectory_id")
TRUE, FALSE = {"1", "1.0", "true", "t", "yes"}, {"0", "0.0", "false", "f", "no", ""}


def read_csv(path: Path, columns: Columns | None) -> Log:
    """A table whose first line names its columns, between commas, semicolons or tabs."""
    where = str(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            first = file.readline()
        delimiter = max(",;\t", key=first.count)
        header = [name.strip() for name in next(csv.reader([first], delimiter=delimiter))]
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{where}: not a CSV table in UTF-8 ({error})") from error
    check_memory(where, 8 * path.stat().st_size)
    chosen = choose_columns(where, header, columns)
    return table_log(
        where,
        {name: csv_array(path, header, delimiter, name, chosen[name]) for name in chosen},
    )


def csv_array(
    path: Path, header: list[str], delimiter: str, name: str, columns: Sequence[str]
) -> NDArray[Any]:
    load = partial(
        np.loadtxt, path, np.str_ if name in (*FLAGS, "episode") else np.float64,
        delimiter=delimiter, skiprows=1, usecols=[header.index(column) for column in columns],
        comments=None, quotechar='"', ndmin=2, encoding="utf-8-sig",
    )  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # no rows: refused with the others
            try:
                table: NDArray[Any] = load()
            except ValueError as error:
                if "string ''" not in str(error):
                    raise
                table = load(converters=number_or_nan)  # slow, so only where it is needed
    except ValueError as error:
        raise DataError(f"{path}: {name}: {explain(str(error), header)}") from error
    return parse_flags(f"{path}: {name}", table[:, 0]) if name in FLAGS else table


def number_or_nan(cell: str) -> float:
    """An empty cell is how most programs write NaN."""
    return float(cell.strip() or "nan")


def explain(message: str, header: Sequence[str]) -> str:
    """What NumPy says about a table, in rows that count from 0 after the header."""
    short = re.search(r"invalid column index \d+ at row (\d+) with (\d+) columns", message)
    if short:  # here it counts from 1
        return f"row {int(short[1]) - 1} has {short[2]} columns only"
    named = re.sub(r"column (\d+)", lambda at: f"column {header[int(at[1]) - 1]!r}", message)
    return " ".join(named.split()).rstrip(".")


def parse_flags(where: str, words: NDArray[Any]) -> NDArray[np.bool_]:
    plain = np.char.lower(np.char.strip(words))
    true = np.isin(plain, list(TRUE))
    strange = np.flatnonzero(~true & ~np.isin(plain, list(FALSE)))
    if strange.size:
        row = int(strange[0])
        raise DataError(f"{where} holds {str(words[row])!r} at row {row}; write 0 or 1")
    return true


def read_parquet(path: Path, columns: Columns | None) -> Log:
    """A Parquet table; a column may hold a number or a list of fixed length per row."""
    parquet = need("pyarrow.parquet", "tables", "reading Parquet")
    pa = need("pyarrow", "tables", "reading Parquet")
    where = str(path)
    try:
        with parquet.ParquetFile(path) as file:
            groups = range(file.metadata.num_row_groups)
            declared = sum(file.metadata.row_group(group).total_byte_size for group in groups)
            check_declared(where, declared, path.stat().st_size)
            check_memory(where, declared)
            chosen = choose_columns(where, file.schema_arrow.names, columns)
            table = file.read([column for each in chosen.values() for column in each])
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{where}: damaged ({' '.join(str(error).split())[:120]})") from error
    arrays = {
        name: np.column_stack([parquet_column(where, table, column) for column in each])
        for name, each in chosen.items()
    }
    return table_log(where, arrays)


def parquet_column(where: str, table: Any, column: str) -> NDArray[Any]:
    """(rows, 1), or (rows, n) of a column of lists."""
    import pyarrow as pa

    values = table.column(column).combine_chunks()
    if values.null_count:
        row = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
        raise DataError(f"{where}: {column} is empty at row {row}; fill it or leave the row out")
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if any(is_kind(values.type) for is_kind in kinds):
        compute = need("pyarrow.compute", "tables", "reading Parquet")
        lengths = compute.list_value_length(values).to_numpy(zero_copy_only=False)
        if not len(lengths):
            return np.empty((0, 1))
        if (lengths != lengths[0]).any():
            row = int(np.argmax(lengths != lengths[0]))
            raise DataError(f"{where}: {column} holds {lengths[row]} numbers at row {row}, "
                            f"{lengths[0]} at row 0")  # fmt: skip
        return values.flatten().to_numpy(zero_copy_only=False).reshape(len(values), -1)
    return values.to_numpy(zero_copy_only=False)[:, None]


def table_log(where: str, arrays: Mapping[str, NDArray[Any]]) -> Log:
    """A log of the columns; where the episode's name changes, the row before is its last."""
    named = {name: array for name, array in arrays.items() if name != "episode"}
    if "episode" not in arrays:
        return make_log(where, named)
    log = make_log(where, {"truncated": np.zeros(len(named["reward"]), np.bool_), **named})
    episode = arrays["episode"].reshape(-1)
    last = np.append(episode[1:] != episode[:-1], True)
    log.truncated |= last & ~log.terminated
    log.notes += find_interrupted(episode, last)
    return log


def find_interrupted(episode: NDArray[Any], last: NDArray[np.bool_]) -> Iterator[Finding]:
    """A warning where the rows of one episode are not contiguous."""
    begins = np.flatnonzero(np.append(True, last[:-1]))
    _, first = np.unique(episode[begins], return_index=True)
    if len(first) < len(begins):
        text = "an episode's name comes back after another's: if it is the same, sort the table"
        again = np.delete(begins, first)[0]
        yield Finding("warning", text, int(again))


def choose_columns(
    where: str, header: Sequence[str], given: Columns | None
) -> dict[str, list[str]]:
    """The mapping that was given, or what the names of the columns suggest."""
    chosen = (
        guess_columns(header)
        if given is None
        else {name: list(each) for name, each in given.items()}
    )
    unknown = [name for name in chosen if name not in (*ALIASES, "episode")]
    if unknown:
        raise UsageError(f"columns: {unknown[0]!r} is none of {', '.join((*ALIASES, 'episode'))}")
    absent = [column for each in chosen.values() for column in each if column not in header]
    if absent:
        raise DataError(f"{where}: there is no column {absent[0]!r}; it has {list_columns(header)}")
    twice = [column for each in chosen.values() for column in each if header.count(column) > 1]
    if twice:
        raise DataError(f"{where}: two columns are called {twice[0]!r}; rename one of them")
    missing = [name for name in REQUIRED if not chosen.get(name)]
    if missing:
        raise DataError(
            f"{where}: no column for {missing[0]} among {list_columns(header)}; "
            f"say which, as in --columns {missing[0]}=A,B"
        )
    return chosen


def list_columns(header: Sequence[str]) -> str:
    return ", ".join(header)[:160] or "no columns"


def guess_columns(header: Sequence[str]) -> dict[str, list[str]]:
    """``obs_3`` or ``observations.3`` is one column of several, ``reward`` is one by itself."""
    found = {name: numbered_columns(header, aliases) for name, aliases in ALIASES.items()}
    found["episode"] = [column for column in header if column in EPISODE][:1]
    return {name: columns for name, columns in found.items() if columns}


def numbered_columns(header: Sequence[str], aliases: Sequence[str]) -> list[str]:
    for alias in aliases:
        if alias in header:
            return [alias]
        matches = [re.fullmatch(rf"{alias}[_.\[]?(\d+)\]?", column) for column in header]
        if found := [match for match in matches if match]:
            return in_order(alias, [(int(match[1]), match[0]) for match in found])
    return []


def in_order(alias: str, found: list[tuple[int, str]]) -> list[str]:
    """The columns of an array by their number."""
    ranked = sorted(found)
    for (number, one), (other, two) in pairwise(ranked):
        if number == other:
            raise UsageError(
                f"columns {one!r} and {two!r} are both number {number} of {alias}; say which are "
                "meant with --columns"
            )
    return [column for _, column in ranked]
