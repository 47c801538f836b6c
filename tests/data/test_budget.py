"""Small files that would cost much: refused in one line, within a stated memory and time."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests.data.samples import columns_of, sample, write_hdf5

from road.data import load
from road.data.memory import MOST_EXPANSION
from road.errors import DataError

MOST_MEMORY = 2**30
SECONDS = 30
"""On a machine that does other things too; each takes less than one by itself."""


def equal_rows(folder: Path) -> Path:
    """A hundred million equal rows in a few kilobytes: a run-length code."""
    rows = 1_000_000
    piece = pa.array(np.zeros(rows))
    columns = {
        name: pa.chunked_array([piece] * 100) for name in ("obs", "action", "reward", "done")
    }
    path = folder / "log.parquet"
    parquet.write_table(pa.table(columns), path, compression="zstd", row_group_size=100 * rows)
    return path


def long_cell(folder: Path) -> Path:
    path = folder / "log.csv"
    path.write_text("obs,action,reward,done\n" + "1,0,1,0\n" * 9_000 + f"1,0,1,{'x' * 1_500_000}\n")
    return path


def long_name(folder: Path) -> Path:
    path = folder / "log.csv"
    rows = "1,0,1,a\n" * 9_000
    path.write_text(f"obs,action,reward,episode\n{rows}1,0,nan,{'x' * 1_500_000}\n")
    return path


def long_header(folder: Path) -> Path:
    path = folder / "log.csv"
    path.write_bytes(b"obs," * 2_000_000)
    return path


def many_columns(folder: Path) -> Path:
    path = folder / "log.csv"
    names = ",".join(f"obs_{number}" for number in range(100_000))
    assert len(names) < 2**20
    path.write_text(f"{names},action,reward,done\n" + "0," * 100_000 + "0,1,1\n")
    return path


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "log.csv")
    return folder / "log.csv"


def zeros_in_parts(folder: Path) -> Path:
    """Each array could be; all of them together could not."""
    arrays = {
        name: np.zeros((4_000_000, 1) if name == "actions" else 4_000_000, np.float32)
        for name in ("actions", "rewards", "terminals", "timeouts")
    }
    np.savez_compressed(folder / "log.npz", observations=arrays["actions"], **arrays)
    return folder / "log.npz"


def zeros_in_hdf5(folder: Path) -> Path:
    arrays = {
        name: np.zeros((4_000_000, 1) if name == "actions" else 4_000_000, np.float32)
        for name in ("actions", "rewards", "terminals", "timeouts")
    }
    return write_hdf5(folder / "log.hdf5", {**arrays, "observations": arrays["actions"]})


COSTLY: dict[str, tuple[Callable[[Path], Path], str]] = {
    "equal rows": (equal_rows, "claims 3,200,000,000 bytes"),
    "a long cell": (long_cell, "at row 9000; write 0 or 1"),
    "a long name": (long_name, "a fault, nothing can be learnt"),
    "a long header": (long_header, "a line has more than 1,048,576 characters"),
    "many columns": (many_columns, "100,003 columns, at most 10,000 are read"),
    "a pipe": (pipe, "a pipe or a device"),
    "zeros in an archive": (zeros_in_parts, "claims 80,000"),
    "zeros in HDF5": (zeros_in_hdf5, "claims 80,000,000 bytes"),
}

READ = """
import sys
from road.cli import main
code = main(["data", "check", "file:" + sys.argv[1]])
# Of this program alone; getrusage would count the process that it was forked from.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(1024 * int(peak.split()[1]))
sys.exit(code)
"""


@pytest.mark.parametrize("case", COSTLY)
def test_a_small_file_takes_little_memory_and_time(case: str, tmp_path: Path) -> None:
    make, reported = COSTLY[case]
    path = make(tmp_path)
    assert path.stat().st_size < 10e6
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=False,
        timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert reported in done.stderr
    assert done.stderr.count("\n") <= 2  # the fault and the summary, or both in one
    assert len(done.stderr) < 1_000
    assert int(done.stdout.split()[-1]) < MOST_MEMORY


def test_many_columns_of_short_names_are_refused_by_their_number(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(",".join(map(str, range(10_001))) + "\n")
    with pytest.raises(DataError, match="10,001 columns, at most 10,000 are read"):
        load(f"file:{path}")


def test_ten_thousand_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    names = ",".join(f"obs_{number}" for number in range(9_997))
    row = "0.5," * 9_997 + "0,1,"
    path.write_text(f"{names},action,reward,done\n{row}0\n{row}1\n")
    assert load(f"file:{path}").observation.shape == (2, 9_997)


def test_a_real_log_is_far_from_the_limit(tmp_path: Path) -> None:
    path = write_hdf5(tmp_path / "log.hdf5", sample())
    wanted = sum(array.nbytes for array in sample().values())
    assert wanted / path.stat().st_size < MOST_EXPANSION / 10


def damaged_page(folder: Path, content: bytes) -> Path:
    path = folder / "log.parquet"
    path.write_bytes(content)
    return path


def test_checksums_of_pages_are_compared(tmp_path: Path) -> None:
    """Without them a changed bit of a number is another number."""
    arrays = sample()
    path = tmp_path / "log.parquet"
    parquet.write_table(
        pa.table(columns_of(arrays)), path, compression="none", use_dictionary=False,
        write_page_checksum=True,
    )  # fmt: skip
    content = bytearray(path.read_bytes())
    place = content.find(arrays["rewards"].tobytes())
    assert place > 0
    content[place] ^= 1
    with pytest.raises(DataError, match="CRC checksum verification failed"):
        load(f"file:{damaged_page(tmp_path, bytes(content))}")


@pytest.mark.parametrize(
    ("column", "reported"),
    [
        (pa.array([1, 2], pa.timestamp("ns", "UTC")), "obs_1 holds timestamp[ns, tz=UTC]"),
        (pa.array([{"x": 1}, {"x": 2}]), "obs_1 holds struct<x: int64>"),
        (pa.array([[[1.0]], [[2.0]]]), "obs_1 holds list<element: list<element: double>>"),
        (pa.array(["a", "b"]).dictionary_encode(), "obs_1 holds dictionary<"),
        (pa.array([None, None], pa.null()), "obs_1 holds null"),
    ],
)
def test_a_column_that_is_not_of_numbers_is_refused(
    column: pa.Array, reported: str, tmp_path: Path
) -> None:
    flat = [0.0, 1.0]
    columns = {"obs_0": flat, "obs_1": column, "action": flat, "reward": flat, "done": [0, 1]}
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    with pytest.raises(DataError) as refused:
        load(f"file:{tmp_path / 'log.parquet'}")
    assert reported in str(refused.value)


def test_an_episode_may_be_named_by_a_time(tmp_path: Path) -> None:
    columns = {
        "obs": [0.0, 1.0, 2.0, 3.0],
        "action": [0.0, 0.5, 0.0, 0.5],
        "reward": [0.0, 1.0, 2.0, 3.0],
        "episode": pa.array([7, 7, 9, 9], pa.timestamp("s")),
    }
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    assert load(f"file:{tmp_path / 'log.parquet'}").reward.tolist() == [0.0, 2.0]


def archive(folder: Path, header: bytes, method: int = zipfile.ZIP_STORED) -> Path:
    """An NPZ whose rewards begin with this header."""
    path = folder / "log.npz"
    np.savez(path, **{name: array for name, array in sample().items() if name != "rewards"})
    with zipfile.ZipFile(path, "a") as held:
        held.writestr("rewards.npy", header + bytes(60), method)
    return path


def npy(text: str, version: bytes = b"\x01\x00") -> bytes:
    body = text.encode()
    return b"\x93NUMPY" + version + len(body).to_bytes(2, "little") + body


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\x93NUMPY",
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-15,)}"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1e9,)}"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': 'x'}"),
        npy("{'descr': [('a', '<f4', -1)], 'fortran_order': False, 'shape': (15,)}"),
        npy("{'descr': {'a': 3}, 'fortran_order': False, 'shape': (15,)}"),
        npy("{'descr': '<f4', 'shape': (15,)}"),
        npy("(" * 9_000),
        npy("{'descr': '<f4' 'fortran_order'"),
        npy("\x00\xff"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (15,)}", b"\x09\x09"),
        npy("{'descr': '<U99999999999', 'fortran_order': False, 'shape': (15,)}"),
    ],
)
def test_a_corrupt_header_is_one_line(header: bytes, tmp_path: Path) -> None:
    path = archive(tmp_path, header)
    with pytest.raises(DataError) as refused:
        load(f"file:{path}")
    assert str(refused.value).startswith(f"{path}: rewards")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300 + len(str(path))


def test_a_member_packed_by_another_method_is_refused(tmp_path: Path) -> None:
    """LZMA unpacks one byte to thousands; numpy never writes it."""
    path = archive(tmp_path, b"", zipfile.ZIP_LZMA)
    with pytest.raises(DataError, match=r"rewards is packed by method 14; save it with numpy"):
        load(f"file:{path}")


def test_every_byte_of_the_table_of_contents_may_be_wrong(tmp_path: Path) -> None:
    """Read as it was, or refused: never another kind of error."""
    np.savez(tmp_path / "log.npz", **sample())
    content = (tmp_path / "log.npz").read_bytes()
    start = content.find(b"PK\x01\x02")
    refused: list[str] = []
    for place in range(start, len(content), 3):
        changed = bytearray(content)
        changed[place] ^= 0xFF
        (tmp_path / "log.npz").write_bytes(changed)
        try:
            load(f"file:{tmp_path / 'log.npz'}")
        except DataError as error:
            refused.append(str(error))
    assert len(refused) > 10
    assert not any("\n" in text for text in refused)
