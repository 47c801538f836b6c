"""TFRecord files of ``tf.train.Example``, read without TensorFlow: their checksums are compared.

A record is its length (8 bytes), a checksum of that (4), the content, and a checksum of that (4).
An Example is a protocol buffer: names, each with a list of bytes, of floats or of whole numbers.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from road.data.formats.crc32c import crc32c, masked
from road.errors import DataError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
Values = NDArray[np.float32] | NDArray[np.int64]


def read_records(path: Path) -> Iterator[bytes]:
    """The content of every record.

    Raises:
        DataError: one is damaged or cut short.
    """
    left = path.stat().st_size
    with path.open("rb") as file:
        index = 0
        while head := file.read(12):
            left -= 12
            length = check_head(path, index, head)
            if length > left - 4:  # before as much is asked for
                raise DataError(f"{path}: record {index} is cut short; download it again")
            content, foot = file.read(length), file.read(4)
            left -= length + 4
            if length >= 4 and struct.unpack("<I", foot)[0] != masked(crc32c(content)):
                raise DataError(f"{path}: record {index} is damaged; download it again")
            yield content
            index += 1


def check_head(path: Path, index: int, head: bytes) -> int:
    """The length of a record, compared with its checksum."""
    if len(head) < 12 or struct.unpack("<I", head[8:])[0] != masked(crc32c(head[:8])):
        raise DataError(f"{path}: record {index} is damaged or cut short; download it again")
    return struct.unpack("<Q", head[:8])[0]


def parse_example(content: bytes, wanted: frozenset[str]) -> dict[str, Values]:
    """The numbers under the names that are wanted.

    Raises:
        ValueError: it is no such message.
    """
    found: dict[str, Values] = {}
    for features in fields(memoryview(content), 1):
        for entry in fields(features, 1):
            key = next(fields(entry, 1), memoryview(b""))
            name = bytes(key).decode()
            if name in wanted:
                found[name] = parse_feature(next(fields(entry, 2), memoryview(b"")))
    return found


def parse_feature(feature: memoryview) -> Values:
    floats, whole = list(fields(feature, 2)), list(fields(feature, 3))
    if floats:
        packed = b"".join(bytes(part) for part in fields(floats[0], 1))
        if len(packed) % 4:
            raise ValueError("a list of floats has a part of one")
        return np.frombuffer(packed, "<f4").astype(np.float32)
    if whole:
        return whole_numbers(b"".join(bytes(part) for part in fields(whole[0], 1, VARINT)))
    return np.empty(0, np.float32)


def whole_numbers(packed: bytes) -> NDArray[np.int64]:
    """Seven bits a byte, the lowest first; the highest bit says that more follow."""
    codes = np.frombuffer(packed, np.uint8)
    ends = np.flatnonzero(codes < 0x80)
    if len(codes) and (not len(ends) or ends[-1] != len(codes) - 1):
        raise ValueError("a whole number is cut short")
    starts = np.append(0, ends[:-1] + 1) if len(ends) else ends
    if (ends - starts > 9).any():
        raise ValueError("a whole number has more than ten bytes")
    place = np.arange(len(codes)) - np.repeat(starts, ends - starts + 1)
    parts = (codes & np.uint8(0x7F)).astype(np.uint64) << (7 * place).astype(np.uint64)
    total = np.add.reduceat(parts, starts) if len(starts) else np.empty(0, np.uint64)
    return total.view(np.int64)


def fields(message: memoryview, number: int, also: int = BYTES) -> Iterator[memoryview]:
    """The contents of a field, each time that it occurs: of bytes, of numbers their own bytes."""
    place = 0
    while place < len(message):
        key, place = varint(message, place)
        kind = key & 7
        start, stop = extent(message, place, kind)
        if key >> 3 == number and kind in (BYTES, FIXED32, also):
            yield message[start:stop]
        place = stop


def extent(message: memoryview, place: int, kind: int) -> tuple[int, int]:
    """Where the content of a field begins and ends."""
    if kind == VARINT:
        start, stop = place, varint(message, place)[1]
    elif kind == BYTES:
        length, start = varint(message, place)
        stop = start + length
    elif kind in (FIXED64, FIXED32):
        start, stop = place, place + (8 if kind == FIXED64 else 4)
    else:
        raise ValueError(f"a field of kind {kind}")
    if stop > len(message):
        raise ValueError("a field is cut short")
    return start, stop


def varint(message: memoryview, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(message):
            raise ValueError("a number is cut short")
        byte: Any = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise ValueError("a number has more than ten bytes")
