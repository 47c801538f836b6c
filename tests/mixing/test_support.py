"""What the errors of probes say about the logs: the rule by hand, and how often it is wrong."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from road.mixing.support import Support, support

RATIOS = (0.0, 0.5, 1.0)


def judged(logs: NDArray[np.float64], preference: float = 0.0) -> Support:
    return support(RATIOS, {"bellman": np.exp(logs)}, {"bellman": 10.0}, preference)


def steady(*logs: float, intervals: int = 32, swing: float = 0.1) -> NDArray[np.float64]:
    """Log errors by probe; the lowest ratio's swings, by stretches of two in the last half."""
    table = np.tile(np.array(logs), (intervals, 1))
    signs = np.where(np.arange(intervals) // 2 % 2 == 0, 1.0, -1.0)
    table[:, 0] += swing * signs
    return table


def test_a_difference_by_hand():
    """Eight stretches of two, ±0.1: s = 0.1 · √(8/7), half width = 2.998 s / √8 = 0.1133."""
    found = judged(steady(0.0, -0.2, 0.3))
    middle = found.differences[1]
    assert middle.mean == pytest.approx(-0.2)
    assert middle.high - middle.mean == pytest.approx(2.998 * 0.1 * math.sqrt(8 / 7) / math.sqrt(8))
    assert found.differences[0].mean == found.differences[0].high == 0.0


def test_only_the_last_half_counts():
    whole = steady(0.0, -0.2, 0.3, intervals=64)
    other = np.concatenate([steady(0.0, 3.0, -3.0), whole[32:]])
    assert judged(other).differences == judged(whole).differences


def test_offline_data_that_helps():
    found = judged(steady(0.0, -0.2, 0.3), preference=0.1)
    assert (found.ratio, found.logs) == (0.5, "offline data helps until the end")
    assert found.sentence == (
        "fresh transitions support m = 0.5: offline data helps until the end (errors at m = 0.5 "
        "are 0.82 times those at m = 0, 98 % interval 0.73 to 0.92)"
    )


def test_logs_that_mislead():
    found = judged(steady(0.0, 0.3, 1.0), preference=0.5)
    assert (found.ratio, found.logs) == (0.0, "the logs are misleading here")
    assert found.sentence == (
        "fresh transitions support m = 0: the logs are misleading here (errors at m = 1 are 2.72 "
        "times those at m = 0, 98 % interval 2.43 to 3.04)"
    )


def test_what_the_preference_allows_is_no_evidence_against_the_logs():
    """0.5 is allowed, and the interval of 0.6 reaches down to 0.49."""
    found = judged(steady(0.0, 0.3, 0.6), preference=0.5)
    assert found.logs == "no clear preference"
    assert found.sentence == (
        "fresh transitions show no clear preference (errors at m = 1 are 1.82 times those at "
        "m = 0, 98 % interval 1.63 to 2.04; 1.65 times is allowed)"
    )
    assert judged(steady(0.0, 0.3, 0.6)).logs == "the logs are misleading here"


def test_a_difference_within_its_noise_is_none():
    found = judged(steady(0.0, -0.1, 0.1))
    assert (found.ratio, found.logs) == (0.5, "no clear preference")


def test_logs_of_which_a_part_helps_are_not_called_misleading():
    """m = 0.5 errs least, though not for certain; all of the offline data is certainly worse."""
    assert judged(steady(0.0, -0.1, 1.0)).logs == "no clear preference"


def test_logs_that_help_a_little_and_harm_much_help():
    assert judged(steady(0.0, -0.2, 3.0)).logs == "offline data helps until the end"


def test_the_order_of_the_probes_does_not_matter():
    table = np.exp(steady(0.0, -0.2, 0.3))
    turned = support((1.0, 0.5, 0.0), {"bellman": table[:, ::-1]}, {"bellman": 10.0})
    assert turned.sentence == judged(steady(0.0, -0.2, 0.3)).sentence


def test_the_judges_count_by_their_weights():
    """Where both judged, 1/4 · 0.4 + 3/4 · (−0.8) = −0.5; where one did not, neither counts."""
    bellman, returns = np.exp(steady(0.0, 0.4, 0.0, swing=0)), np.exp(steady(0, -0.8, 0, swing=0))
    returns[::2] = np.nan
    errors, weights = {"bellman": bellman, "return": returns}, {"bellman": 5.0, "return": 15.0}
    found = support(RATIOS, errors, weights)
    assert found.differences[1].mean == pytest.approx(-0.5)
    weights["return"] = 0.0
    assert support(RATIOS, errors, weights).differences[1].mean == pytest.approx(0.4)


def test_too_few_intervals_say_nothing():
    found = judged(steady(0.0, -9.0, 0.0, intervals=15))
    assert (found.ratio, found.logs, found.differences) == (None, None, ())
    assert "15 intervals with errors of the probes are too few" in found.sentence
    assert judged(steady(0.0, -9.0, 0.0, intervals=16)).logs is not None


@pytest.mark.parametrize(("lasting", "most"), [(0.0, 0.05), (0.3, 0.08)])
def test_noise_is_seldom_called_evidence(lasting: float, most: float):
    """50 intervals of five probes that do not differ; noise lasts from one to the next."""
    rng, claims, runs = np.random.default_rng(0), 0, 1000
    for _ in range(runs):
        noise = rng.normal(size=(70, 5))
        for index in range(1, 70):
            noise[index] = lasting * noise[index - 1] + math.sqrt(1 - lasting**2) * noise[index]
        errors = {"bellman": np.exp(noise[20:])}
        claims += support((0.0, 0.1, 0.3, 0.5, 0.9), errors, {"bellman": 1.0}).logs != (
            "no clear preference"
        )
    assert 0.01 < claims / runs < most
