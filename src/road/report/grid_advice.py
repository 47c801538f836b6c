"""Whether credits favour the right ratio: what their favourites score as constants."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from road.report.grid_results import GridResults
from road.report.journal import Floats
from road.report.tables import Listing
from road.report.writing import UNKNOWN, compact, interval_at, rounded
from road.statistics import Favoured, estimate_favoured, favour

TITLE = "Does the credit favour the right ratio?"
CAPTION = (
    "Of every run the ratio with the greatest credit, among those that are constants too and once "
    "the trend of credits is removed, is looked up: by how many points that constant scores more "
    "than those of all ratios that the run has credits for, the mean over runs. A run with fewer "
    "than two such ratios, or too few periods to tell ratio from trend, counts as zero. Above zero"
    " the credit points to good constants, below zero to bad ones. In parentheses stands the ratio"
    " that more runs of a task favour than any other, and how many do. The last column is what the "
    "best constant has against all of them. 95 % intervals are over seeds, of the constants and of "
    "the runs. Methods that draw their ratio blindly show a credit best. A bandit tries its arms "
    "in a fixed order first, and where periods are few only a straight trend is removed: a curved "
    "one can pass for a few points of advice in its runs, most of all with a late credit. What is "
    "right for a period need not be right for a whole run: that is not seen here."
)


@dataclass(frozen=True)
class Advice:
    """What the credits of some methods favour, and what that is worth."""

    methods: tuple[str, ...]
    constants: tuple[int, ...]
    """Their places among the fixed methods; of several with one ratio it is the first."""
    credits: Floats
    """``[task, method, seed, constant]``"""
    worth: Favoured


def advice_of(results: GridResults, rng: np.random.Generator, samples: int) -> Advice | None:
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
    some = np.any(decided(credits), axis=0)
    tested = [one.method for one in results.informed if one.method in table.methods]
    methods = [name for name in tested if some[table.method(name)]]
    if not methods:
        return None
    credits = credits[:, [table.method(name) for name in methods]]
    scores = table.scores[:, [results.fixed[place] for place in constants]]
    worth = estimate_favoured(credits, scores, rng, samples)
    return Advice(tuple(methods), tuple(constants), credits, worth)


def decided(credits: Floats) -> NDArray[np.bool_]:
    """``[task, method]``: whether some run had two ratios or more to choose from."""
    return (np.isfinite(credits).sum(axis=-1) >= 2).any(axis=-1)


def advice_verdict(subject: str, advice: Advice) -> Iterator[str]:
    """A sentence, if the subject has credits that could favour something."""
    if subject in advice.methods:
        index, overall = advice.methods.index(subject), advice.worth.overall
        better, worse = overall.low[index] > 0, overall.high[index] < 0
        claim = "better than" if better else "worse than" if worse else "not to be told from"
        yield (
            f"On these tasks the ratio that {subject}'s credits favour in a run scores, as a "
            f"constant, {interval_at(overall, index)} points against the mean of the constants: "
            f"{claim} a blind choice."
        )


def advice_listing(results: GridResults, advice: Advice) -> Listing:
    heard = ~np.isnan(advice.credits).all(axis=(1, 2))
    heard |= ~np.any(heard, axis=1, keepdims=True)
    fixed = [results.fixed[place] for place in advice.constants]
    constants = np.where(heard, results.table.cells.mean[:, fixed], np.nan)
    best = np.nanmax(constants, axis=1) - np.nanmean(constants, axis=1)
    rows = [
        [
            task,
            *(advised(results, advice, (at, method)) for method in range(len(advice.methods))),
            rounded(best[at], 1),
        ]
        for at, task in enumerate(results.table.tasks)
    ]
    overall = [interval_at(advice.worth.overall, index) for index in range(len(advice.methods))]
    rows.append(["All tasks", *overall, rounded(best.mean(), 1)])
    return Listing(TITLE, CAPTION, ("Task", *advice.methods, "the best one"), rows)


def advised(results: GridResults, advice: Advice, at: tuple[int, int]) -> str:
    """A task and a method: what the favourite is worth, and which one it is."""
    if not decided(advice.credits)[at]:
        return UNKNOWN
    votes = favour(advice.credits[at]).sum(axis=0)
    first = np.flatnonzero(np.isclose(votes, votes.max()))
    named = " and ".join(compact(results.constants[advice.constants[place]]) for place in first)
    gain, runs = rounded(float(advice.worth.by_task[at]), 1), len(advice.credits[at])
    return f"{gain} ({named} in {compact(float(votes[first[0]]))} of {runs})"
