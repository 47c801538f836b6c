"""Replays: the same settings choose the same, others hear what was recorded nearby."""

import math
from typing import Any

import numpy as np
import pytest

from road.mixing import Advantages, Controller, RoadMixer, ValidatedMixer
from road.mixing.whatif import Recorded, recorded, replay
from road.mixing.whatif_errors import RecordedErrors, recorded_errors, replay_errors

SETTINGS: dict[str, dict[str, Any]] = {
    "paper": {},
    "short window": {"window": 7, "exploration": 0.3},
    "standardised": {"scale": "standardised", "overestimation_penalty": 0.5},
    "reversed": {"credit": "reversed", "scale": "standardised", "exploration": 0.1},
}


def finished(mixer: RoadMixer, periods: int = 60, seed: int = 3) -> Recorded:
    """A run of that mixer with noise and a drift."""
    controller, rng = Controller(mixer, seed=seed), np.random.default_rng(0)
    for period in range(periods):
        offline, online = rng.normal(size=2) + 0.02 * period
        controller.end_period(offline_advantage=float(offline), online_advantage=float(online))
    rows = [(p.offline_ratio, p.offline_advantage, p.online_advantage) for p in controller.history]
    return recorded(*np.array(rows, float).T)


@pytest.mark.parametrize("name", SETTINGS)
def test_its_own_settings_choose_what_the_run_chose(name: str):
    mixer = RoadMixer(arms=(0.5, 0.1, 0.3), **SETTINGS[name])
    run = finished(mixer)
    assert replay(run, mixer, seed=3) == run.ratios.tolist()


def test_other_settings_choose_otherwise():
    run = finished(RoadMixer())
    assert replay(run, RoadMixer(exploration=0.01)) != run.ratios.tolist()


def test_between_two_periods_of_a_ratio_its_advantages_lie_on_a_line():
    """m = 0.1 ran in periods 0 and 4, from 1 to 3; before and after it does not run for m = 0.5."""
    run = Recorded(
        np.array([0.1, 0.5, 0.5, 0.5, 0.1]),
        np.array([1.0, 7.0, 8.0, 9.0, 3.0]),
        np.array([0.0, 1.0, 1.0, 1.0, -2.0]),
    )
    low, high = zip(*run.filled((0.1, 0.5)), strict=True)
    assert [seen.offline for seen in low] == [1.0, 1.5, 2.0, 2.5, 3.0]
    assert [seen.online for seen in low] == [0.0, -0.5, -1.0, -1.5, -2.0]
    assert high[0] == high[1] == Advantages(7.0, 1.0)
    assert high[4] == Advantages(9.0, 1.0)


def test_the_penalty_decides_which_ratio_is_credited():
    """Delta_off prefers 0.5, Delta_on does not: with kappa = 0 only the first counts."""
    ratios = np.resize([0.1, 0.5], 40)
    run = recorded(ratios, ratios, 3 * ratios)
    without, with_it = (
        replay(run, RoadMixer((0.1, 0.5), penalty, exploration=0.001)) for penalty in (0.0, 1.0)
    )
    assert without.count(0.5) > 35
    assert with_it.count(0.1) > 35


def test_a_reversed_credit_chooses_what_the_other_leaves():
    """R_q is the ratio itself, so that it prefers 0.5; minus R_q prefers 0.1."""
    ratios = np.resize([0.1, 0.5], 40)
    run = recorded(ratios, ratios, 0 * ratios)
    forward = replay(run, RoadMixer((0.1, 0.5), exploration=0.001))
    backward = replay(run, RoadMixer((0.1, 0.5), exploration=0.001, credit="reversed"))
    assert forward.count(0.5) > 35
    assert backward.count(0.1) > 35


def test_fewer_arms_may_be_replayed_but_none_that_never_ran():
    run = finished(RoadMixer())
    assert set(replay(run, RoadMixer(arms=(0.1, 0.5)))) == {0.1, 0.5}
    with pytest.raises(ValueError, match=r"m = 0.7, 0.9 was never run.*0.1, 0.2"):
        replay(run, RoadMixer(arms=(0.1, 0.9, 0.7)))
    with pytest.raises(ValueError, match="'next-return'"):
        replay(run, RoadMixer(credit="next-return"))


@pytest.mark.parametrize(
    ("ratios", "advantage", "said"),
    [
        ([0.1, 0.5] * 10, math.nan, "no advantages were recorded"),
        ([0.1, 0.5] * 3, 0.0, "6 periods with advantages are too few"),
        ([], 0.0, "0 periods"),
        ([0.5] * 30, 0.0, "one ratio only, m = 0.5"),
        (np.linspace(0, 1, 80).repeat(2), 0.0, "80 ratios in 160 periods are a schedule"),
        (np.linspace(0, 1, 20), 0.0, "20 ratios in 20 periods are a schedule"),
    ],
)
def test_what_cannot_be_replayed_is_said(ratios: Any, advantage: float, said: str):
    with pytest.raises(ValueError, match=said):
        recorded(ratios, [advantage] * len(ratios), [0.0] * len(ratios))


def judged(mixer: ValidatedMixer, intervals: int = 30) -> tuple[RecordedErrors, list[float]]:
    """The errors of a loop in which a ratio of 0 errs less and less, and what the mixer chose."""
    controller, rng = Controller(mixer), np.random.default_rng(1)
    for interval in range(intervals):
        worse = np.exp(0.02 * interval * np.array(mixer.ratios))
        controller.observe_errors(worse * rng.lognormal(0.0, 0.1, (mixer.interval, len(worse))))
        if interval % 3 == 1:  # an episode has ended
            returns = worse + rng.lognormal(0.0, 0.1, len(worse))
            controller.observe_errors(returns, judge="return")
    errors = [period.probe_errors or {} for period in controller.history]
    unknown = [math.nan] * len(mixer.ratios)
    tables = {
        judge: [each.get(judge) or unknown for each in errors] for judge in ("bellman", "return")
    }
    chosen = [period.offline_ratio for period in controller.history]
    return recorded_errors(mixer.ratios, tables), chosen


@pytest.mark.parametrize(
    "settings",
    [{}, {"return_weight": 20.0, "bellman_weight": 5.0}, {"discount": 0.5, "ratios": (0.9, 0.2)}],
)
def test_errors_replayed_with_their_own_settings_choose_what_the_run_chose(
    settings: dict[str, Any],
):
    mixer = ValidatedMixer(**settings, interval=4)
    run, chosen = judged(mixer)
    assert len(set(chosen)) == 30
    assert replay_errors(run, mixer) == chosen


def test_errors_replayed_without_a_preference_choose_less_offline_data():
    mixer = ValidatedMixer(interval=4)
    run, chosen = judged(mixer)
    without = replay_errors(run, ValidatedMixer(offline_preference=0.0))
    assert all(np.array(without) < np.array(chosen))


def test_errors_of_some_probes_are_replayed_as_if_there_were_no_others():
    """Weights 1 : 3 at the second choice, since the errors are 3 and 1 and the sharpness is 1."""
    run = RecordedErrors((0.0, 0.5, 1.0), ({"bellman": (3.0, 7.0, 1.0)},) * 2)
    mixer = ValidatedMixer((1.0, 0.0), bellman_weight=1.0, offline_preference=0.0)
    assert replay_errors(run, mixer) == pytest.approx([0.5, 0.75])
    with pytest.raises(ValueError, match=r"no probe had the ratio 0.3; the run has 0, 0.5, 1"):
        replay_errors(run, ValidatedMixer((0.0, 0.3)))


@pytest.mark.parametrize("errors", [{}, {"bellman": np.full((5, 2), np.nan)}])
def test_a_run_without_errors_has_nothing_to_replay(errors: Any):
    with pytest.raises(ValueError, match="no errors of probes were recorded"):
        recorded_errors((0.0, 0.5), errors)
