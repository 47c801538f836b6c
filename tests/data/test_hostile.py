"""Files that are broken, mistaken or malicious: one line that names the file, exit 3, no harm."""

import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.data.samples import sample, write_csv, write_hdf5

from road.cli import main
from road.data import load
from road.data.memory import check_memory
from road.errors import DataError

Make = Callable[[Path], Path]
"""Makes a bad file in a folder."""


def made(name: str, content: bytes) -> Make:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return make


def exchanged(**changes: Any) -> Make:
    return lambda folder: write_hdf5(folder / "log.hdf5", sample(**changes))


def without(name: str) -> Make:
    def make(folder: Path) -> Path:
        return write_hdf5(folder / "log.hdf5", {n: a for n, a in sample().items() if n != name})

    return make


def linked(link: Callable[[Path], Any]) -> Make:
    """A log whose rewards are a link of some kind."""

    def make(folder: Path) -> Path:
        path = write_hdf5(folder / "log.hdf5", sample())
        write_hdf5(folder / "other.hdf5", sample())
        with h5py.File(path, "r+") as file:
            del file["rewards"]
            file["rewards"] = link(folder)
        return path

    return make


def virtual(folder: Path) -> Path:
    path = write_hdf5(folder / "log.hdf5", sample())
    write_hdf5(folder / "other.hdf5", sample())
    layout = h5py.VirtualLayout((15,), np.float32)
    layout[:] = h5py.VirtualSource(folder / "other.hdf5", "rewards", shape=(15,))
    with h5py.File(path, "r+") as file:
        del file["rewards"]
        file.create_virtual_dataset("rewards", layout)
    return path


def external_storage(folder: Path) -> Path:
    """Numbers that are the bytes of another user's file."""
    (folder / "secret").write_bytes(b"a secret of 60 bytes".ljust(60))
    path = write_hdf5(folder / "log.hdf5", sample())
    with h5py.File(path, "r+") as file:
        del file["rewards"]
        where = [(str(folder / "secret"), 0, 60)]
        file.create_dataset("rewards", (15,), np.float32, external=where)
    return path


def hdf5_bomb(folder: Path) -> Path:
    """A few kilobytes that claim 40 GB."""
    path = write_hdf5(folder / "log.hdf5", {n: a for n, a in sample().items() if n != "rewards"})
    with h5py.File(path, "r+") as file:
        file.create_dataset("rewards", (10**10,), np.float32, chunks=(2**20,), compression="gzip")
    return path


def chunk_bomb(folder: Path) -> Path:
    """Fifteen rewards in a chunk that has space for four billion bytes of them."""
    path = write_hdf5(folder / "log.hdf5", {n: a for n, a in sample().items() if n != "rewards"})
    with h5py.File(path, "r+") as file:
        file.create_dataset(
            "rewards", (15,), np.float32, maxshape=(None,), chunks=(10**9,), compression="gzip"
        )
    return path


def foreign_filter(folder: Path) -> Path:
    """Packed by a plugin that would have to be loaded from somewhere (Blosc)."""
    path = write_hdf5(folder / "log.hdf5", {n: a for n, a in sample().items() if n != "rewards"})
    with h5py.File(path, "r+") as file:
        settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        settings.set_chunk((5,))
        settings.set_filter(32001, h5py.h5z.FLAG_OPTIONAL, ())
        space = h5py.h5s.create_simple((15,))
        h5py.h5d.create(file.id, b"rewards", h5py.h5t.IEEE_F32LE, space, settings)
    return path


def words_instead_of_numbers(folder: Path) -> Path:
    path = write_hdf5(folder / "log.hdf5", {n: a for n, a in sample().items() if n != "rewards"})
    with h5py.File(path, "r+") as file:
        file["rewards"] = ["much"] * 15
    return path


def cut_hdf5(folder: Path) -> Path:
    path = write_hdf5(folder / "log.hdf5", sample())
    path.write_bytes(path.read_bytes()[:4000])
    return path


def damaged_chunk(folder: Path) -> Path:
    path = folder / "log.hdf5"
    noise = np.random.default_rng(0).normal(size=(15, 3))
    write_hdf5(path, sample(observations=noise, next_observations=noise))
    with h5py.File(path) as file:
        place = file["observations"].id.get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 20 : place + 60] = bytes(40)
    path.write_bytes(content)
    return path


def npz_bomb(folder: Path) -> Path:
    """An archive whose header claims 400 GB."""
    path = folder / "log.npz"
    np.savez(path, **{n: a for n, a in sample().items() if n != "rewards"})
    header = folder / "rewards.npy"
    with header.open("wb") as file:
        claim = {"descr": "<f4", "fortran_order": False, "shape": (10**11,)}
        np.lib.format.write_array_header_1_0(file, claim)
    with zipfile.ZipFile(path, "a") as archive:
        archive.write(header, "rewards.npy")
    return path


def npz_bomb_that_agrees_with_itself(folder: Path) -> Path:
    """The list of contents claims as much as the header does."""
    path = npz_bomb(folder)
    with zipfile.ZipFile(path, "a") as archive:
        archive.getinfo("rewards.npy").file_size = 4 * 10**11
        archive.writestr("more.npy", b"")  # so that the list is written again
    return path


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, sprung: Path) -> None:
        self.sprung = sprung

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.sprung),)


def npz_of_objects(folder: Path) -> Path:
    path = folder / "log.npz"
    trap = np.array([Trap(folder / "sprung")], dtype=object)
    np.savez(path, allow_pickle=True, **sample(rewards=trap))
    return path


def table_with_a_word(folder: Path) -> Path:
    path = write_csv(folder / "log.csv", sample())
    lines = path.read_text().splitlines()
    lines[4] = "oops" + lines[4][lines[4].index(",") :]
    path.write_text("\n".join(lines))
    return path


def folder_of_nothing(folder: Path) -> Path:
    (folder / "episodes").mkdir()
    return folder / "episodes"


def soft(_: Path) -> Any:
    return h5py.SoftLink("/actions")


def external(folder: Path) -> Any:
    return h5py.ExternalLink(folder / "other.hdf5", "rewards")


def episode_of_two_lengths(folder: Path) -> Path:
    episode = {"observations": np.zeros((4, 2)), "actions": np.zeros((3, 1)), "rewards": np.ones(3)}
    (folder / "episodes").mkdir()
    np.savez(folder / "episodes" / "000.npz", **episode)
    np.savez(folder / "episodes" / "001.npz", **{**episode, "actions": np.zeros((2, 1))})
    return folder / "episodes"


BAD: dict[str, tuple[Make, str]] = {
    "missing": (lambda folder: folder / "nowhere.hdf5", "no such file"),
    "empty": (made("log.hdf5", b""), "empty"),
    "html": (made("log.hdf5", b"\n<!DOCTYPE html><title>404</title>"), "HTML page"),
    "lfs": (made("log.hdf5", b"version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"),
    "pickle": (made("log.pkl", b"\x80\x04\x95junk"), "never opened"),
    "binary": (made("log.bin", b"\x01\x00\x02\x00"), "not a format"),
    "truncated": (cut_hdf5, "incomplete: 4000 of"),
    "damaged": (damaged_chunk, "observations is damaged in rows 0 to 14"),
    "soft link": (linked(soft), "rewards is a soft link"),
    "external link": (linked(external), "rewards is a link to another file"),
    "virtual": (virtual, "rewards lies in other files"),
    "external storage": (external_storage, "rewards lies in other files"),
    "hdf5 bomb": (hdf5_bomb, "rewards claims 40,000,000,000 bytes"),
    "chunk bomb": (chunk_bomb, "rewards claims 4,000,000,000 bytes"),
    "plugin": (foreign_filter, "packed by filter 32001"),
    "words": (words_instead_of_numbers, "rewards holds object, not numbers"),
    "npz bomb": (npz_bomb, "rewards claims 400,000,000,000 bytes"),
    "npz bomb that agrees": (
        npz_bomb_that_agrees_with_itself,
        "rewards claims 400,000,000,000 bytes",
    ),
    "objects": (npz_of_objects, "rewards holds Python objects"),
    "not a zip": (
        made("log.npz", b"PK\x03\x04 and no more"),
        "damaged, cut short or not an NPZ archive",
    ),
    "word in a table": (table_with_a_word, "'oops'"),
    "empty folder": (folder_of_nothing, "no .npz episodes"),
    "no rewards": (without("rewards"), "no array for reward"),
    "short rewards": (
        exchanged(rewards=np.zeros(14)),
        "15 rows where reward has 14",
    ),
    "flat observations": (exchanged(observations=np.zeros(15)), "observation has shape (15,)"),
    "images": (exchanged(observations=np.zeros((15, 4, 4))), "observation has shape (15, 4, 4)"),
    "no rows": (exchanged(rewards=np.zeros(0)), "has no rows"),
    "wide successors": (
        exchanged(next_observations=np.zeros((15, 4))),
        "next_observation has shape (15, 4) where observation has (15, 3)",
    ),
    "half an end": (
        exchanged(terminals=np.where(np.arange(15) == 3, 0.5, 0.0)),
        "terminated holds 0.5 at row 3",
    ),
    "an end that is no number": (
        exchanged(timeouts=np.where(np.arange(15) == 3, np.nan, 0.0)),
        "truncated holds nan at row 3",
    ),
    "an episode of two lengths": (episode_of_two_lengths, "001.npz: action has 2 rows where"),
    "discrete actions": (exchanged(actions=np.ones(15, np.int64)), "only continuous actions"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_one_line_and_exit_3(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, reported = BAD[case]
    path = make(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert main(["data", "check", f"file:{path}", "--out", str(tmp_path / "page.html")]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error: {path}: ")
    assert said.err.count("\n") == 1
    assert reported in said.err
    assert sorted(tmp_path.iterdir()) == before, "nothing is written, and no trap was sprung"


@pytest.mark.parametrize("make", [linked(external), virtual, external_storage])
def test_no_other_file_is_opened(make: Make, tmp_path: Path) -> None:
    """Watched from inside: HDF5 opens files itself, so a descriptor would show it."""
    path = make(tmp_path)
    other = {str(file.resolve()) for file in tmp_path.iterdir()} - {str(path)}
    seen: set[str] = set()

    def look(frame: Any, event: str, argument: Any) -> None:
        del frame, event, argument
        for entry in Path("/proc/self/fd").iterdir():
            try:
                seen.add(str(entry.readlink()))
            except OSError:
                continue

    sys.setprofile(look)
    try:
        with pytest.raises(DataError):
            load(f"file:{path}")
    finally:
        sys.setprofile(None)
    assert str(path) in seen, "the watch works"
    assert not seen & other


def test_data_beyond_memory_are_refused_with_where_they_could_go() -> None:
    check_memory("log.hdf5: observations", 1)
    with pytest.raises(DataError, match="stored:FOLDER"):
        check_memory("log.hdf5: observations", 10**18)


def test_numbers_that_float32_cannot_hold_are_refused(tmp_path: Path) -> None:
    huge = sample()["rewards"].astype(np.float64)
    huge[6] = 1e300
    path = write_hdf5(tmp_path / "log.hdf5", sample(rewards=huge))
    with pytest.raises(DataError, match="reward holds inf at row 6"):
        load(f"file:{path}")


def test_columns_of_one_number_are_taken_as_such(tmp_path: Path) -> None:
    arrays = sample()
    tall = {name: arrays[name][:, None] for name in ("rewards", "terminals", "timeouts")}
    path = write_hdf5(tmp_path / "log.hdf5", {**arrays, **tall})
    assert load(f"file:{path}").reward.shape == (15,)


def test_a_strange_name_is_a_name(tmp_path: Path) -> None:
    """Spaces, other scripts, a decomposed accent, and length."""
    path = write_hdf5(tmp_path / f"實驗 e\u0301 {'x' * 180}.hdf5", sample())
    assert len(load(f"file:{path}")) == 15
