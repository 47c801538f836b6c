"""Downloads against a real server on this machine: resumed, checked, and whole or not there."""

import fcntl
import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.data.samples import sample, write_hdf5

from road.data import download, load
from road.data.downloads import fetch
from road.data.sources.d4rl import PUBLISHED, download_path, find_published
from road.errors import DataError, LockedError, UsageError


class Server:
    """Serves one content at every path; can break off, and can refuse ranges."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.ranges: list[str | None] = []
        self.paths: list[str] = []
        self.break_off_after: int | None = None
        self.knows_ranges = True
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Answer, self))
        self.url = f"http://127.0.0.1:{self.http.server_port}"


class Answer(BaseHTTPRequestHandler):
    def __init__(self, server: Server, *arguments: object) -> None:
        self.site = server
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.site.ranges.append(asked)
        self.site.paths.append(self.path)
        content = self.site.content
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if not self.site.knows_ranges:
            start = 0
        if start >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        stop = self.site.break_off_after
        self.wfile.write(content[start:stop])

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(write_hdf5(tmp_path / "served.hdf5", sample()).read_bytes())
    thread = threading.Thread(target=server.http.serve_forever)
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


def test_a_file_arrives_whole_and_its_progress_is_reported(server: Server, tmp_path: Path) -> None:
    reported: list[tuple[int, int | None]] = []
    path = fetch(f"{server.url}/a", tmp_path / "a.hdf5", progress=lambda *at: reported.append(at))
    assert path.read_bytes() == server.content
    assert reported[-1] == (len(server.content), len(server.content))
    assert not (tmp_path / "a.hdf5.part").exists()


def test_what_broke_off_is_continued(server: Server, tmp_path: Path) -> None:
    server.break_off_after = 1000
    with pytest.raises(DataError, match=rf"put the file at {tmp_path}"):
        fetch(f"{server.url}/a", tmp_path / "a.hdf5")
    assert (tmp_path / "a.hdf5.part").stat().st_size == 1000
    assert not (tmp_path / "a.hdf5").exists()
    server.break_off_after = None
    assert fetch(f"{server.url}/a", tmp_path / "a.hdf5").read_bytes() == server.content
    assert server.ranges == [None, "bytes=1000-"]


def test_a_server_without_ranges_begins_again(server: Server, tmp_path: Path) -> None:
    server.knows_ranges = False
    (tmp_path / "a.hdf5.part").write_bytes(b"x" * 500)
    assert fetch(f"{server.url}/a", tmp_path / "a.hdf5").read_bytes() == server.content


@pytest.mark.parametrize("whole", [True, False])
def test_a_part_with_nothing_missing_is_taken_if_it_is_the_file(
    server: Server, tmp_path: Path, whole: bool
) -> None:
    """Else it belongs to something else, and the download begins again."""
    part = server.content if whole else server.content + b"more"
    (tmp_path / "a.hdf5.part").write_bytes(part)
    assert fetch(f"{server.url}/a", tmp_path / "a.hdf5").read_bytes() == server.content


def test_two_downloads_of_one_file_do_not_mix(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "a.hdf5.part"
    with part.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LockedError, match="another process"):
            fetch(f"{server.url}/a", tmp_path / "a.hdf5")
    assert part.read_bytes() == b""
    assert fetch(f"{server.url}/a", tmp_path / "a.hdf5").read_bytes() == server.content


def test_another_file_than_was_published_is_refused(server: Server, tmp_path: Path) -> None:
    right = hashlib.sha256(server.content).hexdigest()
    fetch(f"{server.url}/a", tmp_path / "a.hdf5", right)
    with pytest.raises(DataError, match="another file than was published"):
        fetch(f"{server.url}/b", tmp_path / "b.hdf5", "0" * 64)
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {"served.hdf5", "a.hdf5"}


def test_an_error_page_is_not_kept(server: Server, tmp_path: Path) -> None:
    server.content = b"<!doctype html><h1>Log in first</h1>"
    with pytest.raises(DataError, match="HTML page"):
        fetch(f"{server.url}/a", tmp_path / "a.hdf5")
    assert not list(tmp_path.glob("a.*"))


def test_a_sentence_is_no_dataset(server: Server, tmp_path: Path) -> None:
    server.content = b"Access denied by the proxy"
    with pytest.raises(DataError, match="gave a text file where HDF5 is meant"):
        fetch(f"{server.url}/a", tmp_path / "a.hdf5")
    assert not list(tmp_path.glob("a.*"))


def test_a_published_dataset_is_loaded_once_it_was_downloaded(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROAD_D4RL_URL", server.url)
    with pytest.raises(DataError, match="run `road data download d4rl:walker2d-random-v2`"):
        load("d4rl:walker2d-random-v2")
    path = download("d4rl:walker2d-random-v2")
    assert path == download_path(find_published("walker2d-random-v2"))
    assert len(load("d4rl:walker2d-random-v2")) == 15
    download("d4rl:walker2d-random-v2")
    assert server.paths == ["/gym_mujoco_v2/walker2d_random-v2.hdf5"], "asked for once"


def test_without_a_network_the_place_for_the_file_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROAD_D4RL_URL", "http://127.0.0.1:1")
    with pytest.raises(DataError) as refused:
        download("d4rl:hopper-expert-v2")
    place = tmp_path / "road_data_dir" / "d4rl" / "hopper_expert-v2.hdf5"
    assert f"put the file at {place}" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_copy_of_the_d4rl_package_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "d4rl_dataset_dir"
    folder.mkdir()
    write_hdf5(folder / "pen-human-v1.hdf5", sample())
    assert len(load("d4rl:pen-human-v1")) == 15
    assert download("d4rl:pen-human-v1") == folder / "pen-human-v1.hdf5"


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://host/x"])
def test_only_the_web_is_fetched_from(address: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only http"):
        fetch(address, tmp_path / "x")


def test_every_task_of_the_benchmark_has_a_file_of_its_own() -> None:
    assert len(PUBLISHED) == 24 + 6 + 3 + 12
    assert len({file.path for file in PUBLISHED.values()}) == len(PUBLISHED)
    assert find_published("antmaze-large-play-v2").name == (
        "Ant_maze_hardest-maze_noisy_multistart_True_multigoal_False_sparse_fixed.hdf5"
    )


def test_a_name_that_is_nearly_one_is_corrected() -> None:
    with pytest.raises(UsageError, match="hopper-medium-v2"):
        find_published("hopper-medum-v2")
