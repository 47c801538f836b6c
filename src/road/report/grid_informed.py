"""Whether the choices of a method were informed, over all of its runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from road.mixing.informedness import SIGNIFICANCE, Informedness
from road.report.tables import Listing
from road.report.writing import probability, rounded

CAPTION = (
    "A run is tested for whether its credits differ by ratio once their trend is removed. One in "
    "twenty passes by chance; beside the number of runs that pass stands how likely chance alone "
    "gives so many or more. That takes the noise of periods as independent: where it lasts, a "
    "bandit that follows its credits passes more often without knowing more. The share explained "
    "is ε², the mean over runs: how much of the spread of the credits goes with the ratio, less "
    "what would by chance. It is 0 where the ratio makes no difference, and may fall below; unlike "
    "η² it does not grow where periods are few. Equal shares: in how many runs each ratio was used "
    "as often as any other, or once more where they do not divide the periods; and how far the "
    "shares are from that (total variation), the mean over runs. In what order is not looked at. A "
    "credit that tells arms apart need not rank them rightly: that, only the scores can say."
)
SAME = 1e-9
"""Shares that differ by less are equal, rounded."""


@dataclass(frozen=True)
class Informed:
    """A method's runs that could be tested: several ratios, and credits for them."""

    method: str
    runs: int
    told_apart: int
    epsilon_squared: float
    """The share explained beyond chance, the mean over runs."""
    equal: int
    """Runs whose shares are as equal as they can be."""
    beyond_equal: float


def informed_runs(method: str, judged: Sequence[Informedness | None]) -> list[Informed]:
    """One line about the method, or none if none of its runs can be tested."""
    tested = [one for one in judged if one is not None and one.detrended_p is not None]
    if not tested:
        return []
    return [
        Informed(
            method,
            runs=len(tested),
            told_apart=sum(tells_apart(one) for one in tested),
            epsilon_squared=sum(one.detrended_epsilon_squared or 0.0 for one in tested)
            / len(tested),
            equal=sum(one.beyond_equal < SAME for one in tested),
            beyond_equal=sum(one.beyond_equal for one in tested) / len(tested),
        )
    ]


def tells_apart(judged: Informedness) -> bool:
    return judged.detrended_p is not None and judged.detrended_p < SIGNIFICANCE


def informed_verdict(subject: str, informed: Sequence[Informed]) -> str:
    """The sentence after the headline: whether the subject had anything to go by."""
    found = next((one for one in informed if one.method == subject), None)
    if found is None:
        return f"Whether {subject} was informed could not be tested."
    return (
        f"{subject}'s credits told its ratios apart in {found.told_apart} of {found.runs} runs, "
        f"where chance gives {SIGNIFICANCE * found.runs:.1f}; so many or more has a probability of "
        f"{probability(by_chance(found.told_apart, found.runs))}. It used its ratios in equal "
        f"shares in {found.equal} of {found.runs}."
    )


def by_chance(told_apart: int, runs: int) -> float:
    """How likely so many runs or more pass the test where no credit knows anything: binomial."""
    return sum(
        math.comb(runs, count) * SIGNIFICANCE**count * (1 - SIGNIFICANCE) ** (runs - count)
        for count in range(told_apart, runs + 1)
    )


def informed_listing(informed: Sequence[Informed]) -> Listing:
    rows = [
        [
            one.method,
            str(one.runs),
            f"in {one.told_apart} of {one.runs}",
            probability(by_chance(one.told_apart, one.runs)),
            rounded(one.epsilon_squared, 2),
            f"in {one.equal} of {one.runs}",
            f"{one.beyond_equal:.2f}",
        ]
        for one in informed
    ]
    head = (
        *("Method", "runs tested", "credits tell the arms apart", "so many by chance"),
        *("share explained", "equal shares", "away from equal shares"),
    )
    return Listing("Informed?", CAPTION, head, rows)
