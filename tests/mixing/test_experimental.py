"""Credits other than R_q: what is credited, to which ratio, and when."""

import math

import pytest
from tests.mixing.periods import observe

from road.mixing import Advantages, Context, Evidence, RoadMixer


def means_and_counts(mixer: RoadMixer, state: object) -> tuple[object, object]:
    table = mixer.propose(state, Context()).arms  # pyright: ignore[reportArgumentType]
    assert table is not None
    return table.means, table.counts


def test_a_late_credit_goes_to_the_ratio_before():
    """A ratio is kept until its first credit is known, so in the first round each comes twice.

    The drop reported after period k is 10 times the ratio of period k - 1.
    """
    mixer = RoadMixer(arms=(0.1, 0.3, 0.5), credit="fresh-error")
    state, chosen = mixer.init(0), [None]
    for _ in range(6):
        decision = mixer.propose(state, Context())
        before = chosen[-1]
        drop = math.nan if before is None else 10 * before
        chosen.append(decision.offline_ratio)
        evidence = Evidence(Advantages(0.0, 0.0), readings={"error_drop": drop})
        state = observe(mixer, state, decision, evidence, before)
    assert chosen[1:] == [0.1, 0.1, 0.3, 0.3, 0.5, 0.5]
    means, counts = means_and_counts(mixer, state)
    assert means == pytest.approx((1.0, 3.0, 5.0))
    assert counts == (2, 2, 1)


def test_a_ratio_waits_for_returns_that_come_rarely():
    """An episode ends in every fourth period: no ratio is passed over because none ended then."""
    mixer = RoadMixer(credit="next-return")
    state, chosen = mixer.init(0), []
    for period in range(60):
        decision = mixer.propose(state, Context())
        before = chosen[-1] if chosen else None
        chosen.append(decision.offline_ratio)
        mean_return = 1.0 if period % 4 == 3 else math.nan
        evidence = Evidence(readings={"mean_return": mean_return})
        state = observe(mixer, state, decision, evidence, before)
    assert chosen[:4] == [0.1] * 4
    assert min(means_and_counts(mixer, state)[1]) >= 1


def test_a_period_in_which_no_episode_ended_earns_no_credit():
    mixer = RoadMixer(arms=(0.1, 0.3), credit="next-return")
    state, before = mixer.init(0), None
    for mean_return in (5.0, math.nan, 7.0):
        decision = mixer.propose(state, Context())
        state = observe(
            mixer, state, decision, Evidence(readings={"mean_return": mean_return}), before
        )
        before = decision.offline_ratio
    assert means_and_counts(mixer, state) == ((7.0, None), (1, 0))


def test_the_change_of_r_q_is_weighed_by_the_same_penalty():
    """0.5 - 2 · 0.1 = 0.3, whatever R_q itself is."""
    mixer = RoadMixer(credit="change", overestimation_penalty=2.0)
    evidence = Evidence(
        Advantages(9.0, 9.0), readings={"offline_change": 0.5, "online_change": 0.1}
    )
    state = observe(mixer, mixer.init(0), mixer.propose(mixer.init(0), Context()), evidence)
    assert means_and_counts(mixer, state)[0][0] == pytest.approx(0.3)


def test_reversed_is_minus_r_q():
    mixer = RoadMixer(credit="reversed", overestimation_penalty=2.0)
    evidence = Evidence(Advantages(1.0, 0.2))
    state = observe(mixer, mixer.init(0), mixer.propose(mixer.init(0), Context()), evidence)
    assert means_and_counts(mixer, state)[0][0] == pytest.approx(-0.6)


@pytest.mark.parametrize(
    ("credit", "needed"),
    [
        ("fresh-error", "error_drop"),
        ("next-return", "mean_return"),
        ("change", "both changes"),
    ],
)
def test_a_credit_that_was_not_measured_is_named(credit: str, needed: str):
    mixer = RoadMixer(credit=credit)
    decision = mixer.propose(mixer.init(0), Context())
    with pytest.raises(ValueError, match=rf"{credit}.*{needed}"):
        observe(mixer, mixer.init(0), decision, Evidence(Advantages(0.0, 0.0)))
