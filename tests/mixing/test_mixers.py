"""The contract of every mixer, and what each of them does."""

import json
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from tests.mixing.periods import observe

from road.mixing import (
    MIXERS,
    Advantages,
    AppendMixer,
    BalancedMixer,
    Context,
    DecreasingMixer,
    Evidence,
    FixedMixer,
    HypergradientMixer,
    Mixer,
    ProportionalMixer,
    RoadMixer,
    UniformMixer,
    ValidatedMixer,
    make_mixer,
)
from road.mixing.credit import READINGS
from road.mixing.registry import PRESETS, sentence_of, without_retired
from road.mixing.sample_level import A3RLMixer, OuterGradientMixer

MIXER_LIST: dict[str, Mixer[Any]] = {
    "road": RoadMixer(),
    "road-standardised": RoadMixer(scale="standardised", window=7),
    "road-extremes": RoadMixer(arms=(0.0, 1.0), window=None),
    "road-reversed": RoadMixer(credit="reversed", scale="standardised", window=7),
    "road-change": RoadMixer(credit="change", window=7),
    "road-fresh-error": RoadMixer(credit="fresh-error", window=None),
    "road-next-return": RoadMixer(credit="next-return", window=9, scale="standardised"),
    "road-grid": RoadMixer(arms=(0.0, 0.05, 0.33, 0.9, 1.0), credit="next-return", window=9),
    "fixed": FixedMixer(0.3),
    "uniform": UniformMixer(),
    "decreasing": DecreasingMixer(),
    "append": AppendMixer(),
    "proportional": ProportionalMixer(),
    "balanced": BalancedMixer(),
    "a3rl": A3RLMixer(),
    "outer-gradient": OuterGradientMixer(),
    "hypergradient": HypergradientMixer(pull=0.1),
    "validated": ValidatedMixer(),
    "validated-return": ValidatedMixer(bellman_weight=0.0, return_weight=20.0, discount=1.0),
}


@pytest.fixture(params=MIXER_LIST)
def mixer(request: pytest.FixtureRequest) -> Mixer[Any]:
    return MIXER_LIST[request.param]


def context(progress: float = 0.0) -> Context:
    """Some way through an online phase of 1,000 steps, after 3,000 logged ones."""
    return Context(progress, offline_rows=3_000, online_rows=int(1_000 * progress))


def evidence(seed: int) -> Evidence:
    """All that may be measured; every third period no episode ends."""
    drawn = np.random.default_rng(seed).uniform(-1.0, 1.0, len(READINGS) + 2).tolist()
    readings = dict(zip(READINGS, drawn[2:], strict=True))
    readings["error_drop"] = readings["error_drop"] if seed else math.nan
    readings["mean_return"] = readings["mean_return"] if seed % 3 else math.nan
    errors = np.exp(np.random.default_rng(seed).normal(size=(2, 5))).tolist()
    returns = tuple(errors[1]) if seed % 3 else None
    probe_errors = {"bellman": tuple(errors[0]), "return": returns}
    return Evidence(Advantages(*drawn[:2]), readings=readings, probe_errors=probe_errors)


def played(mixer: Mixer[Any], periods: int, seed: int = 0) -> tuple[Any, list[float]]:
    state, ratios = mixer.init(seed), []
    for index in range(periods):
        decision = mixer.propose(state, context(index / periods))
        ratios.append(decision.offline_ratio)
        state = observe(mixer, state, decision, evidence(index))
    return state, ratios


def test_every_ratio_lies_in_the_unit_interval(mixer: Mixer[Any]):
    assert all(0.0 <= ratio <= 1.0 for ratio in played(mixer, 30)[1])


def test_same_seed_same_ratios(mixer: Mixer[Any]):
    assert played(mixer, 20) == played(mixer, 20)


def test_asking_twice_changes_nothing(mixer: Mixer[Any]):
    state, _ = played(mixer, 9)
    assert mixer.propose(state, context(0.5)) == mixer.propose(state, context(0.5))


def test_observing_leaves_the_earlier_state_alone(mixer: Mixer[Any]):
    state, _ = played(mixer, 9)
    before = json.dumps(state)
    observe(mixer, state, mixer.propose(state, context(0.5)), evidence(1))
    assert json.dumps(state) == before


def test_a_state_that_went_through_json_goes_on_the_same(mixer: Mixer[Any]):
    state, _ = played(mixer, 12)
    copy = json.loads(json.dumps(state))
    assert copy == state
    for index in range(12, 24):
        decision = mixer.propose(state, context(index / 24))
        assert mixer.propose(copy, context(index / 24)) == decision
        state = observe(mixer, state, decision, evidence(index))
        copy = observe(mixer, copy, decision, evidence(index))


def test_the_state_does_not_grow_with_the_periods(mixer: Mixer[Any]):
    early = len(json.dumps(played(mixer, 1200)[0]))
    late = len(json.dumps(played(mixer, 2400)[0]))
    assert late < early * 1.2 + 50


def test_every_mixer_on_the_list_of_names_is_under_this_contract():
    assert {type(mixer) for mixer in MIXER_LIST.values()} == set(MIXERS.values())


def test_road_tries_every_arm_then_follows_the_credit():
    mixer = RoadMixer(exploration=0.01)
    state = mixer.init(0)
    chosen = []
    for _ in range(40):
        decision = mixer.propose(state, context())
        chosen.append(decision.offline_ratio)
        state = observe(mixer, state, decision, Evidence(credit=-abs(decision.offline_ratio - 0.3)))
    assert chosen[:5] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert chosen.count(0.3) > 25


def test_road_credits_r_q_with_its_own_penalty():
    """R_q = 1 - 2 · 0.25 = 0.5 for the first arm."""
    mixer = RoadMixer(overestimation_penalty=2.0)
    state = mixer.init(0)
    state = observe(mixer, state, mixer.propose(state, context()), Evidence(Advantages(1.0, 0.25)))
    assert mixer.propose(state, context()).arms.means == (0.5, None, None, None, None)


def test_a_credit_of_the_callers_own_takes_the_place_of_r_q():
    mixer = RoadMixer()
    state = mixer.init(0)
    given = Evidence(Advantages(1.0, 0.25), credit=7.0)
    state = observe(mixer, state, mixer.propose(state, context()), given)
    assert mixer.propose(state, context()).arms.means[0] == 7.0


def test_the_decision_holds_the_arm_statistics():
    mixer = RoadMixer(arms=(0.2, 0.8), exploration=2.0)
    state = mixer.init(0)
    for credit in (1.0, 3.0):
        state = observe(mixer, state, mixer.propose(state, context()), Evidence(credit=credit))
    table = mixer.propose(state, context()).arms
    assert table is not None
    assert (table.ratios, table.means, table.counts) == ((0.2, 0.8), (1.0, 3.0), (1, 1))
    assert table.bonuses == pytest.approx((math.sqrt(2 * math.log(2)),) * 2)


def test_decreasing_is_a_straight_line():
    mixer = DecreasingMixer()
    state = mixer.init(0)
    ratios = [mixer.propose(state, context(progress)).offline_ratio for progress in (0.0, 0.5, 1.0)]
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
    pool = AppendMixer().propose(AppendMixer().init(0), context(1.0))
    share = ProportionalMixer().propose(ProportionalMixer().init(0), context(1.0))
    assert (pool.offline_ratio, pool.mixture.pooled) == (0.75, True)
    assert (share.offline_ratio, share.mixture.pooled) == (0.75, False)
    with pytest.raises(ValueError, match="offline_rows"):
        AppendMixer().propose(AppendMixer().init(0), Context(0.5))


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
        (lambda: Evidence(credit=math.inf), "inf"),
        (lambda: Evidence(), "neither"),
    ],
)
def test_wrong_settings_are_named(make: Any, named: str):
    with pytest.raises(ValueError, match=named):
        make()


OPTIONS = """
from road.mixing import RoadMixer

for name in ("credit", "scale"):
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


def test_recorded_settings_of_removed_options_are_read_at_their_old_defaults():
    recorded = {"window": 7, "trend": "kept", "counts": "windowed", "discount": 0.999}
    assert without_retired("road", recorded) == {"window": 7}
    with pytest.raises(ValueError, match=r"trend='removed' of mixer 'road' no longer exists"):
        without_retired("road", {"trend": "removed"})
