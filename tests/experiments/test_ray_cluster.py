"""A real Ray cluster of two nodes on this machine, of which parts are killed.

Runs in an environment of its own: `make ray`.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.clusters import ray_nodes, ray_settings
from tests.experiments.conftest import ROAD, RUN, digests, entered, tiny_grid
from tests.experiments.test_backends import workers

from road.errors import UsageError
from road.experiments.backends.local import LocalBackend
from road.experiments.backends.ray import RayBackend
from road.experiments.grid import Case
from road.experiments.scheduler import Board, run_grid

# Looked for and not imported: Ray reads its settings while it is imported.
pytestmark = pytest.mark.skipif(
    find_spec("ray") is None, reason="ray is not installed: `make ray` has an environment for it"
)

SEEDS = tuple(range(8))
CASES = (Case("pendulum-flipped"), Case("pendulum-mixed"))
LONG = {**RUN, "online_steps": 300, "checkpoint_every": 50}
"""Sixteen cells, each with a pretraining of its own: thirty-two jobs."""

FILE = f"""
from road.experiments.grid import Case, Grid, Strategy

GRID = Grid(
    "tiny",
    cases=(Case("pendulum-flipped"), Case("pendulum-mixed")),
    strategies=(Strategy("ROAD", "road"),),
    seeds={SEEDS!r},
    run={LONG!r},
    agent_settings={{"hidden": (16, 16)}},
)
"""
TIMEOUT = 600.0


@pytest.fixture(scope="module")
def token(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A token that all nodes and drivers of these tests share."""
    with ray_settings(tmp_path_factory.mktemp("ray")):
        yield


@pytest.fixture
def cluster(token: None) -> Iterator[Any]:  # noqa: ARG001 -- its settings must be in force
    """Two nodes of one CPU each."""
    with ray_nodes(1, 1) as made:
        yield made


class Driver:
    """``road grid run --backend ray`` in a process of its own."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.words = [
            *(sys.executable, "-m", "road.cli", "grid", "run", "tiny.py", "--backend", "ray"),
            *("--ray-address", address, "--out", str(folder / "grid")),
        ]
        self.begin()

    def begin(self) -> None:
        begun = (self.folder / "grid" / "grid.json").exists()
        self.process = subprocess.Popen(
            [*self.words, *(["--resume"] if begun else [])],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()  # closes its pipe too


def done(folder: Path) -> int:
    return len(list((folder / "grid" / "done").glob("*.json")))


def wait_for(condition: Any, driver: Driver) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert driver.process.poll() is None, driver.process.communicate()[1]
        assert time.monotonic() < deadline, "nothing happens any more"
        time.sleep(0.1)


@pytest.mark.integration
def test_workers_a_node_and_the_driver_are_killed_and_every_cell_is_committed_once(
    cluster: Any, tmp_path: Path
):
    (tmp_path / "tiny.py").write_text(FILE)
    # The folder is there from the start, so that every driver goes on with it.
    grid = tiny_grid(cases=CASES, strategies=(ROAD,), seeds=SEEDS, run=LONG)
    store, work = entered(tmp_path / "grid", grid)
    assert len(work.cells) == 16
    driver = Driver(tmp_path, cluster.address)
    killed = list[str]()

    def kill_a_worker(which: str) -> None:
        wait_for(lambda: workers(store.path), driver)
        for process in workers(store.path)[:1]:
            pid = process if which == "job" else parent_of(process)
            os.kill(pid, signal.SIGKILL)
            killed.append(which)

    first = {path.name: path.stat().st_mtime_ns for path in (store.path / "done").iterdir()}
    for count, strike in (
        (3, lambda: kill_a_worker("job")),
        (8, lambda: kill_a_worker("Ray worker")),
        (14, driver.kill),
        (18, lambda: cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)),
        (22, lambda: kill_a_worker("Ray worker")),
        (26, driver.kill),
    ):
        wait_for(lambda count=count: done(tmp_path) >= count, driver)
        first |= {
            path.name: path.stat().st_mtime_ns
            for path in (store.path / "done").glob("*.json")
            if path.name not in first
        }
        strike()
        if driver.process.poll() is not None:
            driver.begin()
    _, said = driver.process.communicate(timeout=TIMEOUT)
    assert driver.process.returncode == 0, said
    assert len(killed) == 3
    results = [store.result(key) for _, key in work.cells]
    assert len({result["key"] for result in results}) == 16
    # Whatever was committed before a strike was not touched by anything later.
    after = {path.name: path.stat().st_mtime_ns for path in (store.path / "done").glob("*.json")}
    assert {name: after[name] for name in first} == first
    assert list((store.path / "failed").iterdir()) == []
    quiet, _ = entered(tmp_path / "quiet", grid)
    run_grid(quiet, work.jobs, LocalBackend(quiet.path, 2), lambda _: None)
    assert digests(store.path) == digests(quiet.path)


def parent_of(process: int) -> int:
    """The Ray worker that started a job."""
    stat = Path(f"/proc/{process}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


@pytest.mark.integration
@pytest.mark.usefixtures("token")
def test_a_cluster_of_its_own_has_tokens_on_and_no_dashboard(tmp_path: Path):
    import ray

    store, work = entered(tmp_path / "grid", tiny_grid(strategies=(ROAD,)))
    backend = RayBackend(store.path)
    try:
        assert ray.worker.global_worker.node.address_info["webui_url"] in ("", None)
        assert os.environ["RAY_AUTH_MODE"] == "token"
        assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    finally:
        board = run_grid(store, work.jobs, backend, lambda _: None)
    assert (len(board.done), board.failed) == (2, {})


@pytest.mark.integration
@pytest.mark.usefixtures("token")
def test_results_through_an_address_are_those_of_a_shared_folder(tmp_path: Path):
    """The nodes never see the driver's folder; at first the driver does not reach the address."""
    grid = tiny_grid(strategies=(ROAD,))
    store, work = entered(tmp_path / "driver", grid)
    through, in_the_way = f"file://{tmp_path}/address/grid", tmp_path / "address"
    in_the_way.write_text("")

    def clear(_: Board) -> None:
        if in_the_way.is_file():
            in_the_way.unlink()

    board = run_grid(store, work.jobs, RayBackend(store.path, through=through), clear)
    assert (len(board.done), board.failed) == (2, {})
    assert board.kills[work.jobs[0].key] == 1
    assert list((store.path / "logs").iterdir()) == []
    far = sorted(path.name for path in (tmp_path / "address").rglob("*.json"))
    assert far == sorted(f"{job.key}.json" for job in work.jobs for _ in ("job", "done"))
    quiet, _ = entered(tmp_path / "quiet", grid)
    run_grid(quiet, work.jobs, LocalBackend(quiet.path, 2), lambda _: None)
    assert digests(store.path) == digests(quiet.path)


def test_a_cluster_is_not_joined_without_a_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH", raising=False)
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UsageError, match="joined with a token: set RAY_AUTH_TOKEN_PATH"):
        RayBackend(tmp_path, "127.0.0.1:6379")
