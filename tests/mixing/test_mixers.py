"""Laws that hold for every mixer, and what each of them does."""

import json
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from road.mixing import (
    MIXERS,
    Advantages,
    Alignment,
    AppendMixer,
    BalancedMixer,
    DecreasingMixer,
    Evidence,
    FixedMixer,
    HypergradientMixer,
    Mixer,
    Moment,
    ProportionalMixer,
    RoadMixer,
    UniformMixer,
    make_mixer,
)
from road.mixing.mixers import PRESETS, sentence_of

MIXER_LIST: dict[str, Mixer[Any]] = {
    "road": RoadMixer(),
    "road-standardised": RoadMixer(scale="standardised", window=7),
    "road-extremes": RoadMixer(arms=(0.0, 1.0), window=None),
    "road-reversed": RoadMixer(credit="reversed", scale="standardised", window=7),
    "road-change": RoadMixer(credit="change", trend="removed", window=7),
    "road-fresh-error": RoadMixer(credit="fresh-error", counts="discounted", discount=0.9),
    "road-next-return": RoadMixer(credit="next-return", window=9, scale="standardised"),
    "road-thompson": RoadMixer(choice="thompson", window=7),
    "road-faded": RoadMixer(
        choice="thompson", counts="discounted", trend="removed", scale="standardised"
    ),
    "road-grid": RoadMixer(
        arms=(0.0, 0.05, 0.33, 0.9, 1.0), credit="next-return", choice="thompson", window=9
    ),
    "fixed": FixedMixer(0.3),
    "uniform": UniformMixer(),
    "decreasing": DecreasingMixer(),
    "append": AppendMixer(),
    "proportional": ProportionalMixer(),
    "balanced": BalancedMixer(),
    "hypergradient": HypergradientMixer(pull=0.1),
}


@pytest.fixture(params=MIXER_LIST)
def mixer(request: pytest.FixtureRequest) -> Mixer[Any]:
    return MIXER_LIST[request.param]


def moment(progress: float = 0.0) -> Moment:
    """Some way through an online phase of 1,000 steps, after 3,000 logged ones."""
    return Moment(progress, offline_rows=3_000, online_rows=int(1_000 * progress))


def evidence(seed: int) -> Evidence:
    """All that may be measured; every third period no episode ends."""
    drawn = np.random.default_rng(seed).uniform(-1.0, 1.0, 9).tolist()
    return Evidence(
        Advantages(*drawn[:2]),
        alignment=Alignment(*drawn[2:5]),
        change=Advantages(*drawn[5:7]),
        error_drop=drawn[7] if seed else math.nan,
        mean_return=drawn[8] if seed % 3 else math.nan,
    )


def played(mixer: Mixer[Any], periods: int, seed: int = 0) -> tuple[Any, list[float]]:
    state, ratios = mixer.init(seed), []
    for index in range(periods):
        mixture = mixer.propose(state, moment(index / periods))
        ratios.append(mixture.offline_ratio)
        state = mixer.observe(state, mixture, evidence(index))
    return state, ratios


def test_every_ratio_lies_in_the_unit_interval(mixer: Mixer[Any]):
    assert all(0.0 <= ratio <= 1.0 for ratio in played(mixer, 30)[1])


def test_same_seed_same_ratios(mixer: Mixer[Any]):
    assert played(mixer, 20) == played(mixer, 20)


def test_asking_twice_changes_nothing(mixer: Mixer[Any]):
    state, _ = played(mixer, 9)
    assert mixer.propose(state, moment(0.5)) == mixer.propose(state, moment(0.5))


def test_observing_leaves_the_earlier_state_alone(mixer: Mixer[Any]):
    state, _ = played(mixer, 9)
    before = json.dumps(state)
    mixer.observe(state, mixer.propose(state, moment(0.5)), evidence(1))
    assert json.dumps(state) == before


def test_a_state_that_went_through_json_goes_on_the_same(mixer: Mixer[Any]):
    state, _ = played(mixer, 12)
    copy = json.loads(json.dumps(state))
    assert copy == state
    for index in range(12, 24):
        mixture = mixer.propose(state, moment(index / 24))
        assert mixer.propose(copy, moment(index / 24)) == mixture
        state = mixer.observe(state, mixture, evidence(index))
        copy = mixer.observe(copy, mixture, evidence(index))


def test_the_state_does_not_grow_with_the_periods(mixer: Mixer[Any]):
    early = len(json.dumps(played(mixer, 1200)[0]))
    late = len(json.dumps(played(mixer, 2400)[0]))
    assert late < early * 1.2 + 50


def test_every_mixer_on_the_list_of_names_is_under_these_laws():
    assert {type(mixer) for mixer in MIXER_LIST.values()} == set(MIXERS.values())


def test_road_tries_every_arm_then_follows_the_credit():
    mixer = RoadMixer(exploration=0.01)
    state = mixer.init(0)
    chosen = []
    for _ in range(40):
        mixture = mixer.propose(state, moment())
        chosen.append(mixture.offline_ratio)
        state = mixer.observe(state, mixture, Evidence(credit=-abs(mixture.offline_ratio - 0.3)))
    assert chosen[:5] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert chosen.count(0.3) > 25


def test_road_credits_r_q_with_its_own_penalty():
    """R_q = 1 - 2 · 0.25 = 0.5 for the first arm."""
    mixer = RoadMixer(overestimation_penalty=2.0)
    state = mixer.init(0)
    state = mixer.observe(state, mixer.propose(state, moment()), Evidence(Advantages(1.0, 0.25)))
    assert mixer.table(state).means == (0.5, None, None, None, None)


def test_a_credit_of_the_callers_own_takes_the_place_of_r_q():
    mixer = RoadMixer()
    state = mixer.init(0)
    given = Evidence(Advantages(1.0, 0.25), credit=7.0)
    state = mixer.observe(state, mixer.propose(state, moment()), given)
    assert mixer.table(state).means[0] == 7.0


def test_the_mixture_says_why():
    mixer = RoadMixer(arms=(0.2, 0.8), exploration=2.0)
    state = mixer.init(0)
    for credit in (1.0, 3.0):
        state = mixer.observe(state, mixer.propose(state, moment()), Evidence(credit=credit))
    table = mixer.propose(state, moment()).arms
    assert table is not None
    assert (table.ratios, table.means, table.counts) == ((0.2, 0.8), (1.0, 3.0), (1, 1))
    assert table.bonuses == pytest.approx((math.sqrt(2 * math.log(2)),) * 2)


def test_decreasing_is_a_straight_line():
    mixer = DecreasingMixer()
    state = mixer.init(0)
    ratios = [mixer.propose(state, moment(progress)).offline_ratio for progress in (0.0, 0.5, 1.0)]
    assert ratios == pytest.approx([0.5, 0.3, 0.1])


def test_names_that_share_a_class_differ_in_their_settings():
    assert make_mixer("symmetric") == FixedMixer(0.5)
    assert make_mixer("discard") == FixedMixer(0.0)
    assert make_mixer("ramp") == DecreasingMixer(0.99, 0.5)
    assert make_mixer("ramp", end=0.2) == DecreasingMixer(0.99, 0.2)


def test_every_name_says_in_one_sentence_what_it_samples():
    sentences = [sentence_of(name) for name in MIXERS]
    assert len(set(sentences)) == len(MIXERS)
    assert all(sentence.endswith(".") and len(sentence) < 100 for sentence in sentences)
    assert set(PRESETS) <= set(MIXERS)


def test_the_sizes_of_the_sources_give_the_ratio():
    """3,000 logged rows and 1,000 of our own: three quarters."""
    pool = AppendMixer().propose(AppendMixer().init(0), moment(1.0))
    share = ProportionalMixer().propose(ProportionalMixer().init(0), moment(1.0))
    assert (pool.offline_ratio, pool.pooled) == (0.75, True)
    assert (share.offline_ratio, share.pooled) == (0.75, False)
    with pytest.raises(ValueError, match="offline_rows"):
        AppendMixer().propose(AppendMixer().init(0), Moment(0.5))


def test_uniform_uses_every_arm_about_equally_and_seeds_differ():
    _, ratios = played(UniformMixer(), 2000)
    counts = np.unique(ratios, return_counts=True)[1]
    assert counts.min() > 330
    assert played(UniformMixer(), 20, seed=1)[1] != ratios[:20]


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: FixedMixer(1.2), "1.2"),
        (lambda: FixedMixer(math.nan), "nan"),
        (lambda: DecreasingMixer(start=-0.1), "-0.1"),
        (lambda: UniformMixer(arms=()), r"\(\)"),
        (lambda: RoadMixer(arms=()), r"\(\)"),
        (lambda: RoadMixer(arms=(0.1, 1.5)), "1.5"),
        (lambda: RoadMixer(arms=(0.1, 0.1)), "differ"),
        (lambda: RoadMixer(overestimation_penalty=-1.0), "-1.0"),
        (lambda: RoadMixer(exploration=-2.0), "-2.0"),
        (lambda: RoadMixer(window=-3), "-3"),
        (lambda: RoadMixer(discount=0.0), "0.0"),
        (lambda: RoadMixer(discount=1.5), "1.5"),
        (lambda: Evidence(credit=math.inf), "inf"),
        (lambda: Evidence(), "neither"),
    ],
)
def test_wrong_settings_are_named(make: Any, named: str):
    with pytest.raises(ValueError, match=named):
        make()


OPTIONS = """
from road.mixing import RoadMixer

for name in ("credit", "scale", "trend", "counts", "choice"):
    for value in ("luck", "alignment"):
        try:
            RoadMixer(**{name: value})
        except ValueError as refused:
            assert name in str(refused) and value in str(refused), refused
        else:
            raise SystemExit(f"{name}={value} was taken")
"""


def test_an_option_of_another_name_is_refused():
    """In a process of its own, where the tests' run-time type checks do not come first."""
    done = subprocess.run([sys.executable, "-c", OPTIONS], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
