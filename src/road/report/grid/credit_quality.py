"""Whether credits differ by ratio, and whether they prefer ratios that are good constants."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.mixing.informedness import SIGNIFICANCE
from road.records.journal import Floats
from road.report.draw.format import UNKNOWN, compact, interval_at, probability, rounded
from road.report.draw.tables import Listing
from road.report.grid.placed import Informed
from road.report.grid.results import GridResults
from road.statistics import CreditQuality, estimate_credit_quality, preferences

UNDECIDED = "statistically indistinguishable from"
QUALITY_TITLE = "Does the credit prefer the right ratio?"
QUALITY_CAPTION = (
    "Of every run the ratio with the greatest credit, among those that are constants too and once "
    "the trend of credits is removed, is looked up: by how many points that constant scores more "
    "than those of all ratios that the run has credits for, the mean over runs. A run with fewer "
    "than two such ratios, or too few periods to separate ratio and trend, counts as zero. Above "
    "zero the credit prefers good constants, below zero bad ones. In parentheses is the ratio that "
    "more runs of a task prefer than any other, and how many do. The last column is the best "
    "constant minus the mean of all of them. 95 % intervals are over seeds, of the constants and "
    "of the runs. Methods that draw their ratio uniformly at random test a credit best. A bandit "
    "tries its arms in a fixed order first, and where periods are few only a straight trend is "
    "removed: a curved one can add a few points in its runs, most of all with a late credit. A "
    "ratio that is right for a period may be wrong for a whole run: this number cannot show that."
)
INFORMED_CAPTION = (
    "A run is tested for whether its credits differ by ratio once their trend is removed. One in "
    "twenty passes by chance; next to the number of runs that pass is how likely chance alone "
    "gives so many or more. That takes the noise of periods as independent: where it lasts, a "
    "bandit that follows its credits passes more often without better credits. The share "
    "explained is ε², the mean over runs: how much of the spread of the credits goes with the "
    "ratio, less what is expected by chance. It is 0 where the ratio makes no difference, and may "
    "fall below; unlike η² it does not grow where periods are few. Equal shares: in how many runs "
    "each ratio was used as often as any other, or once more where they do not divide the "
    "periods; and how far the shares are from that (total variation), the mean over runs. The "
    "order is not considered. A credit that differs between arms need not rank them correctly: "
    "only the scores can show that."
)


@dataclass(frozen=True)
class RatedCredits:
    """Which ratios the credits of some methods prefer, and how good these are as constants."""

    methods: tuple[str, ...]
    constants: tuple[int, ...]
    """Their places among the fixed methods; of several with one ratio it is the first."""
    credits: Floats
    """``[task, method, seed, constant]``"""
    quality: CreditQuality


def rate_credits(
    results: GridResults, rng: np.random.Generator, samples: int
) -> RatedCredits | None:
    """Of the methods that were tested; None without credits, or without constants to look up."""
    table, ratios = results.table, results.constants
    constants = [
        place
        for place, ratio in enumerate(ratios)
        if np.isfinite(ratio) and ratio not in ratios[:place]
    ]
    known = all(task in results.credits for task in table.tasks)
    if len(ratios) != len(results.fixed) or not known:
        return None
    credits = np.stack([results.credits[task] for task in table.tasks])[..., constants]
    some = np.any(has_preference(credits), axis=0)
    tested = [one.method for one in results.informed if one.method in table.methods]
    methods = [name for name in tested if some[table.method(name)]]
    if not methods:
        return None
    credits = credits[:, [table.method(name) for name in methods]]
    scores = table.scores[:, [results.fixed[place] for place in constants]]
    quality = estimate_credit_quality(credits, scores, rng, samples)
    return RatedCredits(tuple(methods), tuple(constants), credits, quality)


def has_preference(credits: Floats) -> NDArray[np.bool_]:
    """``[task, method]``: whether some run had two ratios or more to choose from."""
    return (np.isfinite(credits).sum(axis=-1) >= 2).any(axis=-1)


def quality_verdict(subject: str, rated: RatedCredits) -> str | None:
    """A sentence, if the subject has credits for several ratios."""
    if subject not in rated.methods:
        return None
    index, overall = rated.methods.index(subject), rated.quality.overall
    better, worse = overall.low[index] > 0, overall.high[index] < 0
    claim = "better than" if better else "worse than" if worse else UNDECIDED
    return (
        f"On these tasks the ratio that {subject}'s credits prefer in a run scores, as a "
        f"constant, {interval_at(overall, index)} points against the mean of the constants: "
        f"{claim} a uniformly random ratio."
    )


def quality_listing(results: GridResults, rated: RatedCredits) -> Listing:
    known = ~np.isnan(rated.credits).all(axis=(1, 2))
    known |= ~np.any(known, axis=1, keepdims=True)
    fixed = [results.fixed[place] for place in rated.constants]
    constants = np.where(known, results.table.cells.mean[:, fixed], np.nan)
    best = np.nanmax(constants, axis=1) - np.nanmean(constants, axis=1)
    rows = [
        [
            task,
            *(describe_gain(results, rated, (at, method)) for method in range(len(rated.methods))),
            rounded(best[at], 1),
        ]
        for at, task in enumerate(results.table.tasks)
    ]
    overall = [interval_at(rated.quality.overall, index) for index in range(len(rated.methods))]
    rows.append(["All tasks", *overall, rounded(best.mean(), 1)])
    return Listing(QUALITY_TITLE, QUALITY_CAPTION, ("Task", *rated.methods, "the best one"), rows)


def describe_gain(results: GridResults, rated: RatedCredits, at: tuple[int, int]) -> str:
    """For a task and a method: the gain of the preferred ratio, and which one it is."""
    if not has_preference(rated.credits)[at]:
        return UNKNOWN
    votes = preferences(rated.credits[at]).sum(axis=0)
    first = np.flatnonzero(np.isclose(votes, votes.max()))
    named = " and ".join(compact(results.constants[rated.constants[place]]) for place in first)
    gain, runs = rounded(float(rated.quality.by_task[at]), 1), len(rated.credits[at])
    return f"{gain} ({named} in {compact(float(votes[first[0]]))} of {runs})"


def informed_verdict(subject: str, informed: Sequence[Informed]) -> str:
    """The sentence after the headline: in how many runs the subject's credits differed."""
    found = next((one for one in informed if one.method == subject), None)
    if found is None:
        return f"Whether {subject} was informed could not be tested."
    return (
        f"{subject}'s credits differed between its ratios in {found.significant} of {found.runs} "
        f"runs, where chance gives {SIGNIFICANCE * found.runs:.1f}; so many or more has a "
        "probability of "
        f"{probability(by_chance(found.significant, found.runs))}. It used its ratios in equal "
        f"shares in {found.equal} of {found.runs}."
    )


def by_chance(significant: int, runs: int) -> float:
    """How likely so many runs or more pass the test if all credits are uninformative: binomial."""
    return sum(
        math.comb(runs, count) * SIGNIFICANCE**count * (1 - SIGNIFICANCE) ** (runs - count)
        for count in range(significant, runs + 1)
    )


def informed_listing(informed: Sequence[Informed]) -> Listing:
    rows = [
        [
            one.method,
            str(one.runs),
            f"in {one.significant} of {one.runs}",
            probability(by_chance(one.significant, one.runs)),
            rounded(one.epsilon_squared, 2),
            f"in {one.equal} of {one.runs}",
            f"{one.beyond_equal:.2f}",
        ]
        for one in informed
    ]
    head = (
        *("Method", "runs tested", "credits differ between arms", "so many by chance"),
        *("share explained", "equal shares", "away from equal shares"),
    )
    return Listing("Informed?", INFORMED_CAPTION, head, rows)
