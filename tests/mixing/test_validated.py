"""``ValidatedMixer``: its formula by hand, its limits, and a small problem for each of them."""

import itertools
import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.mixing.periods import observe

from road.mixing import Context, ErrorTally, Evidence, ProbeTraining, ValidatedMixer
from road.mixing.validated import Judgement

THREE = (0.0, 0.5, 1.0)
PLAIN = ValidatedMixer(ratios=THREE, bellman_weight=2.0, offline_preference=0.0)


def after(mixer: ValidatedMixer, *intervals: dict[str, Any]) -> Judgement:
    """The state after intervals that ended with these errors, by judge."""
    state = mixer.init(0)
    for errors in intervals:
        evidence = Evidence(probe_errors={"bellman": None, "return": None, **errors})
        state = observe(mixer, state, mixer.propose(state, Context()), evidence)
    return state


def ratio(mixer: ValidatedMixer, state: Judgement) -> float:
    return mixer.propose(state, Context()).offline_ratio


def test_before_any_error_only_the_preference_counts():
    assert ratio(PLAIN, PLAIN.init(0)) == pytest.approx(0.5)
    mixer = ValidatedMixer(ratios=(0.0, 1.0), bellman_weight=2.0, offline_preference=0.5)
    assert ratio(mixer, mixer.init(0)) == pytest.approx(math.e / (1.0 + math.e))


def test_the_ratio_is_the_mean_of_the_probes_by_a_softmax_of_log_errors():
    """Errors of 4, 1 and 1 to the power of -2: weights of 1/16, 1 and 1."""
    state = after(PLAIN, {"bellman": (4.0, 1.0, 1.0)})
    weights = np.array([1 / 16, 1.0, 1.0]) / (2 + 1 / 16)
    np.testing.assert_allclose(PLAIN.weights(state), weights)
    assert ratio(PLAIN, state) == pytest.approx(weights @ np.array(THREE))


def test_earlier_intervals_count_less():
    """Log errors of +-1 in the first interval, -+1 in the second, discounted by a half."""
    mixer = ValidatedMixer(ratios=(0.0, 1.0), discount=0.5, offline_preference=0.0)
    high, low = math.exp(1.0), math.exp(-1.0)
    state = after(mixer, {"bellman": (high, low)}, {"bellman": (low, high)})
    expected = np.array([0.5 * 1.0 - 1.0, -0.5 * 1.0 + 1.0]) / 1.5
    np.testing.assert_allclose(mixer.losses(state), 10.0 * expected)


def test_both_judges_are_added_by_their_weights():
    mixer = ValidatedMixer(
        ratios=(0.0, 1.0), bellman_weight=1.0, return_weight=3.0, offline_preference=0.0
    )
    e = math.e
    state = after(mixer, {"bellman": (1.0, e**2), "return": (e, 1 / e)})
    np.testing.assert_allclose(mixer.losses(state), [-1.0 + 3.0, 1.0 - 3.0])


def test_an_interval_in_which_no_episode_ended_leaves_the_return_judge_as_it_was():
    mixer = ValidatedMixer(ratios=(0.0, 1.0), bellman_weight=0.0, return_weight=2.0)
    known = after(mixer, {"bellman": (1.0, 1.0), "return": (3.0, 1.0)})
    later = after(mixer, {"bellman": (1.0, 1.0), "return": (3.0, 1.0)}, {"bellman": (1.0, 9.0)})
    assert ratio(mixer, later) == ratio(mixer, known)


def test_the_preference_is_the_log_error_by_which_offline_data_may_be_worse():
    """Equal errors prefer offline data; exp(0.5) times the error at ratio 1 balances it."""
    mixer = ValidatedMixer(ratios=(0.0, 1.0), offline_preference=0.5)
    assert ratio(mixer, after(mixer, {"bellman": (1.0, 1.0)})) > 0.99
    balanced = after(mixer, {"bellman": (1.0, math.exp(0.5))})
    assert ratio(mixer, balanced) == pytest.approx(0.5)
    assert ratio(mixer, after(mixer, {"bellman": (1.0, math.exp(1.0))})) < 0.01


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_the_unit_of_reward_does_not_matter(unit: float):
    errors = np.random.default_rng(0).uniform(0.5, 2.0, (6, 5))
    mixer = ValidatedMixer()
    plain = after(mixer, *({"bellman": tuple(row)} for row in errors))
    scaled = after(mixer, *({"bellman": tuple(unit**2 * row)} for row in errors))
    assert ratio(mixer, scaled) == pytest.approx(ratio(mixer, plain), abs=1e-9)


def test_errors_of_zero_and_of_the_largest_size_give_a_ratio():
    mixer = ValidatedMixer(ratios=THREE)
    for errors in ((0.0, 0.0, 0.0), (0.0, 1.0, 1e300), (1e-300, 1e300, 1e-300)):
        state = after(mixer, {"bellman": errors})
        assert 0.0 <= ratio(mixer, state) <= 1.0
        json.dumps(state, allow_nan=False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ratios": ()}, r"ratios must be two or more, one per probe, got \(\)"),
        ({"ratios": (0.5,)}, "ratios must be two or more"),
        ({"ratios": (0.0, 1.5)}, r"must lie in \[0, 1\], got 1.5"),
        ({"ratios": (-0.1, 0.5)}, r"must lie in \[0, 1\], got -0.1"),
        ({"ratios": (0.0, math.nan)}, r"must lie in \[0, 1\], got nan"),
        ({"ratios": (0.5, 0.5)}, "must differ"),
        ({"bellman_weight": -1.0}, "bellman_weight must be 0 or more, got -1.0"),
        ({"return_weight": math.nan}, "return_weight must be 0 or more, got nan"),
        ({"bellman_weight": 0.0}, "both 0"),
        ({"offline_preference": -0.1}, "offline_preference must be 0 or more"),
        ({"offline_preference": math.inf}, "offline_preference must be 0 or more"),
        ({"discount": 0.0}, "discount must lie above 0"),
        ({"interval": 0}, "interval must be 1 or more"),
        ({"probe_every": 0}, "probe_every must be 1 or more"),
        ({"probe_batch": 1.5}, "probe_batch must lie above 0"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message) as refusal:
        ValidatedMixer(**settings)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ((1.0, 2.0), "one per probe, 3"),
        ((1.0, 2.0, math.nan), "finite and 0 or more"),
        ((1.0, 2.0, math.inf), "finite and 0 or more"),
        ((1.0, 2.0, -1.0), "finite and 0 or more"),
    ],
)
def test_bad_errors_are_refused(errors: tuple[float, ...], message: str):
    with pytest.raises(ValueError, match=message):
        after(PLAIN, {"bellman": errors})
    with pytest.raises(ValueError, match=message):
        ErrorTally(3).add(list(errors))


def test_an_interval_without_errors_is_refused():
    decision = PLAIN.propose(PLAIN.init(0), Context())
    with pytest.raises(ValueError, match="needs the errors of its probes"):
        observe(PLAIN, PLAIN.init(0), decision, Evidence(credit=1.0))


def test_a_refused_error_leaves_the_tally_as_it_was():
    tally = ErrorTally(2)
    tally.add([1.0, 3.0])
    for bad in ([1.0], [1.0, math.nan], [[1.0, 2.0], [-1.0, 0.0]]):
        with pytest.raises(ValueError, match="errors must be"):
            tally.add(bad)
    with pytest.raises(ValueError, match="judge must be one of bellman, return, got 'td'"):
        tally.add([1.0, 2.0], "td")
    assert tally.means() == {"bellman": (1.0, 3.0), "return": None}


def test_rows_of_errors_count_as_that_many_transitions():
    one, other = ErrorTally(2), ErrorTally(2)
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]]
    one.add(rows)
    for row in rows:
        other.add(row)
    assert one.means() == other.means() == {"bellman": (3.0, 2.0), "return": None}


def test_cheaper_probes_are_the_mixers_settings():
    mixer = ValidatedMixer(probe_every=4, probe_batch=0.5, probe_actor=True)
    assert mixer.probe_training == ProbeTraining(every=4, batch=0.5, actor=True)
    assert [probe.offline_ratio for probe in mixer.probe_mixers] == list(mixer.ratios)


# Problems built for one weakness each: tabular TD(0) with one table per probe, in NumPy alone.


@dataclass(frozen=True)
class Ring:
    """States on a ring; from each, one step on. The values to be learnt are V(s), by TD(0)."""

    states: int = 8
    slip: float = 0.0
    """Probability of staying instead of moving."""
    reward: float = 1.0
    """Of entering state 0; 0 elsewhere unless ``dense``."""
    dense: bool = False
    """Whether every state pays, by its number."""
    ends: bool = False
    """Whether entering state 0 ends the episode."""

    def paid(self, state: int) -> float:
        if self.dense:
            return self.reward * math.cos(2 * math.pi * state / self.states)
        return self.reward * (state == 0)

    def transitions(self, count: int, seed: int, sign: float = 1.0) -> list["Row"]:
        rng, state, rows = np.random.default_rng(seed), 0, list[Row]()
        for _ in range(count):
            following = state if rng.random() < self.slip else (state + 1) % self.states
            over = self.ends and following == 0 and state != 0
            rows.append(Row(state, sign * self.paid(following), following, over))
            state = following
        return rows


@dataclass(frozen=True)
class Row:
    state: int
    reward: float
    following: int
    over: bool


GAMMA, RATE = 0.9, 0.2


def target(values: NDArray[np.float64], row: Row) -> float:
    return row.reward + GAMMA * (0.0 if row.over else values[row.following])


@dataclass(frozen=True)
class Judged:
    """What a mixer made of a prequential pass over fresh transitions."""

    ratio: float
    values: NDArray[np.float64]
    means: dict[str, Any]
    """Mean errors of the last interval."""


@dataclass
class Probes:
    """A table of values for each probe, trained at its ratio on logs and on what is not fresh."""

    ratios: tuple[float, ...]
    logs: list[Row]
    rng: np.random.Generator
    held: dict[int, float]
    """Probes that stay at a constant value."""

    def __post_init__(self) -> None:
        self.values = np.zeros((len(self.ratios), 64))
        for probe, value in self.held.items():
            self.values[probe] = value

    def errors(self, row: Row) -> list[float]:
        return [(table[row.state] - target(table, row)) ** 2 for table in self.values]

    def train(self, seen: list[Row]) -> None:
        for k, m in enumerate(self.ratios):
            for _ in range(0 if k in self.held else 4):
                source = self.logs if self.rng.random() < m else seen
                drawn = source[self.rng.integers(len(source))]
                wrong = target(self.values[k], drawn) - self.values[k, drawn.state]
                self.values[k, drawn.state] += RATE * wrong


def return_errors(episode: list[tuple[NDArray[np.float64], Row]]) -> list[list[float]]:
    """Squared distances of every probe's earlier value from the observed return, by transition."""
    returns, found = 0.0, list[list[float]]()
    for q, each in reversed(episode):
        returns = each.reward + GAMMA * returns
        found.append(((q - returns) ** 2).tolist())
    return found


def judge(
    mixer: ValidatedMixer,
    logs: list[Row],
    fresh: list[Row],
    seed: int = 0,
    held: dict[int, float] | None = None,
) -> Judged:
    """Score every probe on each fresh transition, then train each on both at its ratio."""
    probes = Probes(mixer.ratios, logs, np.random.default_rng(seed), held or {})
    tally, state, means = ErrorTally(len(mixer.ratios)), mixer.init(0), dict[str, Any]()
    episode = list[tuple[NDArray[np.float64], Row]]()
    for now, row in enumerate(fresh, start=1):
        tally.add(probes.errors(row))
        episode.append((probes.values[:, row.state].copy(), row))
        if row.over:
            tally.add(return_errors(episode), "return")
            episode = []
        probes.train(fresh[:now])
        if now % mixer.interval == 0 or now == len(fresh):
            means = tally.means()
            decision = mixer.propose(state, Context())
            state = observe(mixer, state, decision, Evidence(probe_errors=means))
            tally.clear()
    return Judged(ratio(mixer, state), probes.values, means)


WORLD = Ring(dense=True)
SMALL = ValidatedMixer(ratios=(0.0, 0.5, 0.9), interval=20)


def test_logs_that_contradict_new_transitions_are_dropped():
    result = judge(SMALL, WORLD.transitions(200, 1, sign=-1.0), WORLD.transitions(200, 2))
    assert result.ratio < 0.02


def test_logs_that_agree_with_new_transitions_are_used():
    result = judge(SMALL, WORLD.transitions(200, 1), WORLD.transitions(80, 2))
    assert result.ratio > 0.8


def test_where_nothing_is_left_to_learn_the_errors_of_all_probes_are_rounding():
    """A weakness: relative errors near 0 say nothing of ratios, and the mixer follows them."""
    result = judge(SMALL, WORLD.transitions(200, 1), WORLD.transitions(400, 2))
    assert max(result.means["bellman"]) < 1e-4
    assert 0.0 <= result.ratio <= 0.9


@pytest.mark.parametrize("seed", range(5))
def test_noisy_transitions_do_not_turn_the_judgement(seed: int):
    """The squared error then holds noise of the next state, much alike for all probes."""
    world = Ring(dense=True, slip=0.3)
    wrong, right = world.transitions(400, seed, sign=-1.0), world.transitions(400, seed)
    fresh = world.transitions(400, seed + 100)
    assert judge(SMALL, wrong, fresh, seed).ratio < 0.1
    assert judge(SMALL, right, fresh, seed).ratio > 0.5


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_rewards_of_another_unit_give_the_same_ratio(unit: float):
    ratios = [
        judge(
            SMALL,
            Ring(dense=True, reward=reward).transitions(200, 1),
            Ring(dense=True, reward=reward).transitions(200, 2),
        ).ratio
        for reward in (1.0, unit)
    ]
    assert ratios[0] == pytest.approx(ratios[1], abs=1e-6)


def test_sparse_rewards_contradicted_by_the_logs_are_noticed():
    """One state of eight pays; in the logs it costs instead."""
    world = Ring(ends=True)
    wrong = judge(SMALL, world.transitions(200, 1, sign=-1.0), world.transitions(400, 2))
    right = judge(SMALL, world.transitions(200, 1), world.transitions(400, 2))
    assert wrong.ratio < 0.1
    assert right.ratio > 0.6


def test_a_probe_that_learnt_nothing_is_caught_by_returns_and_not_by_bellman_errors():
    """Values of 0 where reward is rare have small Bellman errors: the known weakness of scale.

    The probe at ratio 0.9 is held at 0. By noisy Bellman errors it is the best of three; by the
    distance from observed returns it is the worst.
    """
    world = Ring(ends=True, slip=0.6, reward=1.0)
    logs, fresh = world.transitions(600, 1), world.transitions(600, 2)
    plain = ValidatedMixer(ratios=(0.0, 0.5, 0.9), interval=600, offline_preference=0.0)
    both = replace(plain, bellman_weight=5.0, return_weight=20.0)
    means = judge(plain, logs, fresh, held={2: 0.0}).means
    assert min(means["bellman"]) == means["bellman"][2]
    assert max(means["return"]) == means["return"][2]
    assert plain.weights(after(plain, means))[2] > 0.9
    assert both.weights(after(both, means))[2] < 0.01


def test_almost_no_new_data_moves_the_ratio_by_no_more_than_it_says():
    """One transition that none of the probes predicts better than another changes nothing."""
    mixer = ValidatedMixer(ratios=(0.0, 0.5, 0.9), interval=1)
    start = ratio(mixer, mixer.init(0))
    result = judge(mixer, WORLD.transitions(50, 1), WORLD.transitions(1, 2))
    assert result.ratio == pytest.approx(start, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_few_new_transitions_move_the_ratio_part_of_the_way(seed: int):
    """After eleven wrong logs are not yet dropped: without them a probe knows little."""
    mixer = ValidatedMixer(ratios=(0.0, 0.5, 0.9), interval=4, offline_preference=0.0)
    right, wrong = (WORLD.transitions(200, seed, sign=sign) for sign in (1.0, -1.0))
    few, more = WORLD.transitions(11, 2), WORLD.transitions(40, 2)
    assert 0.2 < judge(mixer, wrong, few, seed).ratio < judge(mixer, right, few, seed).ratio
    assert judge(mixer, right, few, seed).ratio > 0.5
    assert judge(mixer, wrong, more, seed).ratio < 0.1


def test_an_endless_episode_is_judged_though_no_return_is_known():
    """By Bellman errors every interval; a mixer of returns alone keeps to its preference."""
    mixer = ValidatedMixer(ratios=(0.0, 0.5, 0.9), interval=20)
    logs, fresh = WORLD.transitions(200, 1, sign=-1.0), WORLD.transitions(200, 2)
    result = judge(mixer, logs, fresh)
    assert result.means["return"] is None
    assert result.ratio < 0.02
    returns = replace(mixer, bellman_weight=0.0, return_weight=10.0)
    assert judge(returns, logs, fresh).ratio == ratio(returns, returns.init(0))


def test_noise_favours_the_probe_whose_values_differ_least_between_states():
    """One sampled next state adds gamma^2 Var V(s') to the squared error.

    All rewards are 1 and half of the steps stay: V = 10 everywhere has no error at all. A probe
    held at 0 is off by 1 in every state. Only where its values vary does noise count against a
    probe, as it does here against one that is right on average and off by +-3 from state to state.
    """
    rows = [Row(state % 8, 1.0, (state + slip) % 8, over=False)
            for state in range(64) for slip in (0, 1)]  # fmt: skip
    waves = 10.0 + 3.0 * np.cos(np.pi * np.arange(8))
    flat = [[(table[row.state] - target(table, row)) ** 2 for table in
             (np.full(8, 10.0), np.zeros(8), waves)] for row in rows]  # fmt: skip
    exact, empty, varied = np.mean(flat, axis=0)
    assert exact == pytest.approx(0.0)
    assert empty == pytest.approx(1.0)
    # Staying: 3 - 2.7 = 0.3. Moving on: 3 + 2.7 = 5.7. With the mean of both next values it is 3.
    assert varied == pytest.approx((0.3**2 + 5.7**2) / 2)
    assert varied - 3.0**2 == pytest.approx(0.9**2 * 3.0**2)


def test_the_order_of_the_probes_does_not_matter():
    errors = (0.5, 2.0, 1.0)
    chosen = set[float]()
    for order in itertools.permutations(range(3)):
        mixer = ValidatedMixer(ratios=tuple(THREE[i] for i in order))
        state = after(mixer, {"bellman": tuple(errors[i] for i in order)})
        chosen.add(round(ratio(mixer, state), 12))
    assert len(chosen) == 1
