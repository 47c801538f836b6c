import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from road.mixing.bandit import Pulls, SlidingWindowUCB, accumulate


def after(bandit: SlidingWindowUCB, pulls: list[tuple[int, float]]) -> Pulls:
    state = bandit.init()
    for arm, reward in pulls:
        state = bandit.record(state, arm, reward)
    return state


def bounds_of(bandit: SlidingWindowUCB, pulls: Pulls) -> np.ndarray:
    return np.array(bandit.stats(pulls).bounds)


def recomputed(
    pulls: list[tuple[int, float]], window: int | None, arms: int
) -> tuple[list[int], list[float]]:
    """Counts and sums of the window, added up from the raw pulls."""
    recent = pulls if window is None else pulls[-window:]
    counts = [sum(arm == i for arm, _ in recent) for i in range(arms)]
    sums = [math.fsum(reward for arm, reward in recent if arm == i) for i in range(arms)]
    return counts, sums


def test_bound_by_hand():
    """c = 2: arm 0 pulled twice (mean 1), arm 1 once (mean 3), k = 3."""
    bandit = SlidingWindowUCB(2, exploration=2.0)
    bounds = bounds_of(bandit, after(bandit, [(0, 0.5), (1, 3.0), (0, 1.5)]))
    np.testing.assert_allclose(bounds, [1.0 + np.sqrt(np.log(3)), 3.0 + np.sqrt(2 * np.log(3))])


def test_the_logarithm_stops_at_the_window():
    """tau = 2: after four pulls the window holds arm 1 (reward 4) and arm 0 (reward 5)."""
    bandit = SlidingWindowUCB(2, exploration=3.0, window=2)
    bounds = bounds_of(bandit, after(bandit, [(0, 1.0), (0, 2.0), (1, 4.0), (0, 5.0)]))
    bonus = np.sqrt(3.0 * np.log(2))
    np.testing.assert_allclose(bounds, [5.0 + bonus, 4.0 + bonus])


def test_arms_without_a_pull_come_first_lowest_index_first():
    bandit = SlidingWindowUCB(3)
    state = bandit.init()
    order: list[int] = []
    for _ in range(3):
        order.append(bandit.choose(state))
        state = bandit.record(state, order[-1], 100.0)
    assert order == [0, 1, 2]


def test_an_arm_that_left_the_window_is_chosen_again():
    bandit = SlidingWindowUCB(2, window=3)
    state = after(bandit, [(1, 0.0), (0, 9.0), (0, 9.0), (0, 9.0)])
    assert state["counts"] == [3, 0]
    assert bandit.choose(state) == 1


def test_ties_go_to_the_lowest_index():
    bandit = SlidingWindowUCB(3)
    assert bandit.choose(after(bandit, [(2, 1.0), (1, 1.0), (0, 1.0)])) == 0


def test_a_better_arm_wins_once_the_bonus_is_small():
    bandit = SlidingWindowUCB(2, exploration=2.0)
    state = bandit.init()
    for _ in range(200):
        arm = bandit.choose(state)
        state = bandit.record(state, arm, float(arm))
    assert state["counts"][1] > 150


rewards = st.floats(-1e3, 1e3, allow_nan=False)
histories = st.lists(st.tuples(st.integers(0, 2), rewards), max_size=60)


@given(histories, st.one_of(st.none(), st.integers(1, 20)))
@settings(max_examples=150, deadline=None)
def test_counts_and_sums_are_those_of_the_window(
    pulls: list[tuple[int, float]], window: int | None
):
    state = after(SlidingWindowUCB(3, window=window), pulls)
    counts, sums = recomputed(pulls, window, 3)
    assert state["counts"] == counts
    assert state["finished"] == len(pulls)
    np.testing.assert_allclose([sum(pair) for pair in state["totals"]], sums, atol=1e-9)


@given(histories)
@settings(max_examples=60, deadline=None)
def test_a_window_as_long_as_history_is_no_window(pulls: list[tuple[int, float]]):
    kept = SlidingWindowUCB(3, window=None)
    windowed = SlidingWindowUCB(3, window=60)
    np.testing.assert_array_equal(
        bounds_of(kept, after(kept, pulls)), bounds_of(windowed, after(windowed, pulls))
    )


MILLION_PULLS = """
import json, math, numpy as np
from road.mixing import SlidingWindowUCB

rng = np.random.default_rng(0)
rewards = (rng.normal(size=1_000_000) * 10.0 ** rng.integers(-3, 4, 1_000_000)).tolist()
arms = rng.integers(5, size=1_000_000).tolist()
for window in (100, None):
    bandit = SlidingWindowUCB(5, window=window)
    state = bandit.init()
    for arm, reward in zip(arms, rewards):
        state = bandit.record(state, arm, reward)
    recent = list(zip(arms, rewards))[-(window or 0):]
    for index in range(5):
        inside = [reward for arm, reward in recent if arm == index]
        assert state["counts"][index] == len(inside)
        error = abs(sum(state["totals"][index]) - math.fsum(inside))
        assert error < 1e-9, (window, index, error)
    assert len(json.dumps(state)) < 10_000
print("exact")
"""


def test_a_million_periods_leave_the_sums_exact_and_the_memory_small():
    """Rewards of very different size, so that plain running sums would drift.

    In a process of its own, where the run-time type checks of the tests do not slow every call.
    """
    done = subprocess.run(
        [sys.executable, "-c", MILLION_PULLS], capture_output=True, text=True, check=False
    )
    assert done.stdout == "exact\n", done.stderr


def test_two_sum_keeps_what_rounding_drops():
    total = [0.0, 0.0]
    for value in (1e16, 1.0, -1e16):
        total = accumulate(total, value)
    assert sum(total) == 1.0


def test_standardised_divides_means_by_the_spread_of_the_window():
    """Rewards 10, 20, 30: spread sqrt(200/3); the bonus stays as it is."""
    bandit = SlidingWindowUCB(3, exploration=2.0, scale="standardised")
    state = after(bandit, [(0, 10.0), (1, 20.0), (2, 30.0)])
    spread = np.std([10.0, 20.0, 30.0])
    expected = np.array([10.0, 20.0, 30.0]) / spread + np.sqrt(2 * np.log(3))
    np.testing.assert_allclose(bounds_of(bandit, state), expected)


@given(histories, st.integers(2, 20))
@settings(max_examples=60, deadline=None)
def test_the_spread_is_that_of_the_window(pulls: list[tuple[int, float]], window: int):
    bandit = SlidingWindowUCB(3, window=window, scale="standardised")
    state = after(bandit, pulls)
    recent = [reward for _, reward in pulls[-window:]]
    spread = float(np.std(recent)) if len(recent) > 1 else 0.0
    if spread > 1e-6 or spread == 0.0:
        np.testing.assert_allclose(bandit.stats(state).unit, spread or 1.0, rtol=1e-5, atol=1e-6)


def test_what_rounding_leaves_of_equal_rewards_is_no_spread():
    """The first reward, around which squares are taken, has left the window."""
    bandit = SlidingWindowUCB(3, window=3, scale="standardised")
    state = after(bandit, [(0, 13.085890643146513), (0, 0.0), (0, 0.0), (0, 0.0)])
    assert bandit.stats(state).unit == 1.0


@given(histories, st.floats(0.01, 100.0), st.floats(-50.0, 50.0))
@settings(max_examples=60, deadline=None)
def test_a_standardised_choice_does_not_depend_on_unit_or_origin(
    pulls: list[tuple[int, float]], scale: float, shift: float
):
    bandit = SlidingWindowUCB(3, scale="standardised")
    other = [(arm, scale * reward + shift) for arm, reward in pulls]
    bounds = bounds_of(bandit, after(bandit, pulls))
    assume(np.isfinite(bounds).all() and np.std([reward for _, reward in pulls]) > 1e-3)
    best, second = np.sort(bounds)[[-1, -2]]
    assume(best - second > 1e-6)
    assert bandit.choose(after(bandit, other)) == int(np.argmax(bounds))


def test_the_state_survives_json():
    bandit = SlidingWindowUCB(2, window=3)
    state = after(bandit, [(0, 0.1), (1, 0.2), (0, 0.3), (1, 0.4)])
    assert json.loads(json.dumps(state)) == state


def test_recording_leaves_the_earlier_state_alone():
    bandit = SlidingWindowUCB(2, window=2)
    state = after(bandit, [(0, 1.0), (1, 2.0)])
    before = json.dumps(state)
    bandit.record(state, 0, 5.0)
    assert json.dumps(state) == before


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"num_arms": 0}, "num_arms=0"),
        ({"num_arms": 2, "exploration": -1.0}, "-1.0"),
        ({"num_arms": 2, "exploration": math.nan}, "nan"),
        ({"num_arms": 2, "window": 0}, "0"),
        ({"num_arms": 2, "window": -5}, "-5"),
    ],
)
def test_wrong_settings_are_named(arguments: dict[str, float], named: str):
    with pytest.raises(ValueError, match=named):
        SlidingWindowUCB(**arguments)  # pyright: ignore


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf])
def test_a_credit_that_is_no_number_is_refused(reward: float):
    bandit = SlidingWindowUCB(2)
    with pytest.raises(ValueError, match=str(reward)):
        bandit.record(bandit.init(), 0, reward)
