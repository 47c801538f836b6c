"""The JSONL files of a run: appended to row by row, and read back into columns of numbers.

Written, a row is one call of the system, and a file's length is part of the checkpoint. On resume a
file is cut back to the length that the checkpoint remembers, so a row is there exactly once however
often the run was killed, and a torn last line is gone.

Read, a file may be missing, empty, or end in half a line: the run may still be writing. What is not
a number is NaN, and a line that is no JSON object is counted and skipped.
"""

import hashlib
import json
import math
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from road.errors import DamagedError, StorageError
from road.files import storage_errors
from road.plain_files import open_plain, open_to_read, read_plain

Floats = NDArray[np.float64]
Row = Mapping[str, object]

JOURNALS = ("metrics", "episodes", "evaluations", "mixer")
"""What a run's files are called, without ``.jsonl``."""
UNKNOWN: Mapping[str, str] = MappingProxyType({})
"""Checksums of a run that has written none."""
PIECE = 2**20
"""Bytes that are read at once."""
LARGEST = 1e100
"""Numbers beyond this count as infinite: they cannot be drawn."""
MOST_COLUMNS = 200
PHASES = {"offline": 0.0, "online": 1.0}


class Journal:
    """The run's JSONL files, open for appending."""

    NAMES = JOURNALS

    def __init__(
        self, folder: Path, lengths: Mapping[str, int], digests: Mapping[str, str] = UNKNOWN
    ) -> None:
        self._files: dict[str, int] = {}
        self._lengths = {name: lengths.get(name, 0) for name in self.NAMES}
        self._hashes: dict[str, Any] = {}
        for name in self.NAMES:
            path = folder / f"{name}.jsonl"
            with storage_errors(f"write {path}"):
                self._files[name] = open_plain(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
                self._hashes[name] = self._committed(name)
            if (fault := self._fault(name, digests.get(name))) is not None:
                self.close()
                raise DamagedError(
                    f"{path} is damaged: {fault}; delete {folder} and start that run again"
                )
            with storage_errors(f"write {path}"):
                os.ftruncate(self._files[name], self._lengths[name])

    def _committed(self, name: str) -> Any:
        """A hash of the part that the checkpoint counts on, which goes on with every row."""
        found, at = hashlib.sha256(), 0
        while piece := os.pread(self._files[name], min(self._lengths[name] - at, PIECE), at):
            found.update(piece)
            at += len(piece)
        return found

    def _fault(self, name: str, digest: str | None) -> str | None:
        """What is wrong with that part."""
        there, counted = os.fstat(self._files[name]).st_size, self._lengths[name]
        if there < counted:
            return f"{there} of {counted} bytes are there"
        if digest is not None and self._hashes[name].hexdigest() != digest:
            return f"its first {counted} bytes are not those that were written"
        return None

    @property
    def lengths(self) -> dict[str, int]:
        return dict(self._lengths)

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of every file so far."""
        return {name: found.hexdigest() for name, found in self._hashes.items()}

    def append(self, name: str, row: dict[str, Any]) -> None:
        line = (json.dumps(row, allow_nan=False) + "\n").encode()
        with storage_errors(f"append to {name}.jsonl"):
            written = os.write(self._files[name], line)
            if written < len(line):
                raise OSError(f"only {written} of {len(line)} bytes were taken")
        self._lengths[name] += len(line)
        self._hashes[name].update(line)

    def sync(self) -> None:
        """Make everything so far durable; done before a checkpoint that counts on it."""
        for name, handle in self._files.items():
            with storage_errors(f"write {name}.jsonl"):
                os.fsync(handle)

    def close(self) -> None:
        for handle in self._files.values():
            os.close(handle)
        self._files = {}


class JournalReader:
    """The rows of a JSONL file, read while they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unreadable = 0
        """Lines read so far that are no JSON object, a torn last one not counted."""

    def __iter__(self) -> Iterator[Row]:
        self.unreadable = 0
        try:
            with open_to_read(self.path) as lines:
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


def read_rows(path: Path, *, growing: bool = False) -> list[dict[str, Any]]:
    """Every row of a file; one that is growing may be missing, or end in half a line.

    Raises:
        StorageError: it cannot be read, or one of its lines is not JSON.
    """
    if growing and not path.exists():
        return []
    try:
        lines = read_plain(path).splitlines(keepends=True)
        return [json.loads(line) for line in lines if not growing or line.endswith(b"\n")]
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot read {path}: {error}") from error


def parse(line: bytes) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("Row", row) if isinstance(row, dict) else None


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


def part_of(row: Row, key: str) -> Row:
    """An object in a row, such as the agent's settings; empty for what is none."""
    value = row.get(key)
    return cast("Row", value) if isinstance(value, dict) else {}


def numbers(value: object) -> list[float]:
    """The same for a list; empty for what is none."""
    cells = cast("list[object]", value) if isinstance(value, list) else []
    return [number(cell) for cell in cells]
