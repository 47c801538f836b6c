"""What is written for other libraries is read back the same, whatever box is named meanwhile."""

from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.data.samples import assert_same, dataset_of, sample

from road.data import load, write_d4rl
from road.errors import StorageError


def test_a_written_file_is_read_back_equal(tmp_path: Path) -> None:
    path = write_d4rl(dataset_of(sample()), tmp_path / "log.hdf5")
    assert_same(load(f"file:{path}"), dataset_of(sample()))


def test_its_actions_are_mapped_already_and_not_once_more(tmp_path: Path) -> None:
    """An environment with actions in [-2, 2] names its box; the file says it is done."""
    path = write_d4rl(dataset_of(sample()), tmp_path / "log.hdf5")
    assert_same(load(f"file:{path}", action_box=(-2.0, 2.0)), dataset_of(sample()))


@pytest.mark.parametrize("strange", ["wide", [1.0, 2.0, 3.0], [[-1.0, 1.0]]])
def test_an_attribute_that_is_no_box_is_passed_over(tmp_path: Path, strange: object) -> None:
    path = write_d4rl(dataset_of(sample()), tmp_path / "log.hdf5")
    with h5py.File(path, "r+") as file:
        file["actions"].attrs["action_box"] = strange
    assert_same(load(f"file:{path}"), dataset_of(sample()))


def test_other_libraries_find_d4rls_names(tmp_path: Path) -> None:
    path = write_d4rl(dataset_of(sample()), tmp_path / "log.hdf5")
    with h5py.File(path) as file:
        assert set(file) == set(sample())
        np.testing.assert_array_equal(file["observations"][:], sample()["observations"])
        assert file["terminals"].dtype == np.bool_


def test_a_flipped_bit_in_a_written_file_is_noticed(tmp_path: Path) -> None:
    path = write_d4rl(dataset_of(sample()), tmp_path / "log.hdf5")
    with h5py.File(path) as file:
        place = file["rewards"].id.get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 30] ^= 0x04
    path.write_bytes(content)
    with pytest.raises(Exception, match="rewards is damaged in rows 0 to 14"):
        load(f"file:{path}")


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="cannot write"):
        write_d4rl(dataset_of(sample()), tmp_path / "file" / "log.hdf5")
