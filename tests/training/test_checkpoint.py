import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from road.errors import DamagedError, StorageError
from road.training import checkpoint
from road.training.checkpoint import (
    Damaged,
    checkpoints,
    load_checkpoint,
    load_latest,
    save_checkpoint,
)


def save(root: Path, position: int, best: int | None = None) -> Path:
    arrays = {"agent/0000": np.full((50, 3), position, np.float32), "count": np.array(position)}
    return save_checkpoint(root, position, arrays, {"position": position}, best)


def test_what_is_saved_is_loaded(tmp_path: Path):
    arrays, document = load_checkpoint(save(tmp_path, 7))
    assert document == {"position": 7}
    np.testing.assert_array_equal(arrays["agent/0000"], np.full((50, 3), 7, np.float32))
    assert arrays["count"].dtype == np.int64


def test_the_last_two_and_the_best_are_kept(tmp_path: Path):
    for position in (10, 20, 30, 40):
        save(tmp_path, position, best=10)
    assert [path.name[-2:] for path in checkpoints(tmp_path)] == ["10", "30", "40"]


def test_saving_again_at_the_same_position_replaces(tmp_path: Path):
    save(tmp_path, 5)
    save_checkpoint(tmp_path, 5, {"x": np.ones(2)}, {"new": True}, None)
    assert load_checkpoint(checkpoints(tmp_path)[0])[1] == {"new": True}
    assert len(list(tmp_path.iterdir())) == 1


def test_a_kill_in_the_middle_of_replacing_does_not_block_the_next_save(tmp_path: Path):
    save(tmp_path, 5)
    leftover = tmp_path / ".writing-replaced-step-0000000005"
    leftover.mkdir()
    (leftover / "state.json").write_text("{}")
    save(tmp_path, 5)
    assert [path.name for path in tmp_path.iterdir()] == ["step-0000000005"]


def damage(path: Path, how: str, rng: np.random.Generator) -> None:
    victim = path / str(rng.choice(["arrays.npz", "state.json", "MANIFEST.json"]))
    data = bytearray(victim.read_bytes())
    if how == "flip":
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        victim.write_bytes(data)
    elif how == "truncate":
        victim.write_bytes(data[: int(rng.integers(len(data)))])
    else:
        victim.unlink()


@pytest.mark.parametrize("how", ["flip", "truncate", "remove"])
def test_every_damage_is_noticed_and_the_one_before_is_used(tmp_path: Path, how: str):
    rng = np.random.default_rng(0)
    save(tmp_path, 1)
    newest = save(tmp_path, 2)
    pristine = tmp_path.parent / f"pristine-{how}"
    shutil.copytree(newest, pristine)
    unnoticed = 0
    for _ in range(40):
        shutil.rmtree(newest)
        shutil.copytree(pristine, newest)
        damage(newest, how, rng)
        said: list[str] = []
        loaded = load_latest(tmp_path, said.append)
        assert loaded is not None
        if loaded[1]["position"] == 2:  # a flipped bit in the manifest's white space, at most
            unnoticed += 1
            np.testing.assert_array_equal(loaded[0]["agent/0000"], 2.0)
        else:
            assert len(said) == 1
            assert "damaged" in said[0]
    assert unnoticed <= 1


def test_what_was_fallen_back_from_does_not_outlive_what_came_after(tmp_path: Path):
    """The run goes on from 10 and saves at 15, below the damaged ones."""
    save(tmp_path, 10, best=10)
    for position in (20, 30):
        (save(tmp_path, position, best=10) / "state.json").unlink()
    save(tmp_path, 15, best=10)
    assert [path.name[-2:] for path in checkpoints(tmp_path)] == ["10", "15"]
    loaded = load_latest(tmp_path, pytest.fail)
    assert loaded is not None and loaded[1] == {"position": 15}


def test_only_damaged_checkpoints_is_an_error_not_a_fresh_start(tmp_path: Path):
    (save(tmp_path, 1) / "state.json").unlink()
    with pytest.raises(DamagedError, match="every checkpoint"):
        load_latest(tmp_path, lambda _: None)


def test_a_kill_between_two_renames_leaves_what_was_to_be_replaced(tmp_path: Path):
    """The only checkpoint was set aside for its successor, which never came."""
    only = save(tmp_path, 1)
    only.rename(tmp_path / f".writing-replaced-{only.name}")
    loaded = load_latest(tmp_path, lambda _: None)
    assert loaded is not None
    assert loaded[1]["position"] == 1
    save(tmp_path, 1)
    assert [path.name for path in tmp_path.iterdir()] == [only.name]


def test_a_second_kill_leaves_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    only = save(tmp_path, 1)
    only.rename(tmp_path / f".writing-replaced-{only.name}")

    def killed(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            save(tmp_path, 1)
    loaded = load_latest(tmp_path, pytest.fail)
    assert loaded is not None and loaded[1] == {"position": 1}


def test_no_checkpoint_is_no_error(tmp_path: Path):
    assert load_latest(tmp_path / "nothing", lambda _: None) is None


def test_a_save_that_was_cut_off_is_never_taken_for_a_checkpoint(tmp_path: Path):
    save(tmp_path, 1)
    cut = tmp_path / ".writing-step-0000000002"
    cut.mkdir()
    (cut / "arrays.npz").write_bytes(b"half")
    loaded = load_latest(tmp_path, pytest.fail)
    assert loaded is not None and loaded[1] == {"position": 1}
    save(tmp_path, 3)
    assert not cut.exists()


def test_a_full_disk_is_said_with_numbers_and_the_last_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    save(tmp_path, 1)

    def full(_: Any) -> Any:
        return shutil._ntuple_diskusage(10**9, 10**9, 100)

    monkeypatch.setattr(checkpoint.shutil, "disk_usage", full)
    with pytest.raises(StorageError, match="no space"):
        save(tmp_path, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["step-0000000001"]


def test_an_object_array_cannot_be_smuggled_in(tmp_path: Path):
    """No unpickling: arrays of objects are refused even with a right checksum."""
    path = save(tmp_path, 1)
    with (path / "arrays.npz").open("wb") as file:
        np.savez(file, evil=np.array([{"a": 1}], dtype=object))
    manifest = {"format": checkpoint.FORMAT, "files": {}}
    for name in ("arrays.npz", "state.json"):
        manifest["files"][name] = checkpoint.digest(path / name)
    (path / "MANIFEST.json").write_text(json.dumps(manifest))
    with pytest.raises(Damaged, match="pickle"):
        load_checkpoint(path)


def test_a_checkpoint_of_another_format_is_refused_not_skipped(tmp_path: Path):
    save(tmp_path, 1)
    path = save(tmp_path, 2)
    (path / "MANIFEST.json").write_text('{"format": 99, "files": {}}')
    with pytest.raises(StorageError, match="format 99"):
        load_latest(tmp_path, lambda _: None)
