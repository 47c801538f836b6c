"""One contract for every source: what was logged is what is read. Each line runs all its tests."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests.data.foreign import write_lerobot, write_rlds, write_robomimic
from tests.data.samples import (
    Arrays,
    assert_same,
    columns_of,
    dataset_of,
    episodes_of,
    sample,
    with_value,
    write_csv,
    write_hdf5,
)

from road.data import Reading, from_arrays, from_episodes, load
from road.data.load import SOURCES, STORED
from road.data.on_disk import store
from road.data.sources.d4rl import download_path, find_published
from road.errors import DataError

Write = Callable[[Path, Arrays], str]
"""Writes a log and gives the source to load it by."""


def hdf5(folder: Path, arrays: Arrays) -> str:
    return f"file:{write_hdf5(folder / 'log.hdf5', arrays)}"


def npz(folder: Path, arrays: Arrays) -> str:
    np.savez_compressed(folder / "log.npz", **arrays)
    return f"file:{folder / 'log.npz'}"


def npz_episodes(folder: Path, arrays: Arrays) -> str:
    (folder / "episodes").mkdir()
    for index, episode in enumerate(episodes_of(arrays)):
        np.savez(folder / "episodes" / f"{index:03}.npz", **episode)
    return f"file:{folder / 'episodes'}"


def csv_table(folder: Path, arrays: Arrays) -> str:
    return f"file:{write_csv(folder / 'log.csv', arrays)}"


def parquet_table(folder: Path, arrays: Arrays) -> str:
    parquet.write_table(pa.table(columns_of(arrays)), folder / "log.parquet")
    return f"file:{folder / 'log.parquet'}"


def parquet_lists(folder: Path, arrays: Arrays) -> str:
    columns = {name: array.tolist() for name, array in arrays.items()}
    parquet.write_table(pa.table(columns), folder / "lists.parquet")
    return f"file:{folder / 'lists.parquet'}"


def published(folder: Path, arrays: Arrays) -> str:
    del folder  # it has its place
    path = download_path(find_published("hopper-medium-v2"))
    path.parent.mkdir(parents=True)
    write_hdf5(path, arrays)
    return "d4rl:hopper-medium-v2"


def minari_dataset(folder: Path, arrays: Arrays) -> str:
    """By the real package."""
    minari = pytest.importorskip("minari", reason="minari is not installed")
    from gymnasium.spaces import Box
    from minari.data_collector import EpisodeBuffer

    del folder  # it has its place
    buffers: list[Any] = [
        EpisodeBuffer(
            id=index,
            observations=episode["observations"],
            actions=episode["actions"],
            rewards=episode["rewards"],
            terminations=episode["terminals"],
            truncations=episode["timeouts"],
        )
        for index, episode in enumerate(episodes_of(arrays))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it would like to know the author
        minari.create_dataset_from_buffers(
            "tests/walk/sample-v0", buffers, data_format="hdf5",
            observation_space=Box(-np.inf, np.inf, (3,)), action_space=Box(-1, 1, (2,)),
        )  # fmt: skip
    return "minari:tests/walk/sample-v0"


def on_disk(folder: Path, arrays: Arrays) -> str:
    store(folder / "stored", lambda _: from_arrays(arrays))
    return f"stored:{folder / 'stored'}"


def robomimic(folder: Path, arrays: Arrays) -> str:
    return f"file:{write_robomimic(folder / 'demo.hdf5', arrays)}"


def lerobot(folder: Path, arrays: Arrays) -> str:
    return f"file:{write_lerobot(folder / 'lerobot', arrays)}"


def rlds(folder: Path, arrays: Arrays) -> str:
    return f"file:{write_rlds(folder / 'walk', arrays)}"


WRITERS: dict[str, Write] = {
    "hdf5": hdf5,
    "npz": npz,
    "npz-episodes": npz_episodes,
    "csv": csv_table,
    "parquet": parquet_table,
    "parquet-lists": parquet_lists,
    "robomimic": robomimic,
    "lerobot": lerobot,
    "rlds": rlds,
    "d4rl": published,
    "minari": minari_dataset,
    "stored": on_disk,
}


@pytest.fixture(params=list(WRITERS))
def write(request: pytest.FixtureRequest) -> Write:
    return WRITERS[request.param]


def files_of(source: str) -> list[Path]:
    from road.data.sources.minari import dataset_folder

    scheme, _, name = source.partition(":")
    if scheme == "d4rl":
        return [download_path(find_published(name))]
    path = dataset_folder(name) / "data" / "main_data.hdf5" if scheme == "minari" else Path(name)
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


def test_every_scheme_keeps_the_contract(tmp_path: Path) -> None:
    schemes = set()
    for index, write in enumerate(WRITERS.values()):
        (tmp_path / str(index)).mkdir()
        schemes.add(write(tmp_path / str(index), sample()).partition(":")[0])
    assert schemes == {*SOURCES, STORED}


def test_what_was_logged_is_what_is_read(write: Write, tmp_path: Path) -> None:
    logged = dataset_of(sample())
    if write is lerobot:  # it stores no successors: the last row of a cut episode has none
        logged = from_arrays({n: a for n, a in sample().items() if n != "next_observations"})
    assert_same(load(write(tmp_path, sample())), logged)


def test_reading_says_nothing_where_nothing_was_assumed(write: Write, tmp_path: Path) -> None:
    if write is lerobot:
        pytest.skip("rows without a successor are left out, and that is said")
    assert load(write(tmp_path, sample())).notes == ()


@pytest.mark.parametrize(
    ("name", "place", "value", "reported"),
    [
        ("observations", (7, 1), np.nan, ["observation", "nan", "row 7, column 1"]),
        ("rewards", 3, np.inf, ["reward", "inf", "row 3"]),
        ("actions", (11, 0), 5.0, ["action", "5", "row 11, column 0", "[-1, 1]"]),
    ],
)
def test_a_bad_number_is_named_by_its_row_in_the_file(
    write: Write, tmp_path: Path, name: str, place: Any, value: float, reported: list[str]
) -> None:
    if write is on_disk:
        pytest.skip("nothing bad can be stored: the contract holds where it is made")
    source = write(tmp_path, with_value(name, place, value))
    with pytest.raises(DataError) as refused:
        load(source)
    assert all(part in str(refused.value) for part in reported), refused.value
    assert "\n" not in str(refused.value)


def test_half_a_file_is_refused(write: Write, tmp_path: Path) -> None:
    if write is csv_table:
        pytest.skip("half a table of text is a table")
    source = write(tmp_path, sample())
    file = max(files_of(source), key=lambda path: path.stat().st_size)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(DataError, match=str(file.parent)) as refused:
        load(source)
    assert "\n" not in str(refused.value)


def test_a_source_that_is_gone_is_reported_with_its_path(write: Write, tmp_path: Path) -> None:
    source = write(tmp_path, sample())
    for file in files_of(source):
        file.unlink()
    with pytest.raises(DataError, match=str(tmp_path)):
        load(source)


def test_arrays_and_episodes_in_memory_give_the_same() -> None:
    assert_same(from_arrays(sample()), dataset_of(sample()))
    assert_same(from_episodes(episodes_of(sample())), dataset_of(sample()))


def test_arrays_of_the_caller_are_not_touched() -> None:
    arrays = sample(actions=np.full((15, 2), 2.0, np.float32))
    from_arrays(arrays, Reading(action_box=(-2.0, 2.0)))
    assert (arrays["actions"] == 2.0).all()
