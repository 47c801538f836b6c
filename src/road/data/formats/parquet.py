"""Parquet tables from untrusted sources: numbers only, read in pieces, checksums compared.

A few kilobytes can describe a billion equal rows. What is asked for is counted before it is read,
by what the file says about itself, and once more while it is read.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.formats import need
from road.data.formats.columns import Columns, choose_columns
from road.data.formats.parquet_footer import count_values
from road.data.formats.tables import table_log
from road.data.log import Log
from road.data.memory import BLOCK, check_declared, check_memory
from road.errors import DataError

BYTES = 8
"""Of a number as it is decoded."""


def read_parquet(path: Path, columns: Columns | None) -> Log:
    """A Parquet table; a column may hold a number or a list of fixed length per row."""
    with open_parquet(path) as file:
        chosen = choose_columns(str(path), file.schema_arrow.names, columns)
        arrays = read_columns(path, file, chosen)
    return table_log(str(path), arrays)


@contextmanager
def open_parquet(path: Path) -> Generator[Any]:
    """The file; what Arrow cannot read becomes one line."""
    parquet = need("pyarrow.parquet", "tables", "reading Parquet")
    pa = need("pyarrow", "tables", "reading Parquet")
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        text = " ".join(str(error).split())[:120]
        raise DataError(f"{path}: damaged ({text}); get it again") from error


def read_columns(
    path: Path, file: Any, chosen: Mapping[str, Sequence[str]]
) -> dict[str, NDArray[Any]]:
    """The arrays, each of the columns that are chosen for it, side by side."""
    wanted = list(dict.fromkeys(column for each in chosen.values() for column in each))
    for column in wanted:
        check_kind(f"{path}: {column}", file.schema_arrow.field(column).type, chosen, column)
    counts = count_values(path)
    declared = BYTES * sum(counts[column] for column in wanted)
    stored = path.stat().st_size
    check_declared(str(path), declared, stored)
    check_memory(str(path), declared)
    parts: dict[str, list[NDArray[Any]]] = {column: [] for column in wanted}
    rows = held = 0
    for batch in file.iter_batches(BLOCK, columns=wanted, use_threads=False):
        for column in wanted:
            values = convert_column(str(path), batch.column(column), column, rows)
            held += values.nbytes if values.dtype != object else BYTES * values.size
            parts[column].append(values)
        check_declared(str(path), held, stored)
        rows += batch.num_rows
    joined = {column: join(str(path), column, parts[column]) for column in wanted}
    return {
        name: np.concatenate([joined[column] for column in each], axis=1)
        for name, each in chosen.items()
    }


def check_kind(where: str, kind: Any, chosen: Mapping[str, Sequence[str]], column: str) -> None:
    """Whether a column holds numbers, or lists of them; an episode may have any name."""
    pa = need("pyarrow", "tables", "reading Parquet")
    is_name = column in chosen.get("episode", ())
    value = kind.value_type if is_list(kind) else kind
    types = pa.types
    numeric = types.is_integer(value) or types.is_floating(value) or types.is_boolean(value)
    named = is_name and (
        types.is_string(value) or types.is_large_string(value) or types.is_dictionary(value)
        or types.is_date(value) or types.is_timestamp(value)
    )  # fmt: skip
    if not (numeric or named) or (is_name and value is not kind):
        raise DataError(
            f"{where} holds {str(kind)[:60]}, not numbers; save it as float32, or leave it out "
            "with --columns"
        )


def is_list(kind: Any) -> bool:
    types = need("pyarrow", "tables", "reading Parquet").types
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def convert_column(where: str, values: Any, column: str, above: int) -> NDArray[Any]:
    """(rows, 1), or (rows, n) of a column of lists; ``above`` is how many rows come before."""
    if values.null_count:
        row = above + int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
        raise DataError(f"{where}: {column} is empty at row {row}; fill it or leave the row out")
    if not is_list(values.type):
        pa = need("pyarrow", "tables", "reading Parquet")
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        return values.to_numpy(zero_copy_only=False)[:, None]
    compute = need("pyarrow.compute", "tables", "reading Parquet")
    lengths = compute.list_value_length(values).to_numpy(zero_copy_only=False)
    if not len(lengths):
        return np.empty((0, 1))
    if (lengths != lengths[0]).any():
        row = int(np.argmax(lengths != lengths[0]))
        raise ragged(where, column, (int(lengths[row]), above + row), int(lengths[0]))
    return values.flatten().to_numpy(zero_copy_only=False).reshape(len(values), -1)


def ragged(where: str, column: str, odd: tuple[int, int], usual: int) -> DataError:
    return DataError(f"{where}: {column} holds {odd[0]} numbers at row {odd[1]}, {usual} at row 0")


def join(where: str, column: str, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """All rows of a column; a list of another length may begin with a batch."""
    if not parts:
        return np.empty((0, 1))
    starts = np.cumsum([0, *(len(part) for part in parts)])
    for part, start in zip(parts, starts.tolist(), strict=False):
        if part.shape[1] != parts[0].shape[1]:
            raise ragged(where, column, (part.shape[1], start), parts[0].shape[1])
    return np.concatenate(parts)
