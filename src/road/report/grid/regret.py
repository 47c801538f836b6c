"""What every method loses against the best fixed ratio, and the headline that says so."""

from dataclasses import dataclass

import numpy as np

from road.report.draw.format import counted, interval_at
from road.report.draw.tables import Listing
from road.report.grid.results import GridResults
from road.statistics import Regret, held_out_regret, hindsight_regret


@dataclass(frozen=True)
class Regrets:
    """Against the best fixed ratio, chosen in both ways."""

    hindsight: Regret
    held_out: Regret


def regrets_of(results: GridResults, rng: np.random.Generator, samples: int) -> Regrets | None:
    """None where there is no constant to compare with."""
    scores = results.table.scores
    if not results.fixed:
        return None
    return Regrets(
        hindsight_regret(scores, results.fixed, rng, samples),
        held_out_regret(scores, results.fixed, rng, samples),
    )


def regret_listing(methods: tuple[str, ...], regrets: Regrets) -> Listing:
    caption = (
        "How far a method stays behind the best fixed ratio of each task, on average over tasks; "
        "below zero it is ahead. The ratio chosen in hindsight is selected and evaluated on the "
        "same runs, so that regret is too large; the one chosen on other seeds is sometimes the "
        "wrong one, so that regret is too small. On average the true regret is between the two. "
        "95 % intervals are over seeds."
    )
    rows = [
        [
            name,
            *(interval_at(one.overall, index) for one in (regrets.hindsight, regrets.held_out)),
        ]
        for index, name in enumerate(methods)
    ]
    head = ("Method", "ratio chosen in hindsight", "ratio chosen on other seeds")
    return Listing("Regret against the best fixed ratio", caption, head, rows)


def headline(results: GridResults, regrets: Regrets | None) -> str:
    table = results.table
    if regrets is None or results.subject not in table.methods:
        counts = counted(len(table.tasks), "task"), counted(len(table.seeds), "seed")
        methods = counted(len(table.methods), "method")
        return f"{methods} on {', '.join(counts)}; {why_no_claim(results)}."
    return regret_verdict(results.subject, table.method(results.subject), len(table.seeds), regrets)


def why_no_claim(results: GridResults) -> str:
    """Why nothing is claimed."""
    if results.table.missing():
        return "no claim is made yet about the best fixed ratio"
    if len(results.table.seeds) < 2:
        return "one seed does not show the spread between seeds, so nothing is claimed"
    if not results.fixed:
        return "there is no fixed ratio to compare with"
    return f"{results.subject} is not among them"


def regret_verdict(subject: str, method: int, seeds: int, regrets: Regrets) -> str:
    """What may be claimed, with both numbers behind it."""
    hindsight, held_out = regrets.hindsight, regrets.held_out
    worst, best = float(hindsight.overall.high[method]), float(held_out.overall.low[method])
    if worst < 0:
        claim = f"{subject} is better than the best fixed ratio, however that one is chosen"
    elif best > 0:
        claim = f"{subject} is worse than the best fixed ratio, however that one is chosen"
    else:
        claim = (
            f"{subject} is statistically indistinguishable from the best fixed ratio with these "
            f"{seeds} seeds"
        )
    return (
        f"{claim}: its mean regret is {interval_at(hindsight.overall, method)} against the "
        f"ratio chosen in hindsight and {interval_at(held_out.overall, method)} against the one "
        "chosen on other seeds."
    )
