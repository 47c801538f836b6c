"""The cache may be missing, damaged or forbidden; the dataset is right all the same."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from road.data.on_disk import data_folder
from road.tasks import Dataset
from road.tasks.datasets import cache_dataset


class Maker:
    """Makes eight rows that depend on the seed, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, seed: int) -> Dataset:
        self.calls += 1
        rng = np.random.default_rng(seed)
        return Dataset(
            observation=rng.normal(size=(8, 3)).astype(np.float32),
            action=rng.uniform(-1, 1, size=(8, 2)).astype(np.float32),
            reward=rng.normal(size=8).astype(np.float32),
            next_observation=rng.normal(size=(8, 3)).astype(np.float32),
            terminated=np.arange(8) == 3,
            truncated=np.arange(8) == 7,
        )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROAD_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def make() -> Maker:
    return Maker()


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def assert_equal(left: Dataset, right: Dataset) -> None:
    for name, array in left.arrays().items():
        np.testing.assert_array_equal(array, right.arrays()[name], strict=True)


def test_the_second_call_reads_what_the_first_has_written(make: Maker) -> None:
    first, second = cache_dataset("a", make), cache_dataset("a", make)
    assert make.calls == 1
    assert_equal(first, second)


def test_the_key_holds_name_seed_and_format(make: Maker, folder: Path) -> None:
    cache_dataset("a", make, seed=3)
    assert only_file(folder).name == "a-seed3-format1.npz"


def test_another_name_or_seed_is_another_dataset(make: Maker) -> None:
    zero, one = cache_dataset("a", make, seed=0), cache_dataset("a", make, seed=1)
    cache_dataset("b", make, seed=0)
    assert make.calls == 3
    assert not np.array_equal(zero.reward, one.reward)


def test_a_flipped_bit_never_reaches_the_user(make: Maker, folder: Path) -> None:
    sound = cache_dataset("a", make)
    file = only_file(folder)
    content = file.read_bytes()
    for place in range(0, len(content), 13):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        file.write_bytes(damaged)
        assert_equal(cache_dataset("a", make), sound)


@pytest.mark.parametrize("kept", [0, 10, 500, -1])
def test_a_truncated_file_is_replaced(make: Maker, folder: Path, kept: int) -> None:
    cache_dataset("a", make)
    file = only_file(folder)
    content = file.read_bytes()
    file.write_bytes(content[:kept])
    cache_dataset("a", make)
    assert make.calls == 2
    assert file.read_bytes() == content


def test_a_file_of_another_kind_is_replaced(make: Maker, folder: Path) -> None:
    cache_dataset("a", make)
    only_file(folder).write_text("<html>not found</html>")
    assert_equal(cache_dataset("a", make), make(0))
    cache_dataset("a", make)
    assert make.calls == 3


def test_another_dataset_under_this_name_is_replaced(make: Maker, folder: Path) -> None:
    cache_dataset("a", make, seed=1)
    only_file(folder).rename(folder / "a-seed0-format1.npz")
    assert_equal(cache_dataset("a", make, seed=0), make(0))


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, sprung: Path) -> None:
        self.sprung = sprung

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.sprung),)


def test_pickled_objects_are_not_loaded(make: Maker, folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    sprung = tmp_path / "sprung"
    trap = np.array([Trap(sprung)], dtype=object)
    np.savez(folder / "a-seed0-format1.npz", allow_pickle=True, key=trap)
    assert_equal(cache_dataset("a", make), make(0))
    assert not sprung.exists()


def test_a_folder_that_cannot_be_written_costs_only_time(
    make: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ROAD_DATA_DIR", str(tmp_path / "file" / "data"))
    assert_equal(cache_dataset("a", make), cache_dataset("a", make))
    assert make.calls == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to read-only folders")
def test_a_read_only_folder_costs_only_time(make: Maker, folder: Path) -> None:
    folder.mkdir(mode=0o500)
    assert_equal(cache_dataset("a", make), make(0))
    assert list(folder.iterdir()) == []


def test_nothing_is_left_beside_the_file(make: Maker, folder: Path) -> None:
    """Also where the file cannot be put in its place."""
    (folder / "a-seed0-format1.npz").mkdir(parents=True)
    assert_equal(cache_dataset("a", make), make(0))
    assert [path.name for path in folder.iterdir()] == ["a-seed0-format1.npz"]


def test_many_at_once_get_the_same(folder: Path) -> None:
    makers = [Maker() for _ in range(16)]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda make: cache_dataset("a", make), makers))
    for dataset in made:
        assert_equal(dataset, made[0])
    assert only_file(folder).suffix == ".npz"


def test_the_folder_is_the_users_cache_unless_set_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROAD_DATA_DIR", str(tmp_path / "chosen"))
    assert data_folder() == tmp_path / "chosen"
    monkeypatch.delenv("ROAD_DATA_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert data_folder() == tmp_path / "xdg" / "road"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert data_folder() == tmp_path / "home" / ".cache" / "road"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert data_folder() == tmp_path / "home" / ".cache" / "road"
