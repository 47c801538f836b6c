import numpy as np
import pytest
from scipy import stats

from road.mixing import informedness
from road.mixing.informedness import arm_effects
from road.mixing.variance import arm_test, epsilon_squared, f_tail

ARMS = (0.1, 0.2, 0.3, 0.4, 0.5)


def round_robin(periods: int) -> np.ndarray:
    return np.resize(ARMS, periods)


def test_f_and_eta_squared_are_those_of_a_one_way_analysis():
    rng = np.random.default_rng(0)
    ratios = rng.choice(ARMS, 60)
    credits = rng.normal(size=60) + 2 * ratios
    result = informedness(ratios, credits)
    groups = [credits[ratios == arm] for arm in ARMS]
    f, p = stats.f_oneway(*groups)
    between = sum(len(g) * (g.mean() - credits.mean()) ** 2 for g in groups)
    assert result.f == pytest.approx(f)
    assert result.p == pytest.approx(p)
    assert result.eta_squared == pytest.approx(between / ((credits - credits.mean()) ** 2).sum())


def test_the_share_beyond_chance_is_the_adjusted_one():
    """20 credits, a cubic of rank 4 and 4 degrees of freedom of five arms leave 12."""
    result = informedness(round_robin(20), np.random.default_rng(0).normal(size=20))
    assert result.detrended_eta_squared is not None
    by_hand = 1 - (1 - result.detrended_eta_squared) * (20 - 4) / (20 - 4 - 4)
    assert result.detrended_epsilon_squared == pytest.approx(by_hand)


def test_arms_without_a_difference_explain_nothing_beyond_chance():
    """9 periods of 5 arms: the mean of eta² is 4 / 7."""
    rng = np.random.default_rng(0)
    found = [informedness(round_robin(9), rng.normal(size=9)) for _ in range(500)]
    assert np.mean([one.detrended_eta_squared for one in found]) == pytest.approx(4 / 7, abs=0.05)
    assert np.mean([one.detrended_epsilon_squared for one in found]) == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("high", [1.0, 2.0, 3.0])
def test_arms_of_equal_means_explain_less_than_chance(high: float):
    """F is rounding, but no 0 / 0: 1 - (8 - 1) / (8 - 1 - 1)."""
    judged = arm_test(np.tile([0.0, 0.0, high, high], 2), np.eye(2)[[0, 1] * 4], np.ones((8, 1)))
    assert judged is not None
    assert epsilon_squared(judged.f, judged.eta_squared) == pytest.approx(-1 / 6)


@pytest.mark.parametrize("f", [0.0, 0.3, 1.0, 2.5, 40.0])
@pytest.mark.parametrize(("numerator", "denominator"), [(1, 3), (4, 94), (9, 2000), (2, 1)])
def test_the_tail_of_f_is_scipys(f: float, numerator: int, denominator: int):
    expected = stats.f.sf(f, numerator, denominator)
    assert f_tail(f, numerator, denominator) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_noise_in_turns_is_called_round_robin():
    credits = np.random.default_rng(1).normal(size=50)
    result = informedness(round_robin(50), credits)
    assert result.sentence == (
        "the credits of the arms are statistically indistinguishable; "
        "the choice was close to round-robin"
    )
    assert result.shares == (0.2,) * 5
    assert result.imbalance == 0.0


def test_a_shared_drift_is_not_taken_for_an_arm_effect():
    """Arm 0.5 is pulled most towards the end, when every credit is higher."""
    rng = np.random.default_rng(2)
    ratios = np.concatenate([round_robin(40), np.resize([0.5, 0.5, 0.5, 0.1, 0.5], 40)])
    credits = np.linspace(0.0, 3.0, 80) + 0.3 * rng.normal(size=80)
    result = informedness(ratios, credits)
    assert result.p is not None and result.p < 0.05
    assert result.detrended_p is not None and result.detrended_p > 0.05
    assert "chance or drift" in result.sentence
    assert "m = 0.5 (40 of 80 periods)" in result.sentence


def test_a_real_arm_effect_is_seen_through_the_drift():
    rng = np.random.default_rng(3)
    ratios = rng.choice(ARMS, 100, p=[0.1, 0.1, 0.1, 0.1, 0.6])
    credits = np.linspace(0.0, 3.0, 100) + 2.0 * ratios + 0.1 * rng.normal(size=100)
    result = informedness(ratios, credits)
    assert result.detrended_f is not None and result.detrended_f > 20
    assert result.sentence.startswith("the credits differ between the arms")
    assert "leaned to m = 0.5" in result.sentence


def test_an_effect_that_the_choice_ignored_is_said():
    credits = round_robin(50) + 0.01 * np.random.default_rng(4).normal(size=50)
    assert (
        "but the choice stayed close to round-robin"
        in informedness(round_robin(50), credits).sentence
    )


@pytest.mark.parametrize(
    ("ratios", "credits", "said"),
    [
        ([], [], "one ratio"),
        ([0.5] * 9, range(9), "one ratio was used in all 9 periods"),
        ([0.5, 0.4, 0.3], [1.0, 2.0, 3.0], "3 periods are too few"),
        (np.linspace(0.5, 0.1, 30), np.arange(30.0), "30 ratios in 30 periods: the ratio changed"),
        (np.linspace(0.5, 0.1, 51).repeat(2), np.arange(102.0), "the ratio changed, but"),
        ([0.1, 0.2, 0.1], [1.0, 2.0, 3.0], "too few"),
        ([0.1, 0.2] * 10, [1.0] * 20, "too alike"),
    ],
)
def test_what_cannot_be_judged_is_said(ratios: list[float], credits: list[float], said: str):
    result = informedness(ratios, list(credits))
    assert said in result.sentence
    assert result.detrended_f is None or said.startswith("one")


def test_false_alarms_are_as_rare_as_promised():
    """Independent noise: about 5 % of runs may look informed."""
    rng = np.random.default_rng(5)
    alarms = [
        (informedness(round_robin(50), rng.normal(size=50)).detrended_p or 1.0) < 0.05
        for _ in range(400)
    ]
    assert 0.02 < np.mean(alarms) < 0.09


@pytest.mark.parametrize("nothing", [None, float("nan"), float("inf")])
def test_a_period_without_a_credit_is_refused_and_not_judged(nothing: float | None):
    credits = [*np.random.default_rng(0).normal(size=19), nothing]
    with pytest.raises(ValueError, match="leave out the periods without one"):
        informedness(round_robin(20), credits)


def test_turns_that_do_not_come_out_even_are_still_turns():
    """12 periods over 5 arms: 3, 3, 2, 2, 2 is as even as it gets (imbalance 2 · 3 / 60)."""
    credits = np.random.default_rng(7).normal(size=12)
    result = informedness(round_robin(12), credits)
    assert result.imbalance == pytest.approx(0.1)
    assert "close to round-robin" in result.sentence


def test_a_perfect_separation_has_a_printable_f():
    result = informedness(round_robin(40), np.resize([1.0, 2.0, 3.0, 4.0, 5.0], 40))
    assert "F > 999" in result.sentence
    assert result.detrended_f is not None and np.isfinite(result.detrended_f)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="2 and 1"):
        informedness([0.1, 0.2], [1.0])


def test_periods_without_a_credit_are_chosen_all_the_same():
    """Twenty credits tell 0.1 from 0.5; of thirty choices two thirds were 0.5."""
    ratios = np.resize([0.1, 0.5], 20)
    credits = ratios + 0.01 * np.random.default_rng(6).normal(size=20)
    judged = informedness(ratios, credits, chosen=[*ratios, *[0.5] * 10])
    assert (judged.counts, judged.ratios) == ((10, 20), (0.1, 0.5))
    assert judged.sentence.endswith("leaned to m = 0.5 (20 of 30 periods)")
    assert judged.f == informedness(ratios, credits).f


def test_a_few_credits_in_many_periods_are_not_called_many():
    judged = informedness([0.1, 0.2], [1.0, 2.0], chosen=[0.1] * 10 + [0.2] * 9)
    assert judged.sentence.startswith("2 credits in 19 periods are too few")


def test_what_an_arm_adds_is_separated_from_a_trend():
    """Credits rise by one a period; of the arms the second adds two and the third takes one."""
    ratios = np.array([0.1, 0.3, 0.5, 0.5, 0.1, 0.3, 0.3, 0.5, 0.1])
    credits = np.arange(9.0) + np.select([ratios == 0.3, ratios == 0.5], [2.0, -1.0])
    arms, effects = arm_effects(ratios, credits)
    assert arms.tolist() == [0.1, 0.3, 0.5]
    np.testing.assert_allclose(effects - effects[0], [0.0, 2.0, -1.0], atol=1e-12)


def test_arms_that_came_one_after_the_other_cannot_be_separated_from_a_trend():
    """One period each, with a slope: more unknowns than credits. Twice each they can."""
    once, twice = np.array([0.1, 0.3, 0.5]), np.repeat([0.1, 0.3, 0.5], 2)
    assert np.isnan(arm_effects(once, np.arange(3.0))[1]).all()
    np.testing.assert_allclose(np.diff(arm_effects(twice, np.arange(6.0))[1]), 0.0, atol=1e-12)
    assert arm_effects(np.zeros(0), np.zeros(0))[1].size == 0
