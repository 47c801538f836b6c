"""Whether the choices of a method were informed, over all of its runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from road.mixing.informedness import SIGNIFICANCE, Informedness
from road.report.tables import Listing
from road.report.writing import rounded

CAPTION = (
    "A run is tested for whether its credits differ by ratio once their trend is removed. One in "
    "twenty passes by chance. The share explained is ε², the mean over runs: how much of the "
    "spread of the credits goes with the ratio, less what would by chance. It is 0 where the ratio "
    "makes no difference, and may fall below; unlike η² it does not grow where periods are few. "
    "Turns: in how many runs each ratio was used as often as perfect turns would, and how far the "
    "shares are from that (total variation), the mean over runs. A credit that tells arms "
    "apart need not rank them rightly: that, only the scores can say."
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
    turns: int
    """Runs whose shares are those of perfect turns."""
    beyond_turns: float


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
            turns=sum(one.beyond_turns < SAME for one in tested),
            beyond_turns=sum(one.beyond_turns for one in tested) / len(tested),
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
        f"{subject}'s credits told its ratios apart in {found.told_apart} of {found.runs} runs "
        f"(by chance: {SIGNIFICANCE * found.runs:.1f}); it used each ratio as often as perfect "
        f"turns would in {found.turns} of {found.runs}."
    )


def informed_listing(informed: Sequence[Informed]) -> Listing:
    rows = [
        [
            one.method,
            str(one.runs),
            f"in {one.told_apart} of {one.runs}",
            rounded(one.epsilon_squared, 2),
            f"in {one.turns} of {one.runs}",
            f"{one.beyond_turns:.2f}",
        ]
        for one in informed
    ]
    head = (
        *("Method", "runs tested", "credits tell the arms apart", "share explained"),
        *("turns", "away from turns"),
    )
    return Listing("Informed?", CAPTION, head, rows)
