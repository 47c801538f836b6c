"""A result is put once; what failed twice is given up; what was killed is not."""

import json
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.experiments.conftest import FIXED, ROAD, RUN, entered, tiny_grid

from road.cli import main
from road.errors import DamagedError, LockedError, StorageError, UsageError
from road.experiments.backends.local import conclude, outcome_of
from road.experiments.grid import Case
from road.experiments.jobs import Job, work_of
from road.experiments.making import Collected
from road.experiments.reconcile import check_at_hand, outdated
from road.experiments.scheduler import Board, Outcome, run_grid
from road.experiments.store import Store, put_once

CASE = Case("pendulum-flipped")


def test_a_result_is_put_once_by_the_first_process(tmp_path: Path):
    """Thirty-two at the same moment: one wins, and its content stays whole."""
    start, won = threading.Barrier(32), list[int]()

    def put(number: int) -> None:
        start.wait()
        if put_once(tmp_path / "x.json", {"number": number}):
            won.append(number)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert (tmp_path / "x.json").read_text() == f'{{"number": {won[0]}}}\n'
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_folder_that_cannot_be_written_is_reported_in_one_line(tmp_path: Path):
    with pytest.raises(StorageError, match=r"cannot write .*x\.json: No such file"):
        put_once(tmp_path / "missing" / "x.json", {})


def test_jobs_come_back_as_they_went(tmp_path: Path):
    store, work = entered(tmp_path, tiny_grid())
    for job in work.jobs:
        again = store.job(job.key)
        assert (again.key, again.kind, again.label, again.needs) == (
            *(job.key, job.kind, job.label, job.needs),
        )


def test_the_second_error_of_its_own_gives_a_job_up(tmp_path: Path):
    store, work = entered(tmp_path, tiny_grid())
    key = work.jobs[0].key
    assert store.note_failure(key, "first") is False
    assert store.failure(key) is None
    assert store.note_failure(key, "second") is True
    assert store.failure(key) == "second"
    store.forgive(["another"])
    assert store.failure(key) is not None
    store.forgive([key])
    assert store.failure(key) is None
    assert store.note_failure(key, "third") is False


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        *[
            (0, "done"),
            (1, "error"),
            (2, "error"),
            (3, "error"),
            (5, "error"),
            (6, "error"),
            (8, "error"),
        ],
        *[(4, "again"), (75, "again"), (130, "again"), (7, "halt")],
        *[(-9, "again"), (-15, "again"), (-11, "error"), (-6, "error")],
    ],
)
def test_what_an_exit_code_means(code: int, outcome: Outcome):
    assert outcome_of(code) == outcome


def test_the_last_words_of_a_worker_are_the_message(tmp_path: Path):
    store, work = entered(tmp_path, tiny_grid())
    key = work.jobs[0].key
    store.log(key).write_text("note: something\nerror: the reward is 3.5 GB\n\n")
    assert conclude(store, key, 6) == "error"
    assert conclude(store, key, -11) == "error"
    assert store.failure(key) == "killed by SIGSEGV"
    first = store.read("errors", f"{key}-1", "")
    assert first["message"] == "the reward is 3.5 GB"


def test_a_grid_grows_in_its_folder_and_keeps_what_was_there(tmp_path: Path):
    store, _ = entered(tmp_path, tiny_grid(strategies=(ROAD,)))
    entered(tmp_path, tiny_grid())
    entered(tmp_path, tiny_grid(strategies=(ROAD,), cases=(Case("pendulum-mixed"),)))
    places = [(cell["case"], cell["strategy"]) for cell in store.description()["cells"]]
    assert places == [
        ("pendulum-flipped", "ROAD"),
        ("pendulum-flipped", "Fixed 0.5"),
        ("pendulum-mixed", "ROAD"),
    ]


def test_what_is_no_part_of_a_key_can_be_mended_until_the_job_is_done(tmp_path: Path):
    store, work = entered(tmp_path, tiny_grid(strategies=(ROAD,)))
    key = work.cells[0][1]
    mended = tiny_grid(strategies=(ROAD,), cases=(replace(CASE, allow_import=("a_package",)),))
    entered(tmp_path, mended)
    assert store.job(key).what["allowed"] == ["a_package"]
    store.commit(key, {})
    entered(tmp_path, tiny_grid(strategies=(ROAD,)))
    assert store.job(key).what["allowed"] == ["a_package"]


def test_cells_of_before_that_the_grid_asks_for_otherwise_now_are_reported(tmp_path: Path):
    """Seeds 0 to 2 were run with 80 steps; now the grid has 800."""
    store, _ = entered(tmp_path, tiny_grid(strategies=(ROAD,), seeds=(0, 1, 2)))
    longer = tiny_grid(run={**RUN, "online_steps": 800})
    assert outdated(tiny_grid(), store.entered(), None) == []
    places = outdated(longer, store.entered(), None)
    assert places == [("pendulum-flipped", "ROAD", seed) for seed in (0, 1, 2)]
    store.enter(longer, "own", "test", work_of(longer.cells()), places)
    kept = store.description()["cells"]
    assert [(cell["strategy"], cell["seed"]) for cell in kept] == [("Fixed 0.5", 0), ("ROAD", 0)]


def test_a_cell_that_was_renamed_is_not_there_twice(tmp_path: Path):
    store, _ = entered(tmp_path, tiny_grid())
    renamed = tiny_grid(strategies=(replace(ROAD, label="The paper's"),))
    places = outdated(renamed, store.entered(), None)
    assert ("pendulum-flipped", "ROAD", 0) in places
    store.enter(renamed, "own", "test", work_of(renamed.cells()), places)
    assert [cell["strategy"] for cell in store.entered()] == ["The paper's"]


def test_cells_of_what_was_taken_out_of_a_grid_have_no_place_in_it(tmp_path: Path):
    """Else they would be beside others, with settings that those no longer have."""
    mixed = Case("pendulum-mixed")
    store, _ = entered(tmp_path, tiny_grid(cases=(CASE, mixed)))
    without = tiny_grid(strategies=(ROAD,))
    assert set(outdated(without, store.entered(), None)) == {
        ("pendulum-flipped", "Fixed 0.5", 0),
        ("pendulum-mixed", "Fixed 0.5", 0),
        ("pendulum-mixed", "ROAD", 0),
    }


def test_nothing_is_said_of_cells_whose_policies_are_not_at_hand(tmp_path: Path):
    data = Collected("pendulum-flipped", "expert", policies={"expert": "p.npz"})
    grid = tiny_grid(cases=(replace(CASE, data=data),))
    (tmp_path / "p.npz").write_bytes(b"weights")
    store = Store(tmp_path / "grid")
    store.enter(grid, "own", "test", work_of(grid.cells(), tmp_path))
    assert outdated(grid, store.entered(), None) == []
    (tmp_path / "p.npz").write_bytes(b"other weights")
    assert len(outdated(grid, store.entered(), tmp_path)) == 2


def test_data_of_a_learner_does_not_come_beside_that_of_a_policy(tmp_path: Path):
    """A user who forgets --policies would average cells with one data and cells with another."""
    data = Collected("pendulum-flipped", "expert", policies={"expert": "p.npz"})
    grid = tiny_grid(cases=(replace(CASE, data=data), Case("pendulum-mixed")))
    (tmp_path / "p.npz").write_bytes(b"weights")
    store = Store(tmp_path / "grid")
    store.enter(grid, "own", "test", work_of(grid.cells(), tmp_path))
    check_at_hand(grid, ["pendulum-flipped"], store.entered(), tmp_path)
    check_at_hand(grid, ["pendulum-mixed"], store.entered(), None)
    with pytest.raises(UsageError, match=r"earlier cells of pendulum-flipped .* give --policies"):
        check_at_hand(grid, ["pendulum-flipped"], store.entered(), None)


def test_a_grid_begun_without_policies_goes_on_without_them(tmp_path: Path):
    data = Collected("pendulum-flipped", "expert", policies={"expert": "p.npz"})
    grid = tiny_grid(cases=(replace(CASE, data=data),))
    store = Store(tmp_path)
    store.enter(grid, "own", "test", work_of(grid.cells()))
    check_at_hand(grid, ["pendulum-flipped"], store.entered(), None)


def test_a_grid_has_one_runner_at_a_time(tmp_path: Path):
    store = Store(tmp_path)
    with store.held(), pytest.raises(LockedError, match="one runner"), Store(tmp_path).held():
        pass
    with Store(tmp_path).held():
        pass


def test_a_folder_without_a_grid_is_reported(tmp_path: Path):
    with pytest.raises(UsageError, match=r"no folder of a grid: it has no grid\.json"):
        Store(tmp_path).description()


class Scripted:
    """A backend that does no work: every job ends as it was set to."""

    slots = 2

    def __init__(self, store: Store, script: dict[str, list[Outcome]]) -> None:
        self.store, self.script = store, script
        self.waiting: list[Job] = []
        self.order: list[str] = []
        self.stopped = False

    def start(self, job: Job) -> None:
        self.waiting.append(job)
        self.order.append(job.kind)

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        del seconds
        ended, self.waiting = self.waiting, []
        return [(job, self.end(job)) for job in ended]

    def end(self, job: Job) -> Outcome:
        left = self.script.get(job.kind, [])
        outcome = left.pop(0) if left else "done"
        if outcome == "done":
            self.store.commit(job.key, {"seconds": 2.0})
        if outcome == "error":
            self.store.note_failure(job.key, "its own fault")
        return outcome

    def stop(self) -> None:
        self.stopped = True


def run_scripted(path: Path, script: dict[str, list[Outcome]]) -> tuple[Scripted, Board]:
    store, work = entered(path, tiny_grid())
    backend = Scripted(store, script)
    return backend, run_grid(store, work.jobs, backend, lambda _: None)


def test_what_is_needed_comes_first_and_nothing_is_run_twice(tmp_path: Path):
    backend, board = run_scripted(tmp_path, {})
    assert backend.order == ["pretraining", "cell", "cell"]
    assert (len(board.done), board.failed, backend.stopped) == (3, {}, True)
    again, _ = run_scripted(tmp_path, {})
    assert again.order == []


def test_a_killed_worker_is_not_a_failure(tmp_path: Path):
    backend, board = run_scripted(tmp_path, {"pretraining": ["again", "again", "again"]})
    assert backend.order.count("pretraining") == 4
    assert len(board.done) == 3
    assert board.failed == {}


def test_the_grid_goes_on_without_a_cell_that_failed_twice(tmp_path: Path):
    backend, board = run_scripted(tmp_path, {"cell": ["error", "done", "error"]})
    assert backend.order == ["pretraining", "cell", "cell", "cell"]
    assert len(board.done) == 2
    assert list(board.failed.values()) == ["its own fault"]


def test_cells_whose_pretraining_failed_say_so(tmp_path: Path):
    _, board = run_scripted(tmp_path, {"pretraining": ["error", "error"]})
    assert sorted(board.failed.values()) == [
        "its own fault",
        "what it needs has failed: its own fault",
        "what it needs has failed: its own fault",
    ]


def test_a_full_disk_stops_the_grid(tmp_path: Path):
    with pytest.raises(StorageError, match="the grid stops"):
        run_scripted(tmp_path, {"cell": ["halt"]})


def test_cases_whose_names_begin_alike_have_times_of_their_own(tmp_path: Path):
    """The cells of one case take 2 s, of the other 8; a second seed of each is left."""
    cases = (Case("maze", "pendulum-mixed"), Case("maze, large", "pendulum-flipped"))
    store, work = entered(tmp_path, tiny_grid(cases=cases, strategies=(ROAD,), seeds=(0, 1)))
    for job in work.jobs:
        if job.kind == "pretraining":
            store.commit(job.key, {"seconds": 1.0})
    first = {cell.case: key for cell, key in work.cells if cell.seed == 0}
    for case, seconds in (("maze", 2.0), ("maze, large", 8.0)):
        store.commit(first[case], {"seconds": seconds})
    assert Board(store, work.jobs).remaining() == pytest.approx(10.0)
    slow = next(key for cell, key in work.cells if (cell.case, cell.seed) == ("maze, large", 1))
    store.commit(slow, {"seconds": 8.0})
    assert Board(store, work.jobs).remaining() == pytest.approx(2.0)


def test_the_longest_begin_first_and_a_case_stays_together(tmp_path: Path):
    """Of seed 0 all is known: the case "slow" takes longer, and ROAD longer than Fixed in both."""
    cases = (Case("quick", "pendulum-mixed"), Case("slow", "pendulum-flipped"))
    store, work = entered(tmp_path, tiny_grid(cases=cases))
    for job in work.jobs:
        seconds = {"quick": 1.0, "slow": 10.0}[job.case] + (job.strategy == ROAD.label)
        store.commit(job.key, {"seconds": seconds})
    _, more = entered(tmp_path, tiny_grid(cases=cases, seeds=(1,)))
    board = Board(store, more.jobs)
    assert [job.kind for job in board.ready()] == ["pretraining"] * 2
    for job in board.ready():
        store.commit(job.key, {"seconds": 1.0})
    board = Board(store, more.jobs)
    fixed, road = FIXED.label, ROAD.label
    assert [(job.case, job.strategy) for job in board.ready()] == [
        *[("slow", road), ("slow", fixed), ("quick", road), ("quick", fixed)]
    ]
    assert board.remaining() == pytest.approx(11.0 + 10.0 + 2.0 + 1.0)


def test_what_nothing_is_known_of_is_begun_in_the_grids_order_one_strategy_after_another(
    tmp_path: Path,
):
    """Once a cell of Fixed is done, a strategy that is not known comes before its other seed."""
    store, work = entered(tmp_path, tiny_grid(seeds=(0, 1)))
    cells = [job for job in work.jobs if job.kind == "cell"]
    for job in work.jobs[: -len(cells)]:
        store.commit(job.key, {"seconds": 1.0})
    assert Board(store, work.jobs).ready() == cells
    store.commit(cells[0].key, {"seconds": 1.0})
    assert [job.strategy for job in Board(store, work.jobs).ready()] == [
        *(ROAD.label, ROAD.label, FIXED.label)
    ]


def test_the_time_that_is_left_by_hand(tmp_path: Path):
    """Two cells that take 2 s each, on one slot."""
    store, work = entered(tmp_path, tiny_grid(seeds=(0, 1)))
    board = Board(store, work.jobs)
    assert board.remaining() is None
    for job in (*work.jobs[:2], *work.jobs[2:4]):
        store.commit(job.key, {"seconds": 2.0})
    assert Board(store, work.jobs).remaining() == pytest.approx(4.0)
    assert Board(store, work.jobs, slots=2).remaining() == pytest.approx(2.0)


def test_one_long_job_takes_its_time_however_many_slots_are_free(tmp_path: Path):
    """Of two seeds all is done but one cell, and the other took 100 s."""
    store, work = entered(tmp_path, tiny_grid(strategies=(ROAD,), seeds=(0, 1)))
    for job in work.jobs[:-1]:
        store.commit(job.key, {"seconds": 100.0})
    assert Board(store, work.jobs, slots=64).remaining() == pytest.approx(100.0)
    board = Board(store, work.jobs, slots=64)
    board.running[work.jobs[-1].key] = time.monotonic() - 150.0
    assert board.remaining() == 0.0


@pytest.mark.parametrize("folder", ["jobs", "done", "logs", "runs", "errors", "failed"])
def test_a_folder_of_a_grid_that_is_a_link_is_not_written_to(folder: str, tmp_path: Path):
    store, work = entered(tmp_path / "grid", tiny_grid(strategies=(ROAD,)))
    victims, key = tmp_path / "victims", work.cells[0][1]
    shutil.rmtree(store.path / folder)
    victims.mkdir()
    (victims / f"{key}-1.json").write_text("{}")
    (store.path / folder).symlink_to(victims)
    before = sorted(path.name for path in victims.iterdir())
    with pytest.raises(DamagedError, match=f"{folder} is a link"):
        entered(store.path, tiny_grid(strategies=(ROAD,)))
    acts: dict[str, Callable[[], object]] = {
        "jobs": lambda: store.job(key),
        "done": lambda: store.commit(key, {}),
        "logs": lambda: store.open_log(key),
        "runs": lambda: store.run(key),
        "errors": lambda: store.forgive([key]),
        "failed": lambda: store.give_up(key, "why"),
    }
    with pytest.raises(DamagedError, match=f"{folder} is a link"):
        acts[folder]()
    assert sorted(path.name for path in victims.iterdir()) == before


@pytest.mark.parametrize("key", ["../../leak", "/etc/passwd", "..", "", "a/b", "a\x1b[2J"])
def test_a_key_is_no_path(key: str, tmp_path: Path):
    store, _ = entered(tmp_path / "grid", tiny_grid(strategies=(ROAD,)))
    (tmp_path / "leak.json").write_text('{"summary": "a secret"}')
    for act in (store.is_done, store.run, store.log, store.failure):
        with pytest.raises(DamagedError, match="is no key"):
            act(key)
    reported = json.loads((store.path / "grid.json").read_text())
    reported["cells"][0]["key"] = key
    (store.path / "grid.json").write_text(json.dumps(reported))
    for action in ("status", "report"):
        assert main(["grid", action, str(store.path)]) == 8


@pytest.mark.parametrize("cells", [[1], {"case": "x"}, "all", [{}], [{"case": 1}], None])
def test_cells_that_are_none_are_reported_in_one_line(cells: object, tmp_path: Path):
    store, _ = entered(tmp_path / "grid", tiny_grid(strategies=(ROAD,)))
    reported = json.loads((store.path / "grid.json").read_text())
    (store.path / "grid.json").write_text(json.dumps({**reported, "cells": cells}))
    with pytest.raises(DamagedError, match="is no cell"):
        store.description()


@pytest.mark.parametrize("change", [{"kind": "theft"}, {"needs": None}, {"more": 1}, {"what": 1}])
def test_a_job_that_is_none_is_reported_in_one_line(change: dict[str, object], tmp_path: Path):
    store, work = entered(tmp_path / "grid", tiny_grid(strategies=(ROAD,)))
    path = store.path / "jobs" / f"{work.jobs[0].key}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(DamagedError, match="damaged"):
        store.job(work.jobs[0].key)


@pytest.mark.parametrize(
    "content",
    ["{}", '{"seconds": "long"}', '{"seconds": null}', '{"seconds": 1.0, "key": "another"}', "[]"],
)
def test_a_result_that_says_nothing_is_not_taken_for_done(content: str, tmp_path: Path):
    store, work = entered(tmp_path, tiny_grid(strategies=(ROAD,)))
    (store.path / "done" / f"{work.jobs[0].key}.json").write_text(content)
    with pytest.raises(DamagedError, match=rf"{work.jobs[0].key}\.json is .* delete it"):
        Board(store, work.jobs)
