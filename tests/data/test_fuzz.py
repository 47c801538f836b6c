"""Files with a few bytes changed: read, or refused in one short line; nothing else ever."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests.data.foreign import write_lerobot, write_rlds, write_robomimic
from tests.data.samples import Arrays, columns_of, sample, write_csv, write_hdf5

from road.data import load
from road.errors import DataError

MUTANTS = 120
"""Per format; 1,500 of each were tried when the readers were written."""


FOLDERS: dict[str, tuple[Callable[[Path, Arrays], Path], str]] = {
    "lerobot": (write_lerobot, "file-"),
    "rlds": (write_rlds, "walk-train"),
    "rlds-features": (write_rlds, "features"),
}
"""Datasets of several files, and the one that is changed."""


def written(folder: Path, kind: str) -> tuple[Path, Path]:
    """The file that is changed, and what is read: the file or the folder around it."""
    arrays = sample()
    if kind in FOLDERS:
        write, name = FOLDERS[kind]
        whole = write(folder / "log", arrays)
        return next(file for file in whole.rglob("*") if file.name.startswith(name)), whole
    path = write_file(folder / f"log.{kind}", arrays, kind)
    return path, path


def write_file(path: Path, arrays: Arrays, kind: str) -> Path:
    if kind == "robomimic":
        return write_robomimic(path, arrays)
    if kind == "hdf5":
        return write_hdf5(path, arrays)
    if kind == "npz":
        np.savez_compressed(path, **arrays)
    elif kind == "csv":
        write_csv(path, arrays)
    else:
        parquet.write_table(pa.table(columns_of(arrays)), path)
    return path


def mutated(content: bytes, seed: int) -> bytes:
    """Some bytes flipped, replaced, cut out or put in."""
    draw = random.Random(seed)
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 8])):
        place = draw.randrange(len(changed))
        match draw.randrange(4):
            case 0:
                changed[place] ^= 1 << draw.randrange(8)
            case 1:
                changed[place] = draw.randrange(256)
            case 2:
                del changed[place : place + draw.randrange(1, 30)]
            case _:
                changed[place:place] = draw.randbytes(draw.randrange(1, 9))
    return bytes(changed)


@pytest.mark.parametrize("kind", ["hdf5", "npz", "csv", "parquet", "robomimic", *FOLDERS])
def test_a_mutant_is_read_or_refused_in_one_short_line(kind: str, tmp_path: Path) -> None:
    path, source = written(tmp_path, kind)
    content = path.read_bytes()
    refused: list[str] = []
    for seed in range(MUTANTS):
        path.write_bytes(mutated(content, seed))
        try:
            load(f"file:{source}")
        except DataError as error:
            refused.append(str(error).removeprefix(str(source)))
    assert len(refused) > MUTANTS / 4, "the mutants are real"
    assert all("\n" not in reported and len(reported) < 300 for reported in refused)
