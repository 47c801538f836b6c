"""Means with one task left out, worked out by hand."""

import numpy as np
import pytest

from road.statistics import means_without_one


def test_the_least_and_the_greatest_mean_without_one_task():
    """Of 30, 0 and 6: without the first 3, without the second 18, without the third 15."""
    assert means_without_one(np.array([30.0, 0.0, 6.0])) == (3.0, 18.0)


def test_a_lead_that_one_task_makes_is_gone_without_it():
    low, high = means_without_one(np.array([40.0, -2.0, -2.0, -2.0]))
    assert low < 0.0 < high


@pytest.mark.parametrize("by_task", [np.zeros(1), np.zeros(0), np.zeros((3, 2))])
def test_what_has_nothing_to_leave_out_is_refused(by_task: np.ndarray):
    with pytest.raises(ValueError, match="two tasks or more"):
        means_without_one(by_task)
