import math

import pytest

from road.mixing import Advantages, surrogate, surrogate_objective


def test_by_hand():
    """Delta_off = 3 - 1 = 2, Delta_on = 5 - 4.5 = 0.5, R_q = 2 - 3 · 0.5."""
    result = surrogate([2.0, 4.0], [1.0, 1.0], [5.0], [4.0, 5.0], overestimation_penalty=3.0)
    assert result.advantages == Advantages(offline=2.0, online=0.5)
    assert result.credit == 0.5


def test_without_penalty_only_the_offline_advantage_counts():
    assert surrogate_objective(Advantages(0.7, 123.0), 0.0) == 0.7


def test_a_constant_added_to_every_q_changes_nothing():
    plain = surrogate([1.0, 2.0], [0.5], [3.0], [2.0])
    shifted = surrogate([101.0, 102.0], [100.5], [103.0], [102.0])
    assert shifted.credit == pytest.approx(plain.credit)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_non_finite_values_are_named(value: float):
    with pytest.raises(ValueError, match=f"offline_advantage.*{value}"):
        surrogate([value], [1.0], [1.0], [1.0])
    with pytest.raises(ValueError, match=f"online_advantage.*{value}"):
        Advantages(0.0, value)


def test_an_empty_batch_is_refused():
    with pytest.raises(ValueError, match="no Q-values"):
        surrogate([], [1.0], [1.0], [1.0])
