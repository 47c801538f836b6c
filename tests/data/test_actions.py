"""Actions come out in [-1, 1]: exact at the edges, clipped after rounding, else refused."""

import numpy as np
import pytest
from tests.data.samples import sample

from road.data import Dataset, Reading, from_arrays
from road.errors import DataError, UsageError


def read(actions: list[float], box: tuple[float, float] | None = None) -> Dataset:
    column = np.resize(np.array(actions, np.float32), (15, 1))
    return from_arrays(sample(actions=column), Reading(action_box=box))


def test_a_box_is_mapped_onto_the_unit_box() -> None:
    assert read([0.0, 1.0, 4.0], (0.0, 4.0)).action[:3, 0].tolist() == [-1.0, -0.5, 1.0]


def test_every_column_has_its_own_edges() -> None:
    actions = np.tile(np.array([[2.0, -3.0]], np.float32), (15, 1))
    box = (np.array([-2.0, -3.0]), np.array([2.0, 1.0]))
    assert from_arrays(sample(actions=actions), Reading(action_box=box)).action[0].tolist() == [
        1,
        -1,
    ]


@pytest.mark.parametrize("box", [(-1.0, 1.0), (-0.4, 0.4), (0.0, 0.1), (-2.0, 7.3), (-1e-3, 3e4)])
def test_the_edges_stay_exact(box: tuple[float, float]) -> None:
    dataset = read(list(box), box)
    assert dataset.action[:2, 0].tolist() == [-1.0, 1.0]
    assert dataset.notes == ()


def test_rounding_beyond_the_edge_is_clipped_and_reported() -> None:
    dataset = read([0.5, 1.0004, -1.0009])
    assert dataset.action[:3, 0].tolist() == [0.5, 1.0, -1.0]
    assert [str(note) for note in dataset.notes] == [
        "clipped 10 rows with actions just outside of the box (first: row 1)"
    ]
    assert dataset.notes[0].level == "warning"


@pytest.mark.parametrize(
    ("actions", "box", "reported"),
    [
        ([0.0, 1.01], None, r"1.01 at row 1, column 0, outside of \[-1, 1\] \(7 such rows\)"),
        ([0.0, -2.5], (-2.0, 2.0), r"-2.5 at row 1, column 0, outside of \[-2, 2\]"),
    ],
)
def test_what_rounding_does_not_explain_is_refused(
    actions: list[float], box: tuple[float, float] | None, reported: str
) -> None:
    with pytest.raises(DataError, match=reported):
        read(actions, box)


@pytest.mark.parametrize("box", [(-np.inf, np.inf), (1.0, 1.0), (0.0, np.nan)])
def test_a_box_without_finite_edges_is_no_box(box: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="finite and not empty"):
        read([0.0], box)


def test_a_box_of_another_robot_is_refused() -> None:
    edge = np.ones(3)
    with pytest.raises(DataError, match="2 actions in a row, where the action box has 3"):
        from_arrays(sample(), Reading(action_box=(-edge, edge)))
