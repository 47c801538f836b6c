"""One contract for every backend; Ray's own tests are in test_ray_cluster.py.

Ray is one of them where it is installed: `make ray` has an environment for it.
"""

import _thread
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.experiments.clusters import ray_nodes, ray_settings
from tests.experiments.conftest import ROAD, RUN, digests, entered, tiny_grid

from road.experiments.backends import local
from road.experiments.backends.local import LocalBackend, run_to_its_end
from road.experiments.backends.ray import RayBackend
from road.experiments.grid import Case
from road.experiments.making import Collected
from road.experiments.scheduler import Backend, Board, run_grid

# Looked for and not imported: Ray reads its settings while it is imported.
BACKENDS = ("local", "ray") if find_spec("ray") else ("local",)


@pytest.fixture(scope="module", params=BACKENDS)
def make(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Path], Backend]]:
    """Two jobs at a time; on one Ray node that is started once for all tests."""
    if request.param == "local":
        yield lambda path: LocalBackend(path, 2)
        return
    with ray_settings(tmp_path_factory.mktemp("ray")), ray_nodes(2) as cluster:
        yield lambda path: RayBackend(path, cluster.address)


def workers(store: Path) -> list[int]:
    """Processes that work for this store."""
    found = list[int]()
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"road.experiments.worker" in words and str(store).encode() in words:
            found.append(int(folder.name))
    return found


@pytest.mark.integration
def test_a_grid_is_run_to_its_end(make: Callable[[Path], Backend], tmp_path: Path):
    store, work = entered(tmp_path / "grid", tiny_grid(strategies=(ROAD,)))
    board = run_grid(store, work.jobs, make(store.path), lambda _: None)
    assert (len(board.done), board.failed) == (2, {})
    for _, key in work.cells:
        result = store.result(key)
        assert result["summary"]["finished"]
        assert result["area"] is not None
        # Judged once before the switch, at it, at half-time and at the end.
        journal = (store.path / "runs" / key / "evaluations.jsonl").read_text()
        assert journal.count("\n") == 4
        assert not (store.path / "runs" / key / "checkpoints").exists()


@pytest.mark.integration
def test_a_worker_does_one_job_after_another_with_the_bits_of_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A pretrained agent and two cells, by one process; then by two."""
    stores, seen = list[Path](), list[int]()
    for career in (local.CAREER, 2):
        monkeypatch.setattr(local, "CAREER", career)
        store, work = entered(tmp_path / str(career), tiny_grid())
        stores.append(store.path)
        watch = partial(note_workers, seen)
        board = run_grid(store, work.jobs, LocalBackend(store.path, 1), watch)
        assert (len(board.done), board.failed) == (3, {})
        assert workers(store.path) == []
    assert len(set(seen)) == 1 + 2
    first, second = map(digests, stores)
    assert first == second


def note_workers(seen: list[int], board: Board) -> None:
    seen.extend(workers(board.store.path))


@pytest.mark.integration
def test_a_worker_that_is_killed_is_replaced_and_changes_no_bit(
    make: Callable[[Path], Backend], tmp_path: Path
):
    long = {**RUN, "online_steps": 400, "checkpoint_every": 50}
    quiet, work = entered(tmp_path / "quiet", tiny_grid(run=long, strategies=(ROAD,)))
    run_grid(quiet, work.jobs, make(quiet.path), lambda _: None)
    store, _ = entered(tmp_path / "killed", tiny_grid(run=long, strategies=(ROAD,)))
    killed = list[int]()

    def kill(board: Any) -> None:
        """Three in all, whatever they are doing."""
        if len(killed) < 3 and board.running and time.monotonic() - board.began > 2 * len(killed):
            for worker in workers(store.path)[:1]:
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)

    board = run_grid(store, work.jobs, make(store.path), kill)
    assert killed
    assert (len(board.done), board.failed) == (2, {})
    assert digests(store.path) == digests(quiet.path)


@pytest.mark.integration
def test_a_job_with_an_error_of_its_own_is_given_up_and_the_others_are_not(
    make: Callable[[Path], Backend], tmp_path: Path
):
    broken = Case("broken", task="pendulum-mixed", own={"data": f"file:{tmp_path / 'x.hdf5'}"})
    (tmp_path / "x.hdf5").write_bytes(b"no log")
    cases = (Case("pendulum-flipped"), broken)
    store, work = entered(tmp_path / "grid", tiny_grid(cases=cases, strategies=(ROAD,)))
    board = run_grid(store, work.jobs, make(store.path), lambda _: None)
    assert len(board.done) == 2
    assert len(board.failed) == 2
    assert any("x.hdf5" in message for message in board.failed.values())
    logs = "".join(path.read_text() for path in (store.path / "logs").glob("*.log"))
    assert "Traceback" in logs  # where it went wrong, for the author of that code
    assert not any("Traceback" in message for message in board.failed.values())


@pytest.mark.integration
def test_asked_to_stop_it_leaves_no_worker_and_goes_on_later(
    make: Callable[[Path], Backend], tmp_path: Path
):
    from road.errors import Interrupted

    long = {**RUN, "online_steps": 2_000}
    store, work = entered(tmp_path / "grid", tiny_grid(run=long, strategies=(ROAD,)))
    ran = list[int]()

    def both_run() -> bool:
        ran.extend(workers(store.path))
        return any(list((store.path / "runs").glob("*/sessions.jsonl")))

    with pytest.raises(Interrupted, match="everything is saved"):
        run_grid(store, work.jobs, make(store.path), lambda _: None, both_run)
    assert ran
    assert workers(store.path) == []
    board = run_grid(store, work.jobs, make(store.path), lambda _: None)
    assert len(board.done) == 2


@pytest.fixture
def interrupts() -> Iterator[None]:
    """As in a terminal; a shell that starts the tests in its background lets them hear none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.integration
@pytest.mark.usefixtures("interrupts")
def test_a_process_interrupted_while_a_job_runs_leaves_no_worker(tmp_path: Path):
    """As Ray interrupts a function: nothing that blocks in the operating system is woken."""
    long = {**RUN, "offline_steps": 40_000}
    store, work = entered(tmp_path / "grid", tiny_grid(run=long, strategies=(ROAD,)))
    job = work.jobs[0]

    def interrupt() -> None:
        deadline = time.monotonic() + 120.0
        while not (store.place(job) / "sessions.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        _thread.interrupt_main()

    Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run_to_its_end(store.path, job.key)
    assert workers(store.path) == []
    assert not store.is_done(job.key)
    assert list((store.place(job) / "checkpoints").iterdir()) != []


@pytest.mark.integration
def test_data_that_a_grid_makes_is_made_first_and_learnt_from(
    make: Callable[[Path], Backend], tmp_path: Path
):
    data = Collected("pendulum-mixed", "expert", 400)
    case = Case("from an expert", task="pendulum-mixed", data=data, run={"offline_steps": 0})
    store, work = entered(tmp_path / "grid", tiny_grid(cases=(case,), strategies=(ROAD,)))
    assert [job.kind for job in work.jobs] == ["data", "cell"]
    board = run_grid(store, work.jobs, make(store.path), lambda _: None)
    assert (len(board.done), board.failed) == (2, {})
    log = next((store.path / "data" / work.jobs[0].key).glob("*.hdf5"))
    config = json.loads((store.path / "runs" / work.jobs[1].key / "config.json").read_text())
    assert config["own"]["data"] == f"file:{log}"
