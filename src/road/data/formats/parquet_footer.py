"""How many numbers a Parquet file declares, column by column, from its footer.

Arrow ends the process when it is asked about a column whose description is damaged, so the few
numbers that are needed are read here. The footer is Thrift's compact protocol: fields of numbered
structures, each with its type.
"""

import struct
from collections import Counter
from pathlib import Path
from typing import Any

from road.errors import DataError

TAIL = 8
"""The length of the footer and a magic word end the file."""
ROW_GROUPS, COLUMNS, DESCRIPTION, PATH, NUM_VALUES = 4, 1, 3, 3, 5
"""Numbers of the fields: of the file, of a row group, of a column, and of its description."""
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
MOST_DEPTH = 32


def count_values(path: Path) -> Counter[str]:
    """Numbers of each column, all row groups together, by its name at the top of the schema.

    Raises:
        DataError: the footer is damaged.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - TAIL, 0))
        length = int.from_bytes(file.read(4), "little")
        if length > size - TAIL:
            raise DataError(f"{path}: damaged or cut short; get it again")
        file.seek(size - TAIL - length)
        reader = Compact(file.read(length))
    counts: Counter[str] = Counter()
    try:
        for group in reader.structure(0).get(ROW_GROUPS, ()):
            for column in group.get(COLUMNS, ()):
                described = column.get(DESCRIPTION, {})
                name = bytes(described[PATH][0]).decode()
                counts[name] += max(int(described[NUM_VALUES]), 0)
    except (ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
        raise DataError(f"{path}: damaged (its footer: {error}); get it again") from error
    return counts


class Compact:
    """Thrift's compact protocol: the values of a structure by the numbers of their fields."""

    def __init__(self, content: bytes) -> None:
        self._content, self._place = content, 0

    def structure(self, depth: int) -> dict[int, Any]:
        if depth > MOST_DEPTH:
            raise ValueError("nested too deeply")
        found: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            step, kind = head >> 4, head & 0x0F
            number = number + step if step else self._zigzag()
            found[number] = kind == TRUE if kind in (TRUE, FALSE) else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (TRUE, FALSE, BYTE):  # in lists; as a field a truth value is its own type
            return self._byte()
        if kind == STRUCT:
            return self.structure(depth + 1)
        if kind in (LIST, SET):
            return self._sequence(depth)
        if kind in (BINARY, DOUBLE):
            return self._bytes(self._varint() if kind == BINARY else 8)
        if kind > DOUBLE:
            raise ValueError(f"a field of type {kind}")
        return self._zigzag()

    def _sequence(self, depth: int) -> list[Any]:
        head = self._byte()
        length, kind = head >> 4, head & 0x0F
        length = self._varint() if length == 15 else length
        if length > len(self._content):
            raise ValueError("a list is longer than the file")
        return [self._value(kind, depth + 1) for _ in range(length)]

    def _byte(self) -> int:
        self._place += 1
        return self._content[self._place - 1]

    def _bytes(self, length: int) -> bytes:
        start = self._place
        self._place += length
        if self._place > len(self._content):
            raise ValueError("cut short")
        return self._content[start : self._place]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError("a number has more than ten bytes")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
