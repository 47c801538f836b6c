"""Data that stays on disk is the same data, and is packed once."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.data.samples import assert_same, sample, write_hdf5

from road.data import Dataset, Reading, from_arrays, load
from road.data.load import Selection, load_with
from road.data.memory import BLOCK, blocks, compact
from road.data.on_disk import episode_blocks, folder_of, open_stored, store
from road.errors import DataError, UsageError
from road.mixing import Mixture
from road.replay.buffer import OnlineBuffer
from road.replay.sampler import MixedSampler
from road.tasks import TASKS, Affine, Task
from road.training.buffers import offline_rows
from road.types import Spec

TASK: Task = replace(TASKS["pendulum-mixed"], reward=Affine(scale=2.0, shift=-1.0))


@pytest.fixture
def without_successors(tmp_path: Path) -> str:
    """A file in which rows have to be left out, so that everything moves."""
    arrays = sample()
    del arrays["next_observations"]
    return f"file:{write_hdf5(tmp_path / 'log.hdf5', arrays)}"


@pytest.fixture
def stored(tmp_path: Path, without_successors: str) -> Dataset:
    def make(allocate: object) -> Dataset:
        return load_with(without_successors, Reading(), Selection(), allocate)  # type: ignore[arg-type]

    return store(tmp_path / "stored", make)


def test_what_was_made_on_disk_equals_what_is_made_in_memory(
    stored: Dataset, without_successors: str, tmp_path: Path
) -> None:
    in_memory = load(without_successors)
    assert_same(stored, in_memory)
    assert stored.notes == in_memory.notes
    assert_same(load(f"stored:{tmp_path / 'stored'}"), in_memory)


def test_its_numbers_are_left_on_disk(stored: Dataset, tmp_path: Path) -> None:
    assert isinstance(stored.observation, np.memmap)
    assert folder_of(stored) == tmp_path / "stored"
    assert folder_of(from_arrays(sample())) is None


def test_packed_rows_are_those_of_memory_and_made_once(
    stored: Dataset, without_successors: str, tmp_path: Path
) -> None:
    rows = offline_rows(stored, TASK, 0.9)
    np.testing.assert_array_equal(rows, offline_rows(load(without_successors), TASK, 0.9))
    (file,) = (tmp_path / "stored").glob("rows-*.f32")
    written = file.stat().st_mtime_ns
    offline_rows(stored, TASK, 0.9)
    assert file.stat().st_mtime_ns == written


def test_another_way_to_pack_is_another_file(stored: Dataset, tmp_path: Path) -> None:
    offline_rows(stored, TASK, 0.9)
    offline_rows(stored, TASK, 0.99)
    offline_rows(stored, replace(TASK, reward=Affine()), 0.9)
    changed = replace(stored, reward=stored.reward + 1.0)
    assert offline_rows(changed, TASK, 0.9)[0, -3] == 2.0 * (stored.reward[0] + 1.0) - 1.0
    assert len(list((tmp_path / "stored").glob("rows-*.f32"))) == 4


def test_a_dataset_that_left_its_folder_is_packed_in_memory(stored: Dataset) -> None:
    moved = replace(stored, observation=stored.observation * 2.0)
    assert folder_of(moved) is None


def test_the_sampler_draws_the_same_from_disk_as_from_memory(stored: Dataset) -> None:
    rows = offline_rows(stored, TASK, 0.9)
    ring = OnlineBuffer(Spec(3, 2), 1)
    logged = Mixture(1.0)
    from_disk = MixedSampler(rows, ring, 1).sample(logged, 2, 8, np.random.default_rng(0))
    copied = MixedSampler(np.array(rows), ring, 1).sample(
        Mixture(1.0), 2, 8, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(from_disk.rows, copied.rows)


@pytest.mark.parametrize("size", [1, 5, 6, 100])
def test_blocks_of_episodes_are_whole_and_complete(size: int) -> None:
    dataset = from_arrays(sample())
    found = list(episode_blocks(dataset, size))
    assert [row for block in found for row in range(block.start, block.stop)] == list(range(15))
    assert all(dataset.episode_ends[block.stop - 1] for block in found)


def test_nothing_is_overwritten_and_failure_leaves_nothing(tmp_path: Path, stored: Dataset) -> None:
    with pytest.raises(UsageError, match="exists already"):
        store(tmp_path / "stored", lambda _: stored)

    def fail(_: object) -> Dataset:
        raise DataError("no")

    with pytest.raises(DataError):
        store(tmp_path / "other", fail)
    assert {path.name for path in tmp_path.iterdir()} == {"stored", "log.hdf5"}


@pytest.mark.parametrize(
    ("damage", "reported"),
    [
        ("dataset.json", "damaged"),
        ("observation.f32", "bytes where"),
        ("terminated.npy", "terminated"),
    ],
)
def test_a_damaged_folder_is_reported(
    stored: Dataset, tmp_path: Path, damage: str, reported: str
) -> None:
    del stored
    file = tmp_path / "stored" / damage
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(DataError, match=reported):
        open_stored(tmp_path / "stored")


def test_compacting_moves_rows_to_the_front_of_the_same_memory() -> None:
    array = np.arange(12).reshape(6, 2)
    kept = compact(array, np.array([False, True, False, True, True, False]))
    assert kept.tolist() == [[2, 3], [6, 7], [8, 9]]
    assert kept.base is not None and np.shares_memory(kept, array)


def test_rows_of_many_blocks_are_compacted_as_numpy_would() -> None:
    rng = np.random.default_rng(0)
    array, keep = rng.normal(size=(3 * BLOCK + 5, 2)), rng.random(3 * BLOCK + 5) < 0.7
    wanted = array[keep]
    np.testing.assert_array_equal(compact(array, keep), wanted)


def test_episodes_that_cross_blocks_keep_their_successors() -> None:
    """Row t observes t; every 1,000th is cut and goes, so that row t is followed by t + 1."""
    rows = 2 * BLOCK + 17
    time = np.arange(rows, dtype=np.float32)
    cut = np.arange(rows) % 1_000 == 999
    zero = np.zeros((rows, 1))
    read = from_arrays(
        {"observations": time[:, None], "actions": zero, "rewards": time, "timeouts": cut}
    )
    kept = np.flatnonzero(~cut)[:-1]  # the last episode is unfinished
    assert read.reward.tolist() == kept.tolist()
    np.testing.assert_array_equal(read.next_observation[:, 0], read.observation[:, 0] + 1.0)
    assert np.flatnonzero(read.truncated).tolist() == [
        *range(998, len(kept) - 1, 999),
        len(kept) - 1,
    ]


def test_blocks_cover_every_row_once() -> None:
    assert [(block.start, block.stop) for block in blocks(7, 3)] == [(0, 3), (3, 6), (6, 7)]
    assert list(blocks(0)) == []


@pytest.mark.parametrize("name", ["observation.f32", "reward.f32", "truncated.npy"])
def test_one_changed_bit_is_noticed_when_the_data_is_learnt_from(
    stored: Dataset, tmp_path: Path, name: str
) -> None:
    """The number is still finite, and its file as long as before."""
    del stored
    file = tmp_path / "stored" / name
    content = bytearray(file.read_bytes())
    content[-4] ^= 1
    file.write_bytes(content)
    with pytest.raises(DataError, match="the numbers are not those that were written"):
        load(f"stored:{tmp_path / 'stored'}")


def test_packed_rows_that_were_changed_are_packed_again(stored: Dataset, tmp_path: Path) -> None:
    rows = np.array(offline_rows(stored, TASK, 0.9))
    (file,) = (tmp_path / "stored").glob("rows-*.f32")
    content = bytearray(file.read_bytes())
    content[8] ^= 1
    for damaged in (bytes(content), bytes(content[:-4])):
        file.write_bytes(damaged)
        np.testing.assert_array_equal(offline_rows(stored, TASK, 0.9), rows)


@pytest.mark.parametrize("name", ["dataset.json", "observation.f32", "terminated.npy"])
def test_a_folder_of_data_is_not_read_through_links(
    stored: Dataset, tmp_path: Path, name: str
) -> None:
    del stored
    file = tmp_path / "stored" / name
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match=f"{name} is a link"):
        load(f"stored:{tmp_path / 'stored'}")
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(DataError, match=f"{name} is a pipe"):
        load(f"stored:{tmp_path / 'stored'}")
