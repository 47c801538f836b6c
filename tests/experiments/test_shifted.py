"""The grid ``shifted``: families of cases along a knob, whose logs alone differ."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.experiments.conftest import entered, tiny_grid

from road.data import load
from road.data.dataset import Dataset
from road.experiments.export import placed
from road.experiments.grid import Case, Setting
from road.experiments.grids.shifted import DEVELOPMENT, HELD_OUT, shifted
from road.experiments.jobs import Job
from road.experiments.making import Collected
from road.experiments.store import Store
from road.experiments.work import make_data

FAMILIES = (*DEVELOPMENT, *HELD_OUT)
IDENTITY = {"rotation": 0.0}
"""Of a knob that is a factor it is 1."""
ROWS = 450


def test_every_family_goes_from_identical_to_opposite_in_five_settings() -> None:
    assert len({(family.name, family.words) for family in FAMILIES}) == len(FAMILIES)
    for family in FAMILIES:
        assert len(set(family.values)) == 5
        assert family.values[0] == IDENTITY.get(family.knob, 1.0)
        away = [abs(value - family.values[0]) for value in family.values]
        assert away == sorted(away)
        settings = [case.setting for case in family.cases()]
        assert settings == [
            Setting(family.name, family.words, value, family.values[0]) for value in family.values
        ]


def test_cases_of_a_family_differ_by_their_log_alone() -> None:
    grid = shifted()
    for family in FAMILIES:
        first, *others = family.cases()
        for case in others:
            plans = [grid.plan(each, grid.strategies[0], 0) for each in (first, case)]
            assert plans[0] == plans[1]
            assert first.data is not None
            assert case.data is not None
            assert case.data.shift != first.data.shift
            assert dataclasses.replace(case.data, shift=first.data.shift) == first.data


def test_it_has_small_networks_and_the_strategies_to_compare() -> None:
    grid = shifted()
    assert [strategy.label for strategy in grid.strategies] == [
        *("Fixed 0", "Fixed 0.1", "Fixed 0.3", "Fixed 0.5", "Fixed 0.9"),
        *("Uniform", "ROAD", "validated"),
    ]
    assert grid.subject == "validated"
    for cell in grid.part(seeds=[0]).cells():
        assert cell.plan.agent.hidden == (64, 64)
        assert cell.plan.config.batch_size == 128
        assert cell.plan.config.online_steps <= 20_000


def test_logs_that_are_not_shifted_keep_the_name_that_they_had() -> None:
    """Cells that were run before there were shifts are found again."""
    assert "shift" not in Collected("pendulum-mixed", "play").definition(None)
    assert Collected("pendulum-mixed", "play", shift="gain=1").definition(None)["shift"]


def logged(folder: Path, data: Collected) -> Dataset:
    """The log that a worker makes, but shorter."""
    words = dataclasses.replace(data, rows=ROWS).words(None)
    store, job = Store(folder), Job("key", "data", "", (), {"words": words})
    make_data(store, job, lambda _: None)
    (path,) = store.place(job).glob("*.hdf5")
    return load(f"file:{path}")


MADE_HERE = [family for family in FAMILIES if not family.log.policies]
"""The half cheetah's log needs a policy of the user."""


@pytest.mark.parametrize("family", MADE_HERE, ids=lambda family: f"{family.name} {family.words}")
def test_the_first_log_is_that_of_the_task_and_the_last_another(family, tmp_path: Path) -> None:  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType] -- one of FAMILIES
    pytest.importorskip("gymnasium_robotics")
    first, *_, last = (family.shifted_log(value) for value in family.values)
    plain = logged(tmp_path / "plain", dataclasses.replace(first, shift=None))
    identical, opposite = logged(tmp_path / "first", first), logged(tmp_path / "last", last)
    for name, array in plain.arrays().items():
        np.testing.assert_array_equal(array, identical.arrays()[name])
    same = (np.array_equal(plain.arrays()[n], opposite.arrays()[n]) for n in ("action", "reward"))
    assert not all(same)


def test_the_opposite_pendulum_moves_as_the_task_and_logs_the_negated_actions(
    tmp_path: Path,
) -> None:
    """Its behaviour makes up for the gain, so that the log is as good and only lies."""
    gain = DEVELOPMENT[0]
    plain, opposite = (
        logged(tmp_path / f"{value}", gain.shifted_log(value)) for value in (1.0, -1.0)
    )
    np.testing.assert_array_equal(opposite.action, -plain.action)
    np.testing.assert_array_equal(opposite.next_observation, plain.next_observation)
    np.testing.assert_array_equal(opposite.reward, plain.reward)


def test_random_actions_are_the_same_in_every_world(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    (reacher,) = (family for family in FAMILIES if family.name == "reacher")
    plain, weak = (logged(tmp_path / f"{v}", reacher.shifted_log(v)) for v in (1.0, -0.5))
    np.testing.assert_array_equal(plain.action, weak.action)
    assert not np.array_equal(plain.next_observation, weak.next_observation)


def test_a_half_cheetah_is_left_out_without_a_policy() -> None:
    cheetah = HELD_OUT[-1]
    assert cheetah.shifted_log(-1.0).lacking(None) == ["halfcheetah-medium.npz"]


def test_a_grids_folder_says_where_each_case_belongs(tmp_path: Path) -> None:
    cases = (
        Case("pendulum-flipped"),
        Case("far", task="pendulum-flipped", setting=Setting("pendulum", "gain", -1.0, 1.0)),
    )
    store, _ = entered(tmp_path / "tiny", tiny_grid(cases=cases))
    plain, far = (
        next(cell for cell in store.entered() if cell["case"] == label)
        for label in ("pendulum-flipped", "far")
    )
    assert "setting" not in plain
    setting = {"family": "pendulum", "knob": "gain", "value": -1.0, "identical": 1.0}
    assert far["setting"] == setting
    # In a table each part is a column.
    assert placed(plain) == plain
    columns = {"case": "far", "family": "pendulum", "knob": "gain", "knob_value": -1.0}
    assert placed(far).items() >= columns.items()
    assert "setting" not in placed(far)
