"""A grid multiplies out, knows its parts, and gives every cell the name of what it is."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data.samples import dataset_of, sample
from tests.experiments.conftest import FIXED, ROAD, RUN, tiny_grid

from road.data.on_disk import store
from road.errors import DataError, UsageError
from road.experiments.grid import Case, Strategy
from road.experiments.jobs import canonical, cell_identity, hash_of, work_of
from road.experiments.making import Collected, checksum
from road.experiments.work import area_under


def keys(**changes: Any) -> list[str]:
    return [key for _, key in work_of(tiny_grid(**changes).cells()).cells]


def test_axes_multiply_out_case_by_case():
    grid = tiny_grid(cases=(Case("pendulum-flipped"), Case("pendulum-mixed")), seeds=(3, 1))
    assert [(c.case, c.strategy, c.seed) for c in grid.cells()][:5] == [
        ("pendulum-flipped", "Fixed 0.5", 3),
        ("pendulum-flipped", "Fixed 0.5", 1),
        ("pendulum-flipped", "ROAD", 3),
        ("pendulum-flipped", "ROAD", 1),
        ("pendulum-mixed", "Fixed 0.5", 3),
    ]
    assert len(grid.cells()) == grid.size == 2 * 2 * 2


def test_a_hash_by_hand():
    """The first twelve digits of SHA-256 of {"a":1,"b":[2]}, whatever the order of the keys."""
    assert canonical({"b": [2], "a": 1}) == '{"a":1,"b":[2]}'
    import hashlib

    known = hashlib.sha256(b'{"a":1,"b":[2]}').hexdigest()[:12]
    assert hash_of({"a": 1, "b": [2]}) == hash_of({"b": [2], "a": 1}) == known


def test_labels_and_checkpoints_are_not_part_of_what_a_cell_is():
    renamed = (dataclasses.replace(FIXED, label="Half"), dataclasses.replace(ROAD, label="Ours"))
    assert keys(strategies=renamed, name="other", run={**RUN, "checkpoint_every": 7}) == keys()
    relabelled = Case("my pendulum", task="pendulum-flipped")
    assert keys(cases=(relabelled,)) == keys()


@pytest.mark.parametrize(
    "changes",
    [
        {"seeds": (1,)},
        {"agent": "awac"},
        {"cases": (Case("pendulum-mixed"),)},
        {"run": {**RUN, "online_steps": 81}},
        {"run": {**RUN, "log_every": 21}},
        {"agent_settings": {"hidden": (16, 17)}},
        {"cases": (Case("pendulum-flipped", own={"reward_scale": 2.0}),)},
        {"strategies": (Strategy("Fixed 0.5", "fixed", {"offline_ratio": 0.4}),)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_whatever_changes_a_result_changes_the_hash(changes: dict[str, Any]):
    assert keys(**changes)[0] != keys()[0]


def test_a_setting_that_is_said_and_one_that_is_left_as_usual_are_the_same():
    said = Strategy("ROAD", "road", {"exploration": 2.0})
    assert keys(strategies=(said,)) == keys(strategies=(ROAD,))


def test_a_strategy_goes_before_a_case_and_a_case_before_the_grid():
    case = Case("pendulum-flipped", run={"period": 30, "log_every": 30})
    short = dataclasses.replace(ROAD, run={"period": 10})
    grid = tiny_grid(cases=(case,), strategies=(short,), run={**RUN, "log_every": 40})
    (cell,) = grid.cells()
    assert (cell.plan.config.period, cell.plan.config.log_every) == (10, 30)


def test_the_area_under_a_curve_by_hand():
    """Twice as long between 30 and 60 as between 10 and 30; the offline phase does not count."""
    curve = [("offline", 100, 99.0), ("online", 100, 10.0), ("online", 200, 30.0)]
    rows = [{"phase": p, "step": t, "score": s} for p, t, s in [*curve, ("online", 400, 60.0)]]
    assert area_under(rows) == pytest.approx((20.0 + 2 * 45.0) / 3)
    assert area_under(rows[:2]) == 10.0
    assert area_under(rows[:1]) is None


def test_strategies_share_pretraining_and_seeds_do_not():
    work = work_of(tiny_grid(seeds=(0, 1)).cells())
    kinds = [job.kind for job in work.jobs]
    assert kinds == ["pretraining"] * 2 + ["cell"] * 4
    needs = {cell.seed: set[tuple[str, ...]]() for cell, _ in work.cells}
    by_key = {job.key: job for job in work.jobs}
    for cell, key in work.cells:
        needs[cell.seed].add(by_key[key].needs)
    assert {seed: len(found) for seed, found in needs.items()} == {0: 1, 1: 1}
    assert needs[0] != needs[1]


def test_without_an_offline_phase_nothing_is_pretrained():
    work = work_of(tiny_grid(run={**RUN, "offline_steps": 0}).cells())
    assert {job.kind for job in work.jobs} == {"cell"}
    rlpd = work_of(tiny_grid(agent="rlpd", run={**RUN, "updates_per_step": 1}).cells())
    assert {job.kind for job in rlpd.jobs} == {"cell"}


def test_two_labels_of_one_run_are_one_job():
    twice = (ROAD, Strategy("κ = 1", "road", {"overestimation_penalty": 1.0}))
    work = work_of(tiny_grid(strategies=twice).cells())
    assert [job.kind for job in work.jobs] == ["pretraining", "cell"]
    assert len(work.cells) == 2


def test_data_is_known_by_what_is_in_it(tmp_path: Path):
    """Neither the folder nor the name of a file counts, only its bytes."""
    found = list[str]()
    for name, content in (("a.hdf5", b"one"), ("b.hdf5", b"one"), ("c.hdf5", b"two")):
        (tmp_path / name).write_bytes(content)
        case = Case("pendulum-flipped", own={"data": f"file:{tmp_path / name}"})
        found.append(hash_of(cell_identity(tiny_grid(cases=(case,)).cells()[0].plan)))
    assert found[0] == found[1] != found[2]


def test_a_stored_dataset_is_known_by_what_is_in_it(tmp_path: Path):
    found = list[str]()
    for name, reward in (("a", 1.0), ("b", 1.0), ("c", 2.0)):
        made = dataset_of(sample(rewards=np.full(15, reward, np.float32)))
        store(tmp_path / name, lambda _, made=made: made)
        case = Case("pendulum-flipped", own={"data": f"stored:{tmp_path / name}"})
        found.append(hash_of(cell_identity(tiny_grid(cases=(case,)).cells()[0].plan)))
    assert found[0] == found[1] != found[2]


def test_a_file_that_has_changed_is_read_again(tmp_path: Path):
    path = tmp_path / "log.hdf5"
    path.write_bytes(b"one")
    before = checksum(path)
    path.write_bytes(b"another")
    assert checksum(path) != before


def test_a_path_is_written_down_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Workers may run in other folders; and a file that is not there is reported at once."""
    monkeypatch.chdir(tmp_path)
    cell = tiny_grid(cases=(Case("pendulum-flipped", own={"data": "file:x.hdf5"}),)).cells()[0]
    assert cell.plan.own.data == f"file:{tmp_path / 'x.hdf5'}"
    with pytest.raises(DataError, match=r"x\.hdf5 is not there"):
        cell_identity(cell.plan)


def test_collected_data_is_known_by_its_policies(tmp_path: Path):
    data = Collected("pendulum-mixed", "expert", 100, {"expert": "p.npz"}, {"expert": 0.1})
    learnt = data.definition(None)
    assert (learnt["policies"], learnt["noise"], learnt["train_steps"]) == ({}, {}, 100_000)
    (tmp_path / "p.npz").write_bytes(b"weights")
    given = data.definition(tmp_path)
    assert given["train_steps"] is None
    assert given["noise"] == {"expert": 0.1}
    assert f"expert={tmp_path / 'p.npz'}" in data.words(tmp_path)
    assert dataclasses.replace(data, train_steps=None).lacking(None) == ["p.npz"]
    assert dataclasses.replace(data, train_steps=None).lacking(tmp_path) == []


@pytest.mark.parametrize("level", ["medium", "expert", "medium-expert", "medium-replay"])
def test_data_that_a_learner_makes_is_known_by_how_long_it_learns(level: str):
    short, long = (Collected("hopper-medium", level, train_steps=n) for n in (50_000, 500_000))
    assert short.definition(None) != long.definition(None)


def test_data_of_chance_alone_is_not_known_by_a_learner():
    short, long = (Collected("hopper-random", "random", train_steps=n) for n in (50, 500))
    assert short.definition(None) == long.definition(None)


def test_a_part_by_labels_whatever_their_case():
    grid = tiny_grid(cases=(Case("pendulum-flipped"), Case("pendulum-mixed")), seeds=(0, 1))
    part = grid.part(["Pendulum-Mixed"], ["road"], [7])
    assert [cell.label for cell in part.cells()] == ["pendulum-mixed, ROAD, seed 7"]
    with pytest.raises(UsageError, match=r"unknown strategy 'rood'.*'road'"):
        grid.part(strategies=["rood"])


def test_cases_on_request_run_only_if_named():
    cases = (Case("pendulum-flipped"), Case("pendulum-mixed"))
    grid = tiny_grid(cases=cases, on_request=("pendulum-mixed",))
    assert [case.label for case in grid.part().cases] == ["pendulum-flipped"]
    assert [case.label for case in grid.part(["pendulum-mixed"]).cases] == ["pendulum-mixed"]


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({"cases": ()}, "has no case"),
        ({"strategies": (ROAD, ROAD)}, "has the strategy 'ROAD' twice"),
        ({"strategies": (ROAD, Strategy("road", "road"))}, "has the strategy 'ROAD' twice"),
        ({"run": {"onlin_steps": 3}}, "unexpected keyword argument 'onlin_steps'"),
        ({"run": {"online_steps": -3}}, "online_steps must be 0 or more"),
        (
            {"cases": (Case("pendulum-flopped"),)},
            "'pendulum-flopped' with 'Fixed 0.5'.*unknown task",
        ),
        ({"strategies": (Strategy("x", "rod"),)}, "unknown mixer 'rod'"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused_by_name(changes: dict[str, Any], reported: str):
    with pytest.raises(UsageError, match=reported):
        tiny_grid(**changes).cells()
