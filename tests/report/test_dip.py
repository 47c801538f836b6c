import numpy as np
import pytest

from road.records.dip import Dip, measure_dip


def measured(pretrained: float, scores: list[float], every: float = 1000.0) -> Dip:
    return measure_dip(
        float(pretrained), every * np.arange(float(len(scores))), np.array(scores, float)
    )


def test_a_dip_by_hand():
    """Pretrained 60; 60, 40, 50, 70: 20 deep, at step 1000.

    Shortfall 0, 20, 10, -10 makes a triangle of 20 * 1000 / 2, a trapezoid of (20 + 10) * 1000 / 2,
    and a triangle that ends where the line from 10 to -10 crosses zero, 500 steps on: 10 * 500 / 2.
    """
    assert measured(60, [60, 40, 50, 70]) == Dip(
        depth=20.0, area=10_000.0 + 15_000.0 + 2_500.0, lowest_step=1000, steps_to_recover=3000
    )


def test_a_score_that_never_falls_has_no_dip():
    assert measured(60, [60, 61, 80]) == Dip(0.0, 0.0, lowest_step=None, steps_to_recover=0)


def test_a_score_that_stays_below_is_not_regained():
    """Shortfall 10, 30, 20: (10 + 30) / 2 + (30 + 20) / 2 = 45 per thousand steps."""
    assert measured(60, [50, 30, 40]) == Dip(30.0, 45_000.0, 1000, steps_to_recover=None)


def test_reaching_the_pretrained_score_exactly_is_recovery():
    assert measured(60, [40, 60, 50]).steps_to_recover == 1000


def test_recovery_is_counted_after_the_lowest_point():
    """It is back at step 1000, but falls deeper at step 2000."""
    assert measured(60, [50, 65, 20, 70]).steps_to_recover == 3000


def test_a_score_that_crosses_down_and_up_counts_only_what_is_below():
    """From 10 above to 10 below and back: twice a triangle of 500 by 10, over 2."""
    assert measured(60, [70, 50, 70]).area == pytest.approx(2 * 500 * 10 / 2)


def test_one_evaluation_has_a_depth_but_no_area():
    assert measured(60, [50]) == Dip(10.0, 0.0, lowest_step=0, steps_to_recover=None)
