"""Rows and actions out of order are found, and sound logs are left alone."""

from dataclasses import replace

import numpy as np
import pytest
from tests.data.small_logs import MAKERS, small_log

from road.data import Dataset, examine, from_arrays
from road.data.memory import random_rows
from road.data.order import missed_actions, order_findings, serial_ratios


@pytest.fixture(params=list(MAKERS))
def sound(request: pytest.FixtureRequest) -> Dataset:
    return small_log(request.param)


def warned(dataset: Dataset) -> list[str]:
    return [str(finding) for finding in order_findings(dataset)[0]]


def in_order(dataset: Dataset, order: np.ndarray) -> Dataset:
    """Rows in another order, stored without successors as many logs are."""
    names = ("observation", "action", "reward", "terminated", "truncated")
    return from_arrays({name: dataset.arrays()[name][order] for name in names})


def test_a_sound_log_raises_no_alarm(sound: Dataset) -> None:
    assert warned(sound) == []


def test_shuffled_rows_are_found(sound: Dataset) -> None:
    order = np.random.default_rng(0).permutation(len(sound))
    found = warned(in_order(sound, order))
    assert any("were the rows shuffled?" in text for text in found)


def test_rows_shuffled_within_their_episodes_are_found(sound: Dataset) -> None:
    episode = np.append(0, np.cumsum(sound.episode_ends)[:-1])
    order = np.lexsort((np.random.default_rng(0).random(len(sound)), episode))
    names = ("observation", "action", "reward")
    arrays = {name: sound.arrays()[name][order] for name in names}
    ends = {"terminals": sound.terminated, "timeouts": sound.truncated}
    found = warned(from_arrays({**arrays, **ends}))
    assert any("were the rows shuffled?" in text for text in found)


@pytest.mark.parametrize(("rows", "way"), [(1, "a row too late"), (-1, "a row too early")])
def test_actions_of_another_row_are_found(sound: Dataset, rows: int, way: str) -> None:
    """Those of the row before, stored too late, and those of the row after."""
    (found,) = warned(replace(sound, action=np.roll(sound.action, rows, axis=0)))
    assert found.endswith(f"actions are stored {way}")


def test_the_doctor_reports_it_before_a_run() -> None:
    sound = small_log("pendulum-mixed")
    late = replace(sound, action=np.roll(sound.action, 1, axis=0))
    assert any("a row too late" in str(found) for found in examine(late).warnings)


def test_the_ratio_by_hand() -> None:
    """0, 1, ..., 299: steps of 1; the variance of n successive numbers is n (n + 1) / 12."""
    ends = np.arange(300) == 299
    (ratio,) = serial_ratios(np.arange(300, dtype=np.float32)[:, None], ends)
    assert ratio == pytest.approx(1 / (2 * 300 * 301 / 12) * 299 / 299, rel=0.1)


def test_a_column_that_never_changes_within_episodes_says_nothing() -> None:
    goals = np.repeat(np.arange(3, dtype=np.float32), 100)[:, None]
    assert serial_ratios(goals, np.arange(300) % 100 == 99) == []


def test_few_rows_prove_nothing() -> None:
    sound = small_log("pendulum-mixed")
    arrays = {name: array[:200] for name, array in sound.arrays().items()}
    arrays["truncated"] = np.arange(200) == 199
    few = Dataset(**arrays)
    assert serial_ratios(few.observation, few.episode_ends) == []
    assert missed_actions(few) == {}


def test_of_very_many_rows_a_sample_is_drawn() -> None:
    few = random_rows(1_000, np.random.default_rng(0))
    assert sorted(few.tolist()) == list(range(1_000))
    many = random_rows(10**9, np.random.default_rng(0))
    assert len(many) == len(np.unique(many)) > 199_000
    assert many.max() < 10**9
