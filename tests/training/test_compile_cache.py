"""Compiled code that is kept: what was damaged is compiled again, and that is said once."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from road.training.compile_cache import SUFFIX, CheckedCache


def damages(content: bytes) -> list[bytes]:
    flipped = bytearray(content)
    flipped[len(flipped) // 2] ^= 1
    return [bytes(flipped), content[:-1], content[:20], b"", content + b"x"]


def test_what_was_put_is_got(tmp_path: Path):
    cache = CheckedCache(tmp_path / "compiled")
    assert cache.get("a") is None
    cache.put("a", b"code")
    assert cache.get("a") == b"code"
    assert [path.name for path in (tmp_path / "compiled").iterdir()] == [f"a{SUFFIX}"]


def test_a_damaged_entry_is_removed_and_reported_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    cache = CheckedCache(tmp_path)
    cache.put("a", b"code" * 100)
    path = cache.place("a")
    for damaged in damages(path.read_bytes()):
        path.write_bytes(damaged)
        assert cache.get("a") is None
        assert not path.exists()
        cache.put("a", b"code" * 100)
    assert capsys.readouterr().err.count("was damaged; it is removed") == 1


def test_a_pipe_or_a_link_is_no_entry(tmp_path: Path):
    cache, secret = CheckedCache(tmp_path), tmp_path / "secret"
    secret.write_bytes(b"secret")
    for make in (os.mkfifo, lambda path: path.symlink_to(secret)):
        make(cache.place("a"))
        assert cache.get("a") is None
    assert secret.read_bytes() == b"secret"


def test_a_disk_that_takes_nothing_costs_nothing_but_time(tmp_path: Path):
    (tmp_path / "file").write_text("")
    CheckedCache(tmp_path / "file").put("a", b"code")


@pytest.mark.integration
def test_a_command_goes_on_with_a_damaged_cache(
    road: Any, tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """A run with every entry damaged says so in one line, and leaves none of them."""
    own = tmp_path / "data"
    shutil.copytree(data_folder, own, ignore=shutil.ignore_patterns("compiled"))
    monkeypatch.setenv("ROAD_DATA_DIR", str(own))
    words = ["train", "pendulum-flipped", "--offline-steps", "1", "--online-steps", "0"]
    words += ["--evaluation-episodes", "1", "--iql.hidden", "4"]
    said, entries = list[str](), list[Path]()
    for number in range(2):
        done = road(*words, "--out", tmp_path / f"run{number}")
        assert done.returncode == 0, done.stderr
        said.append(done.stderr)
        if number == 0:
            entries += (own / "compiled").glob(f"*{SUFFIX}")
            assert entries
            for index, path in enumerate(entries):
                path.write_bytes(damages(path.read_bytes())[index % 5])
    assert [text.count("was damaged") for text in said] == [0, 1]
    cache = CheckedCache(own / "compiled")
    assert all(cache.get(path.name.removesuffix(SUFFIX)) for path in entries)
    assert "Error reading persistent" not in "".join(said)
