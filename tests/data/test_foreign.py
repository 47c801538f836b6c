"""What the layouts of other libraries leave open, and what of them is not read."""

import json
from pathlib import Path

import h5py
import numpy as np
import pyarrow.parquet as parquet
import pytest
from tests.data.foreign import DESCRIPTION, varint, write_lerobot, write_rlds, write_robomimic
from tests.data.samples import sample

from road.data import load
from road.data.formats.crc32c import crc32c
from road.data.formats.tfrecord import whole_numbers
from road.errors import DataError, UsageError


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_checksums_are_those_of_the_standard(content: bytes, expected: int) -> None:
    """RFC 3720, appendix B.4, and the usual check value."""
    assert crc32c(content) == expected


def test_a_changed_bit_of_a_record_is_noticed(tmp_path: Path) -> None:
    folder = write_rlds(tmp_path / "walk", sample())
    (file,) = folder.rglob("*.tfrecord*")
    content = bytearray(file.read_bytes())
    place = content.find(sample()["rewards"][:5].tobytes())
    assert place > 0
    content[place] ^= 1
    file.write_bytes(content)
    with pytest.raises(DataError, match="record 0 is damaged"):
        load(f"file:{folder}")


def test_whole_numbers_may_have_ten_bytes() -> None:
    values = [0, 1, 127, 128, 300, 2**40, 2**63 - 1]
    packed = b"".join(map(varint, values)) + b"\xff" * 9 + b"\x01"
    assert whole_numbers(packed).tolist() == [*values, -1]
    with pytest.raises(ValueError, match="cut short"):
        whole_numbers(b"\x80")


def test_steps_without_rewards_are_refused(tmp_path: Path) -> None:
    folder = write_rlds(tmp_path / "walk", sample())
    (file,) = folder.rglob("features.json")
    described = json.loads(json.dumps(DESCRIPTION))
    steps = described["featuresDict"]["features"]["steps"]["sequence"]["feature"]
    del steps["featuresDict"]["features"]["reward"]
    file.write_text(json.dumps(described))
    with pytest.raises(DataError, match="there is no array for reward among the steps"):
        load(f"file:{folder}")


def test_several_datasets_of_one_folder_are_named(tmp_path: Path) -> None:
    write_rlds(tmp_path / "walk", sample())
    (tmp_path / "walk" / "1.0.0").rename(tmp_path / "walk" / "2.0.0")
    write_rlds(tmp_path / "again", sample())
    (tmp_path / "again" / "1.0.0").rename(tmp_path / "walk" / "1.0.0")
    with pytest.raises(DataError, match=r"name one of them: 1\.0\.0, 2\.0\.0"):
        load(f"file:{tmp_path / 'walk'}")
    assert len(load(f"file:{tmp_path / 'walk' / '2.0.0'}")) == 15


def test_parts_of_an_observation_are_read_in_the_order_of_their_keys(tmp_path: Path) -> None:
    path = write_robomimic(tmp_path / "demo.hdf5", sample())
    read = load(f"file:{path}", keys=["b_speed", "a_position"])
    np.testing.assert_array_equal(read.observation, np.roll(sample()["observations"], 1, axis=1))
    rlds = write_rlds(tmp_path / "walk", sample())
    assert load(f"file:{rlds}", keys=["state"]).observation.shape == (15, 3)
    with pytest.raises(DataError, match="no observation 'speed' of numbers; it has state"):
        load(f"file:{rlds}", keys=["speed"])


def test_images_are_left_out_unless_they_are_named(tmp_path: Path) -> None:
    path = write_robomimic(tmp_path / "demo.hdf5", sample())
    with h5py.File(path, "r+") as file:
        for name, length in (("demo_0", 5), ("demo_1", 4), ("demo_2", 6)):
            for group in ("obs", "next_obs"):
                file[f"data/{name}/{group}/image"] = np.ones((length, 2, 2, 3), np.uint8)
    read = load(f"file:{path}")
    assert read.observation.shape == (15, 3)
    assert [str(note) for note in read.notes] == ["left out the images image"]
    assert load(f"file:{path}", keys=["image"]).observation.shape == (15, 12)


def test_the_mark_of_a_demonstrations_last_row_may_be_no_true_end(tmp_path: Path) -> None:
    path = write_robomimic(tmp_path / "demo.hdf5", sample())
    assert load(f"file:{path}").terminated.sum() == 1
    assert load(f"file:{path}", terminals="timeouts").terminated.sum() == 0


def test_demonstrations_without_rewards_need_a_column(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "lerobot", sample())
    (file,) = folder.rglob("file-*.parquet")
    table = parquet.read_table(file)
    parquet.write_table(table.rename_columns({"next.reward": "next.success"}), file)
    with pytest.raises(DataError, match=r"no column for reward among observation\.state, action"):
        load(f"file:{folder}")
    assert len(load(f"file:{folder}", columns={"reward": ["next.success"]})) == 13


def test_a_layout_that_is_not_known_is_refused(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "lerobot", sample())
    (folder / "meta" / "info.json").write_text('{"codebase_version": "v9.0"}')
    with pytest.raises(DataError, match=r"layout 'v9\.0' is not read here, v2 and v3 are"):
        load(f"file:{folder}")


def test_keys_and_columns_are_refused_where_they_mean_nothing(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "lerobot", sample())
    with pytest.raises(UsageError, match="keys belong to dict observations"):
        load(f"file:{folder}", keys=["state"])
    rlds = write_rlds(tmp_path / "walk", sample())
    with pytest.raises(UsageError, match="columns are of tables and of LeRobot's folders"):
        load(f"file:{rlds}", columns={"reward": ["paid"]})
