"""Other bandits than the sliding window, and arms that move."""

import json
from typing import Any

import numpy as np
import pytest

from road.mixing import SlidingWindowUCB
from road.theory.bandits import (
    Bandit,
    DiscountedUCB,
    ThompsonSampling,
    UniformChoice,
    abrupt,
    best_single_arm,
    coin_rewards,
    dynamic_regret,
    growth,
    play,
    slow,
)
from road.theory.samples import generator
from road.theory.studies.bandit import final_regrets, proved_window

BANDITS: dict[str, Bandit] = {
    "sliding window": SlidingWindowUCB(5, 0.6, 50),
    "discounted": DiscountedUCB(5, 2.0, 0.99),
    "thompson": ThompsonSampling(5),
    "uniform": UniformChoice(5),
}


@pytest.fixture(params=BANDITS)
def bandit(request: pytest.FixtureRequest) -> Bandit:
    return BANDITS[request.param]


def test_a_bandits_memory_is_plain_data_and_choosing_changes_nothing(bandit: Bandit):
    pulls = bandit.init()
    for index in range(12):
        arm = bandit.choose(pulls)
        assert bandit.choose(json.loads(json.dumps(pulls))) == arm
        before = json.dumps(pulls)
        pulls = bandit.record(pulls, arm, 0.1 * index)
        assert json.dumps(pulls) != before


def test_a_bandit_repeats_itself(bandit: Bandit):
    rewards = coin_rewards(abrupt(60, 2, generator(0, "means")), generator(0, "coins"))
    assert play(bandit, rewards) == play(bandit, rewards)


def test_without_fading_discounted_is_ucb1_of_the_library():
    rewards = coin_rewards(slow(300, 1.0, generator(1, "means")), generator(1, "coins"))
    fading = DiscountedUCB(5, 0.6, 1.0)
    assert play(fading, rewards) == play(SlidingWindowUCB(5, 0.6, None), rewards)


def test_thompson_finds_a_steady_arm_and_seeds_differ():
    steady = np.tile([0.1, 0.2, 0.9, 0.3, 0.1], (400, 1))
    chosen = play(ThompsonSampling(5, noise=0.3), steady)
    assert chosen[200:].count(2) > 180
    assert play(ThompsonSampling(5, seed=1), steady[:40]) != play(ThompsonSampling(5), steady[:40])


def test_regret_by_hand():
    """The oracle has 1 + 0.75 + 0.5; choosing 0, 0, 0 has 1 + 0.25 + 0.25."""
    means = np.array([[1.0, 0.0], [0.25, 0.75], [0.25, 0.5]])
    np.testing.assert_allclose(dynamic_regret(means, [0, 0, 0]), [0.0, 0.5, 0.75])
    means = np.array([[1.0, 0.0], [0.25, 1.0], [0.5, 1.0]])
    assert best_single_arm(means) == [1, 1, 1]


def test_breaks_change_the_best_arm_and_slow_drift_does_not_jump():
    means = abrupt(100, 4, generator(2, "means"))
    best = means.argmax(1)
    assert (np.diff(best) != 0).sum() == 4
    np.testing.assert_allclose(np.sort(means, 1), np.tile([0.1, 0.3, 0.5, 0.7, 0.9], (100, 1)))
    assert np.abs(np.diff(slow(1000, 1.5, generator(2, "slow")), axis=0)).max() < 0.01


def test_after_a_late_break_forgetting_pays():
    """1500 pulls of habit, then the arms change places."""
    before, after = np.array([0.9, 0.1, 0.3]), np.array([0.1, 0.9, 0.3])
    means = np.concatenate([np.tile(before, (1500, 1)), np.tile(after, (500, 1))])
    rewards = coin_rewards(means, generator(3, "late"))

    def late(bandit: Any) -> float:
        regret = dynamic_regret(means, play(bandit, rewards))
        return float(regret[-1] - regret[1499])

    assert late(SlidingWindowUCB(3, 0.6, 120)) < 0.5 * late(SlidingWindowUCB(3, 0.6, None))


def test_growth_is_the_exponent():
    horizons = np.array([100.0, 400.0, 1600.0])
    assert growth(horizons, 3.0 * horizons**0.5) == pytest.approx(0.5)


def test_the_window_grows_as_the_bound_asks():
    """2 sqrt(1000 · 6.908 / 4) = 83.1, and a hundred times the horizon: 2 sqrt(25000 · 11.513)."""
    assert (proved_window(1000), proved_window(100_000)) == (83, 1072)
    regret = final_regrets(1000, 1, 0)["sliding window"]
    means = abrupt(1000, 4, generator(0, "order", 1000, 0))
    rewards = coin_rewards(means, generator(0, "order coins", 1000, 0))
    by_hand = dynamic_regret(means, play(SlidingWindowUCB(5, 0.6, 83), rewards))[-1]
    np.testing.assert_allclose(regret, [by_hand])
