"""Laws of every memory with every choice, and what each of them does."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from road.mixing import Advantages, Controller, Evidence, Moment, RoadMixer
from road.mixing.choice import Thompson, standard_normals
from road.mixing.standing import Standing

OPTIONS = [
    dict(zip(("choice", "counts", "trend", "scale"), values, strict=True))
    for values in product(
        ("ucb", "thompson"),
        ("windowed", "discounted"),
        ("kept", "removed"),
        ("raw", "standardised"),
    )
]
every_option = pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(o.values()))


def mixer_of(options: dict[str, Any], **more: Any) -> RoadMixer:
    settings: dict[str, Any] = {"discount": 0.99, "window": 200, **options, **more}
    return RoadMixer(arms=(0.1, 0.3, 0.5), **settings)


def choices(mixer: RoadMixer, credit: Any, periods: int, seed: int = 0) -> list[float]:
    """The ratios of a run in which ``credit(period, ratio)`` is what a period is worth."""
    state, chosen = mixer.init(seed), []
    for period in range(periods):
        mixture = mixer.propose(state, Moment())
        chosen.append(mixture.offline_ratio)
        state = mixer.observe(state, mixture, Evidence(credit=credit(period, chosen[-1])))
    return chosen


def noisy(level: dict[float, float], noise: float = 0.3, drift: float = 0.0, seed: int = 5) -> Any:
    draws = np.random.default_rng(seed).normal(size=2000)
    return lambda period, ratio: level[ratio] + noise * float(draws[period]) + drift * period


BEST_IN_THE_MIDDLE = {0.1: 0.0, 0.3: 2.0, 0.5: 0.5}
ALIKE = {0.1: 0.0, 0.3: 0.0, 0.5: 0.0}


@every_option
@pytest.mark.parametrize("drift", [0.0, 0.02])
def test_a_clearly_best_arm_is_found(options: dict[str, Any], drift: float):
    """Also under a drift; with the trend kept only while the drift is small beside the arms."""
    mixer = mixer_of(options, exploration=0.5)
    drift = drift if options["trend"] == "removed" else drift / 10
    chosen = choices(mixer, noisy(BEST_IN_THE_MIDDLE, drift=drift), 300)
    assert chosen[100:].count(0.3) > 150


@every_option
def test_a_constant_added_to_all_credits_changes_no_choice(options: dict[str, Any]):
    mixer, credit = mixer_of(options), noisy(BEST_IN_THE_MIDDLE, 0.5)
    shifted = choices(mixer, lambda at, ratio: credit(at, ratio) + 64.0, 150)
    assert shifted == choices(mixer, credit, 150)


@every_option
def test_the_unit_of_the_credits_does_not_matter_once_standardised(options: dict[str, Any]):
    """Nor does it to Thompson sampling, which goes by the noise that it sees."""
    mixer, credit = mixer_of(options), noisy(BEST_IN_THE_MIDDLE, 0.5)
    scaled = choices(mixer, lambda at, ratio: 1024.0 * credit(at, ratio), 150)
    free = options["scale"] == "standardised" or options["choice"] == "thompson"
    assert (scaled == choices(mixer, credit, 150)) == free


@every_option
def test_a_drift_that_all_share_changes_no_choice_once_it_is_taken_out(options: dict[str, Any]):
    """With the trend kept it does."""
    mixer, credit = mixer_of(options, exploration=1.0), noisy(ALIKE, 0.5)
    drifting = choices(mixer, lambda at, ratio: credit(at, ratio) + 0.25 * at, 150)
    assert (drifting == choices(mixer, credit, 150)) == (options["trend"] == "removed")


@pytest.mark.parametrize("choice", ["ucb", "thompson"])
def test_with_its_trend_kept_a_standardised_bandit_locks_in_on_a_drift(choice: Any):
    """The share of the favourite among three arms that are worth the same, over five runs."""

    def favoured(trend: str) -> float:
        mixer = mixer_of({"choice": choice, "scale": "standardised", "trend": trend}, window=None)
        runs = [
            choices(mixer, noisy(ALIKE, 0.2, drift=0.05, seed=seed), 300, seed) for seed in range(5)
        ]
        return float(np.mean([most(chosen) for chosen in runs]))

    assert favoured("kept") > favoured("removed") + 0.1


def test_a_drift_without_any_noise_leaves_turns():
    mixer = mixer_of({"trend": "removed", "scale": "standardised"})
    chosen = choices(mixer, lambda at, _: 0.1 * at, 90)
    assert [chosen.count(arm) for arm in mixer.arms] == [30, 30, 30]


def most(chosen: list[float]) -> float:
    return max(chosen.count(arm) for arm in set(chosen)) / len(chosen)


def test_credits_that_are_all_alike_leave_the_choice_to_chance():
    chosen = choices(mixer_of({"choice": "thompson"}), lambda *_: 1.0, 300)
    assert min(chosen.count(arm) for arm in (0.1, 0.3, 0.5)) > 70


def test_thompson_draws_are_spread_as_the_posterior_says():
    """Noise 2: after 4 and 16 pulls the draws deviate by 1 and 1/2 from their means.

    The slope is known to 2 · 0.1, and the second arm lies 5 periods ahead: 2 · 0.1 · 5 = 1 more.
    """
    standing = Standing([4, 16], [0.0, 0.0], 3.0, 2.0, [0.0, 5.0], 0.1)
    draws = np.array([Thompson().bonuses(standing, 1.0, (3, at)) for at in range(4000)])
    assert np.abs(draws.mean(0)).max() < 0.06
    assert draws.std(0) == pytest.approx([1.0, math.hypot(0.5, 1.0)], rel=0.05)


def test_thompson_draws_by_seed_and_period():
    mixer = mixer_of({"choice": "thompson"})
    credit = noisy(ALIKE)
    assert choices(mixer, credit, 60, seed=1) == choices(mixer, credit, 60, seed=1)
    assert choices(mixer, credit, 60, seed=1) != choices(mixer, credit, 60, seed=2)


def test_no_two_draws_share_their_chance():
    """Neither the next seed's first one nor the next period of this seed."""
    draws = [tuple(standard_normals(3, (seed, at))) for seed in range(4) for at in range(4)]
    assert len(set(draws)) == 16


@every_option
def test_what_was_compared_is_in_the_table(options: dict[str, Any]):
    """Mean plus bonus is greatest for the arm that was chosen, whatever chose it."""
    controller = Controller(mixer_of(options))
    for period in range(40):
        table = controller.mixture.arms
        assert table is not None
        pairs = list(zip(table.means, table.bonuses, strict=True))
        bounds = [mean + bonus for mean, bonus in pairs if mean is not None and bonus is not None]
        if len(bounds) == 3:
            assert table.ratios[int(np.argmax(bounds))] == controller.offline_ratio
        controller.end_period(credit=math.sin(7 * period))


def late(error_drop: float) -> Evidence:
    return Evidence(Advantages(0.0, 0.0), error_drop=error_drop)


def test_a_late_credit_goes_to_the_ratio_before():
    """A ratio is kept until its first credit is heard, so in the first round each comes twice.

    The drop told after period k is 10 times the ratio of period k - 1.
    """
    mixer = RoadMixer(arms=(0.1, 0.3, 0.5), credit="fresh-error")
    state, chosen = mixer.init(0), []
    for _ in range(6):
        mixture = mixer.propose(state, Moment())
        drop = 10 * chosen[-1] if chosen else math.nan
        chosen.append(mixture.offline_ratio)
        state = mixer.observe(state, mixture, late(drop))
    assert chosen == [0.1, 0.1, 0.3, 0.3, 0.5, 0.5]
    assert mixer.table(state).means == pytest.approx((1.0, 3.0, 5.0))
    assert mixer.table(state).counts == (2, 2, 1)


def test_a_ratio_waits_for_returns_that_come_rarely():
    """An episode ends in every fourth period: no ratio is passed over because none ended then."""
    mixer = RoadMixer(credit="next-return", choice="thompson")
    state, chosen = mixer.init(0), []
    for period in range(60):
        mixture = mixer.propose(state, Moment())
        chosen.append(mixture.offline_ratio)
        told = 1.0 if period % 4 == 3 else math.nan
        state = mixer.observe(state, mixture, Evidence(mean_return=told))
    assert chosen[:4] == [0.1] * 4
    assert min(mixer.table(state).counts) >= 1


def test_a_period_in_which_no_episode_ended_credits_nobody():
    mixer = RoadMixer(arms=(0.1, 0.3), credit="next-return")
    state = mixer.init(0)
    for heard in (5.0, math.nan, 7.0):
        mixture = mixer.propose(state, Moment())
        state = mixer.observe(state, mixture, Evidence(mean_return=heard))
    assert (state["finished"], mixer.table(state).counts) == (3, (1, 0))
    assert mixer.table(state).means == (7.0, None)


def test_the_change_of_r_q_is_weighed_by_the_same_penalty():
    """0.5 - 2 · 0.1 = 0.3, whatever R_q itself is."""
    mixer = RoadMixer(credit="change", overestimation_penalty=2.0)
    evidence = Evidence(Advantages(9.0, 9.0), change=Advantages(0.5, 0.1))
    state = mixer.observe(mixer.init(0), mixer.propose(mixer.init(0), Moment()), evidence)
    assert mixer.table(state).means[0] == pytest.approx(0.3)


def test_a_credit_that_was_not_measured_is_asked_for():
    mixer = RoadMixer(credit="fresh-error")
    with pytest.raises(ValueError, match=r"fresh-error.*error_drop"):
        mixer.observe(
            mixer.init(0), mixer.propose(mixer.init(0), Moment()), Evidence(Advantages(0.0, 0.0))
        )
