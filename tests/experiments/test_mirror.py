"""A grid through an address: what one machine made is what another finds, and once only."""

import json
import shutil
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest
from tests.experiments.conftest import ROAD, entered, tiny_grid

from road.errors import StorageError, UsageError
from road.experiments.backends.local import LocalBackend
from road.experiments.backends.ray import keep_words, work_on_a_node
from road.experiments.grid import Case
from road.experiments.jobs import Job
from road.experiments.making import Collected
from road.experiments.object_store import Mirror, Reach, scratch
from road.experiments.scheduler import last_words, run_grid
from road.experiments.store import Store

pytest.importorskip("fsspec", reason="fsspec is not installed (the extra 'ray')")


@pytest.fixture(params=["memory", "file"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    name = "memory://" + tmp_path.name if request.param == "memory" else f"file://{tmp_path}/far"
    return f"{name}/{request.node.name.replace('[', '-').strip(']')}"


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Store, Job, Job]:
    """The driver's folder, a pretraining and the cell that needs it."""
    store, work = entered(tmp_path / "driver", tiny_grid(strategies=(ROAD,)))
    return store, *work.jobs


def make(store: Store, job: Job, content: bytes, result: str) -> None:
    """What a worker leaves behind."""
    (store.place(job) / "checkpoints").mkdir(parents=True)
    (store.place(job) / "checkpoints" / "arrays.npz").write_bytes(content)
    (store.place(job) / "metrics.jsonl").write_bytes(content)
    (store.place(job) / "LOCK").write_text("pid 1")
    store.commit(job.key, {"seconds": 1.0, "made": result})


def test_a_result_is_created_once_and_the_first_one_stays(
    address: str, begun: tuple[Store, Job, Job], tmp_path: Path
):
    driver, _, cell = begun
    one, two = Store(tmp_path / "one"), Store(tmp_path / "two")
    mirror = Mirror(address)
    mirror.announce(driver, cell)
    for store, made in ((one, "first"), (two, "second")):
        (store.path / "done").mkdir(parents=True)
        make(store, cell, made.encode(), made)
    assert mirror.publish(one, cell) is True
    assert mirror.publish(two, cell) is False
    Mirror(address).gather(driver, cell)
    assert driver.result(cell.key)["made"] == "first"
    assert (driver.place(cell) / "metrics.jsonl").read_bytes() == b"first"


def test_what_the_driver_had_done_before_is_there_for_the_jobs_that_need_it(
    address: str, begun: tuple[Store, Job, Job], tmp_path: Path
):
    """A grid that was begun on one machine goes on through an address."""
    driver, pretraining, cell = begun
    make(driver, pretraining, b"weights", "here")
    Mirror(address).announce(driver, cell)
    node = Store(tmp_path / "node")
    Mirror(address).bring(node, cell.key)
    assert (node.place(pretraining) / "checkpoints" / "arrays.npz").read_bytes() == b"weights"
    assert not Mirror(address).is_done(cell.key)


def test_a_result_whose_folder_is_gone_is_not_published(
    address: str, begun: tuple[Store, Job, Job]
):
    driver, pretraining, cell = begun
    driver.commit(pretraining.key, {"seconds": 1.0})
    with pytest.raises(
        StorageError, match=f"{pretraining.key} is gone: delete done/{pretraining.key}"
    ):
        Mirror(address).announce(driver, cell)
    assert not Mirror(address).is_done(pretraining.key)


def test_a_machine_gets_the_job_and_what_it_needs(
    address: str, begun: tuple[Store, Job, Job], tmp_path: Path
):
    driver, pretraining, cell = begun
    mirror = Mirror(address)
    mirror.announce(driver, cell)
    make(driver, pretraining, b"\0weights", "here")
    assert mirror.publish(driver, pretraining)
    far = Store(tmp_path / "far-away")
    assert Mirror(address).bring(far, cell.key).what == json.loads(json.dumps(cell.what))
    found = far.place(pretraining)
    assert (found / "checkpoints" / "arrays.npz").read_bytes() == b"\0weights"
    assert not (found / "LOCK").exists()
    assert [path.name for path in (far.path / "pretrained").iterdir()] == [pretraining.key]


def test_a_job_that_was_mended_reaches_a_machine_that_had_it_before(
    address: str, begun: tuple[Store, Job, Job], tmp_path: Path
):
    """What a case may import is no part of its key."""
    driver, pretraining, cell = begun
    make(driver, pretraining, b"weights", "here")
    far, mirror = Store(tmp_path / "far-away"), Mirror(address)
    for allowed in ([], ["a_package"]):
        mended = replace(cell, what={**cell.what, "allowed": allowed})
        mirror.announce(driver, mended)
        mirror.bring(far, cell.key)
        assert far.job(cell.key).what["allowed"] == allowed


def test_jobs_of_one_machine_wait_for_the_one_that_fetches(
    address: str, begun: tuple[Store, Job, Job], tmp_path: Path
):
    """Every job finds all that it needs, also if the others on its node need the same just then."""
    driver, pretraining, cell = begun
    mirror, files = Mirror(address), [f"{index}.npz" for index in range(100)]
    mirror.announce(driver, cell)
    make(driver, pretraining, b"weights", "here")
    for name in files:
        (driver.place(pretraining) / name).write_bytes(b"weights")
    mirror.publish(driver, pretraining)
    for index in range(5):
        far, start = Store(tmp_path / f"far-{index}"), Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            seen = [pool.submit(fetched, address, far, cell, pretraining, start) for _ in range(4)]
        assert all(set(files) <= each.result() for each in seen)


def fetched(address: str, store: Store, cell: Job, needed: Job, start: Barrier) -> set[str]:
    """The files of what a cell needs, as soon as they are said to be there."""
    mirror = Mirror(address)
    start.wait()
    mirror.bring(store, cell.key)
    return {path.name for path in store.place(needed).iterdir()}


def test_what_a_killed_job_has_left_makes_way_for_the_result_of_another(
    address: str, begun: tuple[Store, Job, Job], tmp_path: Path
):
    """On the node that began a pretraining, and in the driver's folder that began a cell."""
    driver, pretraining, cell = begun
    mirror, worker, node = Mirror(address), Store(tmp_path / "worker"), Store(tmp_path / "node")
    mirror.announce(driver, cell)
    (worker.path / "done").mkdir(parents=True)
    for job in (pretraining, cell):
        make(worker, job, b"whole", "there")
        mirror.publish(worker, job)
    for store, job in ((node, pretraining), (driver, cell)):
        store.place(job).mkdir(parents=True)
        (store.place(job) / "metrics.jsonl").write_bytes(b"half")
        (store.place(job) / "config.json").write_bytes(b"of the killed")
    mirror.bring(node, cell.key)
    mirror.gather(driver, cell)
    for store, job in ((node, pretraining), (driver, cell)):
        assert (store.place(job) / "metrics.jsonl").read_bytes() == b"whole"
        assert not (store.place(job) / "config.json").exists()
        assert store.result(job.key)["made"] == "there"


def test_what_a_machine_has_done_itself_is_not_fetched(
    address: str, begun: tuple[Store, Job, Job], tmp_path: Path
):
    driver, pretraining, cell = begun
    mirror, node = Mirror(address), Store(tmp_path / "node")
    mirror.announce(driver, cell)
    make(driver, pretraining, b"there", "there")
    mirror.publish(driver, pretraining)
    (node.path / "done").mkdir(parents=True)
    make(node, pretraining, b"here", "here")
    mirror.bring(node, cell.key)
    assert (node.place(pretraining) / "metrics.jsonl").read_bytes() == b"here"
    assert node.result(pretraining.key)["made"] == "here"


def test_a_finished_cell_leaves_its_buffer_behind(
    address: str, begun: tuple[Store, Job, Job], tmp_path: Path
):
    driver, _, cell = begun
    worker = Store(tmp_path / "worker")
    (worker.path / "done").mkdir(parents=True)
    make(worker, cell, b"rows", "there")
    Mirror(address).publish(worker, cell)
    Mirror(address).gather(driver, cell)
    assert [path.name for path in driver.place(cell).iterdir()] == ["metrics.jsonl"]


def test_an_address_that_cannot_be(tmp_path: Path):
    with pytest.raises(UsageError, match="an address looks like"):
        Mirror(str(tmp_path))
    with pytest.raises(UsageError, match="nowhere://x cannot be reached"):
        Mirror("nowhere://x")
    with pytest.raises(StorageError, match="was the grid begun there"):
        Mirror(f"file://{tmp_path}/empty").bring(Store(tmp_path / "s"), "0123456789ab")


def test_a_place_that_cannot_be_reached_for_a_while_is_tried_again(tmp_path: Path):
    """There is a file where a folder should be: as from a network, an OSError that is no answer."""
    (tmp_path / "file").write_text("")
    away = f"file://{tmp_path}/file/grid"
    assert work_on_a_node(str(tmp_path / "store"), "0123456789ab", away) == ("again", "")


@pytest.fixture
def blocked(tmp_path: Path) -> Path:
    """A file where the folder of an address should be."""
    (tmp_path / "far").write_text("")
    return tmp_path / "far"


def test_a_driver_tries_again_what_did_not_get_through(
    begun: tuple[Store, Job, Job], blocked: Path, tmp_path: Path
):
    driver, pretraining, _ = begun
    address = f"file://{blocked}/grid"
    reach = Reach(driver, address)
    assert reach.announce(pretraining) is False
    blocked.unlink()
    assert reach.announce(pretraining) is True
    worker = Store(tmp_path / "worker")
    Mirror(address).bring(worker, pretraining.key)
    make(worker, pretraining, b"weights", "there")
    Mirror(address).publish(worker, pretraining)
    away = blocked.rename(tmp_path / "away")
    blocked.write_text("")
    assert reach.gather(pretraining) is False
    assert not driver.is_done(pretraining.key)
    blocked.unlink()
    away.rename(blocked)
    assert reach.gather(pretraining) is True
    assert driver.result(pretraining.key)["made"] == "there"


def test_a_driver_that_reaches_nothing_for_long_says_so_in_one_line(
    begun: tuple[Store, Job, Job], blocked: Path
):
    """For longer than its patience without a break."""
    driver, _, cell = begun
    reach = Reach(driver, f"file://{blocked}/grid", patience=0.2)
    assert reach.announce(cell) is False
    blocked.unlink()
    time.sleep(0.2)
    assert reach.announce(cell) is True
    shutil.rmtree(blocked)
    blocked.write_text("")
    assert reach.announce(cell) is False
    time.sleep(0.2)
    with pytest.raises(StorageError, match=r"nothing got through file://.* go on with --resume"):
        reach.announce(cell)


class StoreError(Exception):
    """Of the kind that the clients of object stores bring along: no OSError."""


@pytest.fixture
def moody() -> Generator[dict[str, Exception]]:
    """A kind of address, moody://, that refuses every request with the error given here."""
    import fsspec
    from fsspec.implementations.memory import MemoryFileSystem

    mood: dict[str, Exception] = {}

    class MoodyFileSystem(MemoryFileSystem):
        protocol = "moody"

        def makedirs(self, path: str, exist_ok: bool = False) -> None:
            if "refusal" in mood:
                raise mood["refusal"]
            super().makedirs(path, exist_ok)

    fsspec.register_implementation("moody", MoodyFileSystem, clobber=True)
    yield mood
    MemoryFileSystem.store.clear()


def test_an_error_of_the_stores_own_kind_is_tried_again_and_then_reported_in_one_line(
    begun: tuple[Store, Job, Job], moody: dict[str, Exception]
):
    driver, _, cell = begun
    reach = Reach(driver, "moody://grid", patience=0.2)
    moody["refusal"] = StoreError("slow down")
    assert reach.announce(cell) is False
    time.sleep(0.2)
    with pytest.raises(StorageError, match=r"nothing got through .*StoreError: slow down"):
        reach.announce(cell)
    moody.clear()
    assert reach.announce(cell) is True


def test_a_store_that_cannot_be_written_is_reported_at_once(
    begun: tuple[Store, Job, Job], moody: dict[str, Exception]
):
    driver, _, cell = begun
    moody["refusal"] = NotImplementedError()
    with pytest.raises(UsageError, match="cannot hold a grid: it has no makedirs"):
        Reach(driver, "moody://grid").announce(cell)


def test_a_node_without_the_job_says_why_the_grid_stops(
    address: str, begun: tuple[Store, Job, Job]
):
    driver, _, cell = begun
    outcome, message = work_on_a_node("not seen", cell.key, address)
    assert outcome == "halt"
    assert f"has no jobs/{cell.key}.json: was the grid begun there?" in message
    keep_words(driver, cell.key, message)
    assert last_words(driver, cell.key) == message


@pytest.mark.integration
def test_a_node_whose_disk_is_no_use_says_why_the_grid_stops(
    begun: tuple[Store, Job, Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """There is a file where the worker wants its folder."""
    monkeypatch.setenv("ROAD_DATA_DIR", str(tmp_path / "node"))
    driver, pretraining, _ = begun
    through = f"file://{tmp_path}/address"
    Mirror(through).announce(driver, pretraining)
    place = scratch(through).place(pretraining)
    place.parent.mkdir(parents=True)
    place.write_text("")
    said = f"cannot write to {place}: File exists"
    assert work_on_a_node("not seen", pretraining.key, through) == ("halt", said)


@pytest.mark.integration
def test_a_grid_that_was_begun_on_this_machine_goes_on_with_its_data_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Data and pretraining are made here, the cell there; each finds the data in its own folder."""
    monkeypatch.setenv("ROAD_DATA_DIR", str(tmp_path / "node"))
    data = Collected("pendulum-mixed", "expert", 400)
    grid = tiny_grid(cases=(Case("made", "pendulum-mixed", data=data),), strategies=(ROAD,))
    driver, work = entered(tmp_path / "driver", grid)
    run_grid(driver, work.jobs[:-1], LocalBackend(driver.path, 1), lambda _: None)
    cell, through = work.jobs[-1], f"file://{tmp_path}/address"
    assert [job.kind for job in work.jobs] == ["data", "pretraining", "cell"]
    Mirror(through).announce(driver, cell)
    assert work_on_a_node("not seen", cell.key, through) == ("done", "")
    other, _ = entered(tmp_path / "other", grid)
    Mirror(through).gather(other, cell)
    config = json.loads((other.place(cell) / "config.json").read_text())
    assert config["own"]["data"].startswith(f"file:{other.path}/data/{work.jobs[0].key}/")
