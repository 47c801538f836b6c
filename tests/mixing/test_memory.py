"""What is remembered of pulls, and what it says of the arms once their trend is taken out."""

import json
import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from road.mixing.bandit import Bandit
from road.mixing.choice import UpperBounds
from road.mixing.memory import Discounted, Windowed
from road.mixing.standing import Standing, standing_of
from road.mixing.sums import item_at, put_at

Memory = Windowed | Discounted
rewards = st.floats(-1e3, 1e3, allow_nan=False)
histories = st.lists(st.tuples(st.integers(0, 2), rewards), min_size=4, max_size=40)
memories = st.sampled_from(
    [Windowed(3, None), Windowed(3, 7), Windowed(3, 16), Discounted(3, 0.9), Discounted(3, 1.0)]
)


def after(memory: Memory, pulls: list[tuple[int, float]]) -> Any:
    state: Any = memory.init()
    for arm, reward in pulls:
        state = memory.record(state, arm, reward)
    return state


def standing(memory: Memory, pulls: list[tuple[int, float]]) -> Standing:
    """With the trend taken out."""
    state = after(memory, pulls)
    return standing_of(memory.sums(state), memory.times(state))


def weights_of(memory: Memory, number: int) -> np.ndarray:
    """How much each pull counts, oldest first."""
    age = np.arange(number)[::-1]
    if isinstance(memory, Discounted):
        return memory.discount**age
    return (age < (memory.window or number)).astype(float)


@given(memories, histories)
@settings(max_examples=120, deadline=None)
def test_all_sums_are_those_of_the_weighted_pulls(memory: Memory, pulls: list[tuple[int, float]]):
    state, weight = after(memory, pulls), weights_of(memory, len(pulls))
    arms, reward = np.array([arm for arm, _ in pulls]), np.array([reward for _, reward in pulls])
    time = np.arange(len(pulls)) - float(len(pulls))
    sums, times = memory.sums(state), memory.times(state)
    above = reward - reward[0]
    for arm in range(3):
        mine = weight * (arms == arm)
        found = [sums.counts[arm], sums.totals[arm], times.totals[arm], times.squares[arm]]
        expected = [mine.sum(), mine @ reward, mine @ time, mine @ time**2]
        np.testing.assert_allclose(found, expected, atol=1e-8)
        np.testing.assert_allclose(times.products[arm], mine @ (time * above), atol=1e-6)
    np.testing.assert_allclose(sums.squares, weight @ above**2, rtol=1e-9, atol=1e-6)


@given(memories, histories, st.floats(-20.0, 20.0))
@settings(max_examples=120, deadline=None)
def test_the_trendless_means_are_those_of_least_squares(
    memory: Memory, pulls: list[tuple[int, float]], drift: float
):
    """Against a column per arm and one for time, weighted as the memory weighs."""
    pulls = [(arm, reward + drift * at) for at, (arm, reward) in enumerate(pulls)]
    weight = weights_of(memory, len(pulls))
    arms, reward = np.array([arm for arm, _ in pulls]), np.array([reward for _, reward in pulls])
    time = np.arange(len(pulls)) - float(len(pulls))
    seen = [arm for arm in range(3) if weight[arms == arm].sum() > 0]
    kept = weight > 0
    assume(kept.sum() > len(seen) and any((arms[kept] == arm).sum() > 1 for arm in seen))
    design = np.column_stack(
        [*(arms == arm for arm in seen), time - np.average(time, weights=weight)]
    )
    root = np.sqrt(weight)[:, None]
    solved = np.linalg.lstsq(root * design, root[:, 0] * reward, rcond=None)[0]
    residual = reward - design @ solved
    flat = reward - solved[-1] * design[:, -1]
    left = weight @ (flat - np.average(flat, weights=weight)) ** 2
    assume(left > 1e-3)

    found = standing(memory, pulls)
    np.testing.assert_allclose([found.means[arm] for arm in seen], solved[:-1], atol=1e-6)
    np.testing.assert_allclose(found.spread, math.sqrt(left / weight.sum()), rtol=1e-5)
    freedom = max(weight.sum() - len(seen) - 1, 0.0)
    noise = (left / max(weight.sum() - 1, 1.0) + weight @ residual**2) / (1 + freedom)
    np.testing.assert_allclose(found.noise**2, noise, rtol=1e-4, atol=1e-5)


def test_a_trendless_mean_by_hand():
    """Arm 0 pays 1 and 3 at times 0 and 2, arm 1 pays 4 at time 1: the slope is (3 - 1) / 2 = 1.

    Arm 0 is pulled at time 1 in the mean, as arm 1 is and as all are: means 2 and 4 stay. A fourth
    pull, arm 1 at time 5 paying 8, has the same slope; now arm 0 leads by 1 - 2 and arm 1 by 3 - 2.
    """
    even = standing(Windowed(2, None), [(0, 1.0), (1, 4.0), (0, 3.0)])
    assert even.means == pytest.approx([2.0, 4.0])
    with_gap = [(0, 1.0), (1, 4.0), (0, 3.0), (0, 4.0), (0, 5.0), (1, 8.0)]
    found = standing(Windowed(2, None), with_gap)
    assert found.means[1] - found.means[0] == pytest.approx(2.0)
    kept = standing_of(Windowed(2, None).sums(after(Windowed(2, None), with_gap)), None)
    assert kept.means[1] - kept.means[0] == pytest.approx(6.0 - 3.25)


@pytest.mark.parametrize("memory", [Windowed(3, None), Windowed(3, 50), Discounted(3, 0.98)])
def test_a_pure_drift_leaves_no_difference_and_no_spread(memory: Memory):
    """Not even what rounding would make of it."""
    pulls = [(at * at % 3, 0.1 * at - 7.0) for at in range(200)]
    found = standing(memory, pulls)
    assert found.spread == found.noise == 0.0
    assert len({mean for mean in found.means if not math.isnan(mean)}) == 1


def test_a_window_forgets_what_went_before_it():
    """A loud history before the window changes nothing inside it."""
    recent, old = drawn(60, 1.0, seed=0), drawn(900, 1e6, seed=1)
    fresh = standing(Windowed(3, 60), recent)
    late = standing(Windowed(3, 60), old + recent)
    np.testing.assert_allclose(late.means, fresh.means, rtol=1e-6, atol=1e-6)


def drawn(number: int, size: float, seed: int) -> list[tuple[int, float]]:
    rng = np.random.default_rng(seed)
    return [(int(rng.integers(3)), size * float(rng.normal())) for _ in range(number)]


def test_arms_pulled_once_cannot_be_told_from_a_drift():
    found = standing(Windowed(3, None), [(0, 1.0), (1, 5.0), (2, 3.0)])
    assert (found.means, found.spread, found.noise) == ([3.0, 3.0, 3.0], 0.0, 0.0)


def test_discounted_counts_and_bounds_by_hand():
    """Half remains: arm 0 paid 1, then arm 1 paid 1.15, then arm 0 paid 2.

    Arm 0: count 1/4 + 1, sum 1/4 + 2. Arm 1: count 1/2, sum 0.575. The counts add up to 1.75, whose
    logarithm decides: with all three pulls in it the lesser arm would have the greater bound.
    """
    memory = Discounted(2, 0.5)
    pulls = after(memory, [(0, 1.0), (1, 1.15), (0, 2.0)])
    sums = memory.sums(pulls)
    assert (sums.counts, sums.totals) == ([1.25, 0.5], [2.25, 0.575])
    assert favourite(1.75) == Bandit(memory, UpperBounds(2.0)).choose(pulls) == 0
    assert favourite(3.0) == 1


def favourite(known: float) -> int:
    """The arm of the greater bound, by hand."""
    bounds = [
        1.8 + math.sqrt(2 * math.log(known) / 1.25),
        1.15 + math.sqrt(2 * math.log(known) / 0.5),
    ]
    return int(np.argmax(bounds))


@pytest.mark.parametrize("trend", ["kept", "removed"])
def test_without_fading_discounted_is_a_window_without_an_end(trend: Any):
    pulls = drawn(80, 1.0, seed=1)
    bounds = [
        Bandit(memory, UpperBounds(), "standardised", trend)
        .weigh(after(memory, pulls), (0, 0))
        .bounds
        for memory in (Windowed(3, None), Discounted(3, 1.0))
    ]
    np.testing.assert_allclose(*bounds, rtol=1e-9)


def test_what_has_faded_to_nothing_is_forgotten():
    """0.5 to the power 400 is 4e-121."""
    memory = Discounted(2, 0.5)
    pulls = after(memory, [(1, 9.0), *[(0, 1.0)] * 400])
    assert memory.sums(pulls).counts[1] == 0.0
    assert Bandit(memory, UpperBounds(0.0)).choose(pulls) == 1


@pytest.mark.parametrize(("length", "chunk"), list(product((1, 2, 5, 7, 12), (1, 3, 4))))
def test_a_ring_holds_the_newest_and_is_never_changed(length: int, chunk: int):
    ring: list[list[int]] = []
    for item in range(3 * length + 2):
        before = json.dumps(ring)
        changed = put_at(ring, item % length, item, chunk)
        assert json.dumps(ring) == before
        ring = changed
    newest = range(2 * length + 2, 3 * length + 2)
    assert sorted(item_at(ring, place, chunk) for place in range(length)) == list(newest)
