"""The ratio that follows gradients: worked out by hand."""

import math
from typing import Any

import pytest
from tests.mixing.periods import observe

from road.mixing import Context, Evidence, HypergradientMixer
from road.mixing.period import finish_period


def moved(mixer: HypergradientMixer, *cosines: tuple[float, float]) -> list[float]:
    """The ratios after each pair of cosines, of offline and of online rows with fresh ones."""
    state, ratios = mixer.init(0), []
    for offline, online in cosines:
        evidence = Evidence(readings={"offline_cosine": offline, "online_cosine": online})
        state = observe(mixer, state, mixer.propose(state, Context()), evidence)
        ratios.append(mixer.propose(state, Context()).offline_ratio)
    return ratios


def test_the_logit_moves_by_the_difference_of_the_cosines():
    """0.5 has logit 0; 0.5 · (0.8 - 0.2) = 0.3, and then 0.3 - 0.5 · 1 = -0.2."""
    ratios = moved(HypergradientMixer(rate=0.5), (0.8, 0.2), (-0.4, 0.6))
    assert ratios == pytest.approx([1 / (1 + math.exp(-0.3)), 1 / (1 + math.exp(0.2))])


def test_it_rests_where_both_sources_agree_alike():
    assert moved(HypergradientMixer(start=0.3), (0.7, 0.7)) == pytest.approx([0.3])


def test_it_never_leaves_its_bounds_and_turns_at_once():
    """At the bound nothing is wound up: one step back is one step back."""
    mixer = HypergradientMixer(rate=1.0)
    ratios = moved(mixer, *[(1.0, -1.0)] * 50, (-0.5, 0.5))
    assert max(ratios) == ratios[49] == pytest.approx(0.95)
    assert ratios[50] == pytest.approx(1 / (1 + math.exp(1.0) * 0.05 / 0.95))
    assert min(moved(mixer, *[(-1.0, 1.0)] * 50)) == pytest.approx(0.02)


def test_the_pull_leads_back_to_the_prior():
    """Without any agreement a tenth of the way, in logits, is taken in each interval."""
    mixer = HypergradientMixer(start=0.9, pull=0.1, prior=0.2)
    prior, start = math.log(0.2 / 0.8), math.log(0.9 / 0.1)
    after = [prior + (start - prior) * 0.9**n for n in (1, 2)]
    assert moved(mixer, (0.0, 0.0), (0.0, 0.0)) == pytest.approx(
        [1 / (1 + math.exp(-logit)) for logit in after]
    )


def test_it_asks_for_rows_that_are_held_back_and_for_its_own_interval():
    decision = HypergradientMixer(interval=7, held_back=50).propose(
        {"logit": 0.0, "finished": 0}, Context()
    )
    assert (decision.steps, decision.mixture.held_back) == (7, 50)
    assert decision.criterion.measures == "alignment"
    returns = HypergradientMixer(judge="monte-carlo")
    assert returns.propose(returns.init(0), Context()).criterion.measures == "return-alignment"


def test_it_credits_nothing_and_refuses_other_evidence():
    mixer = HypergradientMixer()
    state = mixer.init(0)
    with pytest.raises(ValueError, match="needs offline_cosine and online_cosine"):
        observe(mixer, state, mixer.propose(state, Context()), Evidence(credit=1.0))
    cosines = {"offline_cosine": 0.5, "online_cosine": 0.25, "between_cosine": 0.1}
    evidence = Evidence(readings=cosines)
    period = finish_period(0, mixer.propose(state, Context()), evidence, None)
    assert (period.credit, period.credited_ratio) == (None, None)
    assert dict(period.readings) == cosines


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"start": 0.01}, "start"),
        ({"lowest": 0.0}, "lowest"),
        ({"highest": 1.0}, "highest"),
        ({"lowest": 0.6, "highest": 0.5}, "highest"),
        ({"prior": 0.99}, "prior"),
        ({"rate": -1.0}, "rate"),
        ({"rate": math.nan}, "rate"),
        ({"pull": 1.5}, "pull"),
        ({"interval": 0}, "interval"),
        ({"held_back": 0}, "held_back"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], named: str):
    with pytest.raises(ValueError, match=named):
        HypergradientMixer(**settings)
