"""A run opens the file that it is given as data once."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.tasks.test_custom import TINY, some_rows

from road.data import write_d4rl

COUNTED = """
import sys
import h5py
from road.cli import main

path, *words = sys.argv[1:]
opened = {"format": 0, "rows": 0}

def count(event, arguments):
    # HDF5 opens files outside of Python, so these are the looks at the first bytes.
    if event == "open" and str(arguments[0]) == path:
        opened["format"] += 1

class File(h5py.File):
    def __init__(self, name, *arguments, **options):
        opened["rows"] += str(name) == path
        super().__init__(name, *arguments, **options)

h5py.File = File
sys.addaudithook(count)
code = main(words)
print(code, opened["format"], opened["rows"])
"""


@pytest.mark.integration
@pytest.mark.parametrize("task", [["pendulum-mixed"], ["--env", "Pendulum-v1"]])
def test_a_run_opens_its_file_once(task: list[str], tmp_path: Path) -> None:
    """Of a listed task that standardises by its data, and of an environment of the user."""
    path = write_d4rl(some_rows(observations=3), tmp_path / "mine.hdf5")
    words = ["train", *task, "--data", f"file:{path}", *TINY, "--out", str(tmp_path / "run")]
    answer = subprocess.run(
        [sys.executable, "-c", COUNTED, str(path), *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.stdout.splitlines()[-1:] == ["0 1 1"], answer.stderr
