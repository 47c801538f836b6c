"""A disk that fills up while data is converted: one line, exit 7, nothing half-written."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from road.data import from_arrays, write_d4rl
from road.files import hash_file

ROWS = 20_000
"""About 500 kB, on a disk of 300 kB."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 300 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user cannot mount a small file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("target", ["file:{}/out.hdf5", "stored:{}/out", "minari:walks/out-v0"])
def test_a_full_disk_is_one_line_and_leaves_nothing(
    target: str, small_disk: Path, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    dataset = from_arrays(
        {
            "observations": rng.normal(size=(ROWS, 3)),
            "actions": rng.uniform(-1, 1, size=(ROWS, 1)),
            "rewards": rng.normal(size=ROWS),
            "terminals": np.arange(ROWS) % 100 == 99,
        }
    )
    source = write_d4rl(dataset, tmp_path / "log.hdf5")
    before = hash_file(source)
    words = ["data", "convert", f"file:{source}", target.format(small_disk)]
    done = subprocess.run(
        [sys.executable, "-m", "road.cli", *words], capture_output=True, text=True, check=False,
        env={**os.environ, "MINARI_DATASETS_PATH": str(small_disk)},
    )  # fmt: skip
    assert done.returncode == 7, done.stderr
    assert done.stderr.startswith(f"error: cannot write {small_disk}/")
    assert done.stderr.count("\n") == 1
    assert list(small_disk.iterdir()) == []
    assert hash_file(source) == before
