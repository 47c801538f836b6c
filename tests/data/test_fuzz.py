"""Files with a few bytes changed: read, or refused in one short line; nothing else ever."""

import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests.data.samples import columns_of, sample, write_csv, write_hdf5

from road.data import load
from road.errors import DataError

MUTANTS = 120
"""Per format; 1,500 of each were tried when the readers were written."""


def written(folder: Path, kind: str) -> Path:
    path = folder / f"log.{kind}"
    arrays = sample()
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


@pytest.mark.parametrize("kind", ["hdf5", "npz", "csv", "parquet"])
def test_a_mutant_is_read_or_refused_in_one_short_line(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, kind)
    content = path.read_bytes()
    refused: list[str] = []
    for seed in range(MUTANTS):
        path.write_bytes(mutated(content, seed))
        try:
            load(f"file:{path}")
        except DataError as error:
            refused.append(str(error).removeprefix(str(path)))
    assert len(refused) > MUTANTS / 2, "the mutants are real"
    assert all("\n" not in reported and len(reported) < 300 for reported in refused)
