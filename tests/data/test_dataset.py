"""A dataset is refused at the border, in one line that names array, row and value."""

from typing import Any

import numpy as np
import pytest

from road.data.dataset import check_layout
from road.errors import DataError
from road.tasks import Dataset


def arrays(**changes: Any) -> dict[str, Any]:
    """Four rows in two episodes, with some arrays exchanged."""
    return {
        "observation": np.zeros((4, 3), np.float32),
        "action": np.zeros((4, 2), np.float32),
        "reward": np.zeros(4, np.float32),
        "next_observation": np.zeros((4, 3), np.float32),
        "terminated": np.array([False, True, False, False]),
        "truncated": np.array([False, False, False, True]),
        **changes,
    }


def with_value(name: str, place: Any, value: float) -> dict[str, Any]:
    changed = arrays()
    changed[name][place] = value
    return changed


def test_an_episode_ends_where_it_terminates_and_where_it_is_cut() -> None:
    dataset = Dataset(**arrays())
    assert len(dataset) == 4
    assert dataset.episode_ends.tolist() == [False, True, False, True]


@pytest.mark.parametrize("edge", [-1.0, 1.0])
def test_the_edge_of_the_box_is_inside(edge: float) -> None:
    assert Dataset(**with_value("action", (0, 0), edge)).action[0, 0] == edge


@pytest.mark.parametrize(
    ("bad", "parts"),
    [
        (with_value("observation", (2, 1), np.nan), ["observation", "nan", "row 2, column 1"]),
        (with_value("next_observation", (3, 0), np.inf), ["next_observation", "inf", "row 3"]),
        (with_value("reward", 1, -np.inf), ["reward", "-inf", "row 1 "]),
        (with_value("action", (1, 1), np.nan), ["action", "nan", "row 1, column 1"]),
        (with_value("action", (3, 0), 1.5), ["action", "1.5", "row 3, column 0", "[-1, 1]"]),
        (with_value("action", (0, 1), -1.25), ["action", "-1.25", "row 0, column 1"]),
    ],
)
def test_a_bad_number_is_named_with_its_place(bad: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(DataError) as refused:
        Dataset(**bad)
    assert all(part in str(refused.value) for part in parts), refused.value
    assert "\n" not in str(refused.value)


def test_bad_numbers_are_counted() -> None:
    reward = np.array([0.0, np.nan, 0.0, np.nan], np.float32)
    with pytest.raises(DataError, match=r"row 1 \(2 such in all\)"):
        Dataset(**arrays(reward=reward))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"action": np.zeros((3, 2), np.float32)}, "action has 3 rows where reward has 4"),
        ({"truncated": np.ones(5, np.bool_)}, "truncated has 5 rows where reward has 4"),
        ({"reward": np.zeros((4, 1), np.float32)}, r"reward has shape \(4, 1\)"),
        ({"observation": np.zeros(4, np.float32)}, r"observation has shape \(4,\)"),
        ({"action": np.zeros((4, 0), np.float32)}, "needs columns"),
        ({"next_observation": np.zeros((4, 2), np.float32)}, "where observation has"),
        ({"truncated": np.zeros(4, np.bool_)}, r"the last row \(3\) is neither"),
    ],
)
def test_a_bad_layout_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset(**arrays(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"action": np.zeros((4, 2), np.float64)}, "action is float64; convert it to float32"),
        ({"terminated": np.zeros(4, np.float32)}, "terminated is float32; convert it to bool"),
    ],
)
def test_a_bad_type_is_named(changes: dict[str, Any], message: str) -> None:
    """Asked of the check itself: in tests the annotations of ``Dataset`` would answer first."""
    with pytest.raises(DataError, match=message):
        check_layout(arrays(**changes))


def test_an_empty_dataset_is_refused() -> None:
    empty = {name: array[:0] for name, array in arrays().items()}
    with pytest.raises(DataError, match="no rows"):
        Dataset(**empty)
