"""Ends and rewards of logs, put right by hand-worked rules."""

from dataclasses import replace

import numpy as np
import pytest

from road.data.dataset import Dataset
from road.errors import DataError
from road.tasks import TASKS
from road.tasks.fixes import ending_at, never_ending
from road.tasks.task import Affine, ReturnRange


def log(rewards: list[float], terminated: list[int], truncated: list[int]) -> Dataset:
    """Rows whose observation is their number."""
    rows = np.arange(len(rewards), dtype=np.float32)[:, None]
    return Dataset(
        observation=rows,
        action=np.zeros((len(rewards), 1), np.float32),
        reward=np.array(rewards, np.float32),
        next_observation=rows + 1,
        terminated=np.array(terminated, bool),
        truncated=np.array(truncated, bool),
    )


def test_a_log_that_goes_on_after_success_ends_there() -> None:
    """Rows 0 to 5 are one episode that reaches the goal in row 2, stays, leaves and wanders."""
    dataset = log([0, 0, 1, 1, 0, 0], [0] * 6, [0, 0, 0, 0, 0, 1])
    mended = ending_at(dataset, dataset.reward > 0)
    assert mended.observation[:, 0].tolist() == [0, 1, 2, 5]
    assert mended.terminated.tolist() == [False, False, True, False]
    assert mended.truncated.tolist() == [False, False, False, True]


def test_a_success_in_the_last_row_of_an_episode_does_not_touch_the_next_episode() -> None:
    dataset = log([0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1])
    mended = ending_at(dataset, dataset.reward > 0)
    assert mended.observation[:, 0].tolist() == [0, 1, 2, 3]
    assert mended.terminated.tolist() == [False, True, False, False]


def test_a_success_that_was_cut_by_the_clock_is_an_end() -> None:
    dataset = log([0, 1], [0, 0], [0, 1])
    mended = ending_at(dataset, dataset.reward > 0)
    assert mended.terminated.tolist() == [False, True]
    assert mended.truncated.tolist() == [False, False]


def test_a_row_that_claims_an_end_without_success_is_dropped_and_the_one_before_is_cut() -> None:
    dataset = log([0, 0, 0, 1], [0, 0, 1, 1], [0] * 4)
    mended = ending_at(dataset, dataset.reward > 0)
    assert mended.observation[:, 0].tolist() == [0, 1, 3]
    assert mended.truncated.tolist() == [False, True, False]
    assert "dropped 1 rows" in str(mended.notes[-1])


def test_where_nothing_ends_an_episode_every_claim_of_an_end_goes() -> None:
    mended = never_ending(log([0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]))
    assert not mended.terminated.any()
    assert mended.truncated.tolist() == [True, False, True]


def test_a_log_of_nothing_but_false_ends_is_refused() -> None:
    with pytest.raises(DataError, match="no row is left"):
        never_ending(log([0, 0], [1, 1], [0, 0]))


def test_a_maze_log_ends_at_the_goal() -> None:
    mended = TASKS["antmaze-umaze"].mend(log([0, 1, 1, 0], [0] * 4, [0, 0, 0, 1]))
    assert mended.observation[:, 0].tolist() == [0, 1]
    assert mended.terminated.tolist() == [False, True]


def hand_log(width: int, angles: list[float]) -> Dataset:
    """Three steps of a door at these angles, paid by another rule; the last claims an end."""
    seen = np.zeros((len(angles), width), np.float32)
    seen[:, 28] = angles
    dataset = log([7.0] * len(angles), [0] * (len(angles) - 1) + [1], [0] * len(angles))
    return replace(dataset, observation=0 * seen, next_observation=seen)


def test_a_log_of_the_hand_is_paid_by_where_each_step_ends() -> None:
    mended = TASKS["door-binary"].mend(hand_log(39, [1.0, 1.36, 0.0]))
    assert mended.reward.tolist() == [0.0, 1.0]
    assert mended.truncated.tolist() == [False, True]


def test_a_log_of_another_width_cannot_be_paid() -> None:
    with pytest.raises(DataError, match="40 observations a row where AdroitHandDoor-v1 has 39"):
        TASKS["door-binary"].mend(hand_log(40, [1.0]))


def test_returns_are_scaled_by_their_range() -> None:
    """Returns 3, -1 and 9: the range is 10, so rewards are multiplied by 1000 / 10."""
    dataset = log([1, 2, -1, 4, 5], [0, 1, 0, 0, 0], [0, 0, 1, 0, 1])
    assert ReturnRange(1000.0).fit(dataset) == Affine(scale=100.0)


def test_equal_returns_cannot_be_scaled() -> None:
    with pytest.raises(DataError, match="all 2 episodes return 1"):
        ReturnRange().fit(log([1, 1], [1, 1], [0, 0]))
