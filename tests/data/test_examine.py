"""The doctor: every fault by its row, every suspicion in a sentence."""

import json
from typing import Any

import numpy as np
import pytest
from tests.data.samples import dataset_of, sample

from road.data import Dataset, Finding, examine, from_arrays
from road.data.card import make_card
from road.data.diagnostics import check_spaces
from road.errors import DataError

ROWS = 300


def long_log(episode: int = 30, **changes: Any) -> Dataset:
    """Enough rows to raise no suspicion: a slow walk in cut episodes of equal length."""
    rng = np.random.default_rng(1)
    observation = rng.normal(size=(ROWS, 2)).cumsum(axis=0).astype(np.float32) / 10
    last = np.arange(ROWS) % episode == episode - 1
    following = np.roll(observation, -1, axis=0)
    following[last] = 7.0
    arrays: dict[str, Any] = {
        "observation": observation,
        "action": rng.uniform(-0.9, 0.9, size=(ROWS, 2)).astype(np.float32),
        "reward": rng.normal(size=ROWS).astype(np.float32),
        "next_observation": following,
        "terminated": np.zeros(ROWS, np.bool_),
        "truncated": last,
        **changes,
    }
    return Dataset(**arrays)


def reported(dataset: Dataset, level: str) -> list[str]:
    return [str(item) for item in examine(dataset).items if item.level == level]


def test_a_sound_dataset_is_left_alone() -> None:
    assert examine(long_log()).items == ()


@pytest.mark.parametrize(
    ("changes", "level", "words"),
    [
        ({"reward": np.zeros(ROWS, np.float32)}, "warning", "every reward is 0"),
        ({"reward": np.full(ROWS, 3.0, np.float32)}, "warning", "every reward is 3"),
        (
            {"reward": np.where(np.arange(ROWS) == 9, 1e9, 0).astype(np.float32)},
            "warning",
            "reward is larger than 1e+06 in 1 row (first: row 9)",
        ),
        (
            {"truncated": np.arange(ROWS) == ROWS - 1},
            "warning",
            "next_observation is not what follows in the episode in 9 rows (first: row 29)",
        ),
        (
            {"terminated": np.ones(ROWS, np.bool_)},
            "warning",
            "every episode has one row",
        ),
        (
            {"action": np.zeros((ROWS, 2), np.float32)},
            "warning",
            "action is constant in 2 columns: 0, 1",
        ),
        (
            {"action": (long_log().action > 0).astype(np.float32)},
            "warning",
            "every action is 0 or 1: choices out of a few cannot be learnt",
        ),
        (
            {"action": np.sign(long_log().action)},
            "warning",
            "100.0% of the actions' numbers are at the edge of the box: is it the box of",
        ),
        (
            {"action": np.clip(2 * long_log().action, -1, 1)},
            "note",
            "45.3% of the actions' numbers are at the edge of the box",
        ),
    ],
)
def test_what_looks_wrong_is_reported(changes: dict[str, Any], level: str, words: str) -> None:
    found = reported(long_log(**changes), level)
    assert any(text.startswith(words) for text in found), found


def test_time_limits_stored_as_terminals_are_suspected() -> None:
    terminals = long_log().truncated
    nowhere = np.zeros(ROWS, np.bool_)
    found = reported(long_log(terminated=terminals, truncated=nowhere), "warning")
    assert found == [
        "10 of 10 episodes terminate after 30 steps, none later: these look like time limits; if "
        "so, convert or load it with terminals=timeouts (first: row 29)"
    ]


@pytest.mark.parametrize(
    ("stops", "suspected"),
    [
        ([50, 100, 150, 160, 210, 260], True),  # shorter ones, and an unfinished last
        ([100, 200, 230, 240, 250, 260], False),  # two alike may be chance
        ([40, 80, 120, 158, 196, 234, 272], False),  # as many end just before
    ],
)
def test_a_pile_of_terminals_at_the_greatest_length_is_a_time_limit(
    stops: list[int], suspected: bool
) -> None:
    ends = np.isin(np.arange(1, ROWS + 1), stops)
    dataset = long_log(terminated=ends, truncated=np.arange(ROWS) == ROWS - 1)
    assert any("time limits" in text for text in reported(dataset, "warning")) is suspected


def test_an_end_of_both_kinds_is_doubted() -> None:
    """Logs with one flag for whatever ends an episode mark time limits twice."""
    ends = np.isin(np.arange(1, ROWS + 1), [20, 35, 85, 135, 185, 235, 250, ROWS])
    cut = np.isin(np.arange(1, ROWS + 1), [85, ROWS])
    assert (
        "an episode is both terminated and truncated, and taken as a true end, in 2 rows "
        "(first: row 84)"
    ) in reported(long_log(terminated=ends, truncated=cut), "warning")


def test_time_limits_that_are_marked_raise_no_suspicion() -> None:
    """Some fall early and terminate; all that last to the end were cut there."""
    ends = np.isin(np.arange(1, ROWS + 1), [20, 35, 85, 135, 185, 235, 250, ROWS])
    cut = np.isin(np.arange(1, ROWS + 1), [85, 135, 185, 235, ROWS])
    dataset = long_log(terminated=ends & ~cut, truncated=cut)
    assert not any("time limits" in text for text in reported(dataset, "warning"))


def test_episodes_of_several_lengths_may_all_terminate() -> None:
    ends = np.isin(np.arange(ROWS), [100, ROWS - 1])
    dataset = long_log(terminated=ends, truncated=np.zeros(ROWS, np.bool_))
    assert not any("time limits" in text for text in reported(dataset, "warning"))


def test_few_rows_and_a_single_episode_are_reported() -> None:
    one = from_arrays({"observations": [[1.0]], "actions": [[0.5]], "rewards": [1.0], "dones": [1]})
    assert reported(one, "warning") == [
        "all rows are one episode: are the ends of the others marked?",
        "only 1 row, fewer than a batch of 256",
    ]


def test_arrays_that_make_no_dataset_get_every_fault_and_not_only_the_first() -> None:
    arrays = dataset_of(sample()).arrays()
    arrays["observation"][[2, 5], 0] = np.nan
    arrays["reward"][7] = np.inf
    arrays["action"][11, 1] = -1.5
    arrays["truncated"][-1] = False
    assert examine(arrays).items == (
        Finding("error", "observation holds NaN or inf in 2 rows", 2),
        Finding("error", "reward holds NaN or inf in 1 row", 7),
        Finding("error", "action lies outside of [-1, 1] in 1 row", 11),
        Finding("error", "the last row is neither terminated nor truncated", 14),
    )


def test_arrays_that_do_not_fit_together_are_one_error() -> None:
    arrays = {**dataset_of(sample()).arrays(), "reward": np.zeros(3, np.float32)}
    (found,) = examine(arrays).errors
    assert "observation has 15 rows where reward has 3" in str(found)


def test_what_reading_had_to_assume_is_found_too() -> None:
    arrays = sample()
    del arrays["next_observations"]
    assert "left out 2 rows without a successor (first: row 8)" in reported(
        from_arrays(arrays), "note"
    )


def test_errors_come_before_warnings_and_warnings_before_notes() -> None:
    flat = np.zeros(ROWS, np.float32)
    levels = [
        item.level
        for item in examine(
            long_log(action=np.clip(2 * long_log().action, -1, 1), reward=flat)
        ).items
    ]
    assert levels == ["warning", "note"]


def test_another_robot_is_noticed() -> None:
    check_spaces(long_log(), 2, 2, "Walker")
    with pytest.raises(DataError, match="2 observations and 2 actions, where Walker has 17 and 6"):
        check_spaces(long_log(), 17, 6, "Walker")


class TestCard:
    def test_a_card_by_hand(self) -> None:
        """Episodes of two, one and two rows pay 3, 3 and 9; the first one terminates."""
        dataset = Dataset(
            observation=np.array([[0.0], [2.0], [4.0], [6.0], [8.0]], np.float32),
            action=np.array([[1.0], [-1.0], [0.0], [0.5], [0.5]], np.float32),
            reward=np.array([1.0, 2.0, 3.0, 0.0, 9.0], np.float32),
            next_observation=np.array([[2.0], [9.0], [9.0], [8.0], [9.0]], np.float32),
            terminated=np.array([False, True, False, False, False]),
            truncated=np.array([False, False, True, False, True]),
        )
        card = make_card(dataset, "file:x", score_range=(1.0, 5.0))
        assert (card["rows"], card["episodes"], card["terminated"], card["truncated"]) == (
            5,
            3,
            1,
            2,
        )
        assert (card["return"]["min"], card["return"]["mean"], card["return"]["max"]) == (3, 5, 9)
        assert card["length"]["median"] == 2
        assert card["score"]["max"] == 200.0
        assert card["reward_nonzero"] == 0.8
        assert card["clipped_actions"] == 0.4
        (column,) = card["observation_columns"]
        assert column == {"min": 0.0, "mean": 4.0, "max": 8.0, "std": pytest.approx(8**0.5)}
        assert sum(card["return"]["histogram"]["counts"]) == 3

    @pytest.mark.parametrize("reward", [0.0, 1e30, -3.5])
    def test_a_card_is_json_whatever_the_numbers(self, reward: float) -> None:
        dataset = long_log(reward=np.full(ROWS, reward, np.float32))
        assert json.loads(json.dumps(make_card(dataset, "x"), allow_nan=False))["rows"] == ROWS
