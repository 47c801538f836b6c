"""CSV and Parquet tables: one transition per line."""

import csv
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.columns import Columns, choose_columns
from road.data.dataset import FLAGS
from road.data.extras import need
from road.data.limits import check_declared, check_memory
from road.data.log import Log, make_log
from road.errors import DataError

TRUE, FALSE = {"1", "1.0", "true", "t", "yes"}, {"0", "0.0", "false", "f", "no", ""}


def read_csv(path: Path, columns: Columns | None) -> Log:
    """A comma-separated table whose first line names its columns."""
    where = str(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header = [name.strip() for name in next(csv.reader(file))]
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{where}: not a CSV table in UTF-8 ({error})") from error
    check_memory(where, 8 * path.stat().st_size)
    chosen = choose_columns(where, header, columns)
    return table_log(where, {name: csv_array(path, header, name, chosen[name]) for name in chosen})


def csv_array(path: Path, header: list[str], name: str, columns: Sequence[str]) -> NDArray[Any]:
    places = [header.index(column) for column in columns]
    words = name in (*FLAGS, "episode")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # no rows: refused with the others
            table: NDArray[Any] = np.loadtxt(
                path, np.str_ if words else np.float64, delimiter=",", skiprows=1, usecols=places,
                comments=None, quotechar='"', ndmin=2, encoding="utf-8-sig",
            )  # fmt: skip
    except ValueError as error:
        raise DataError(f"{path}: {name}: {explain(str(error))}") from error
    return truth(f"{path}: {name}", table[:, 0]) if name in FLAGS else table


def explain(message: str) -> str:
    """What NumPy says about a table, in rows that count from 0 after the header."""
    short = re.search(r"invalid column index \d+ at row (\d+) with (\d+) columns", message)
    if short:  # here it counts from 1
        return f"row {int(short[1]) - 1} has {short[2]} columns only"
    return " ".join(message.split()).rstrip(".")


def truth(where: str, words: NDArray[Any]) -> NDArray[np.bool_]:
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
    if pa.types.is_list(values.type) or pa.types.is_fixed_size_list(values.type):
        lengths = np.asarray([len(each) for each in values])
        if len(set(lengths.tolist())) > 1:
            row = int(np.argmax(lengths != lengths[0]))
            raise DataError(f"{where}: {column} holds {lengths[row]} numbers at row {row}, "
                            f"{lengths[0]} at row 0")  # fmt: skip
        return values.flatten().to_numpy(zero_copy_only=False).reshape(len(values), -1)
    return values.to_numpy(zero_copy_only=False)[:, None]


def table_log(where: str, arrays: Mapping[str, NDArray[Any]]) -> Log:
    """A log of the columns; where the episode's name changes, the row before is its last."""
    named = {name: array for name, array in arrays.items() if name != "episode"}
    single = {
        name: a[:, 0] if name == "reward" and a.shape[1] == 1 else a for name, a in named.items()
    }
    log = make_log(where, single)
    if "episode" in arrays:
        episode = arrays["episode"].reshape(-1)
        last = np.append(episode[1:] != episode[:-1], True)
        log.truncated |= last & ~log.terminated
        log.notes = [note for note in log.notes if "marks where" not in note.text]
    return log
