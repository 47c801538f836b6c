"""What every method loses against the best fixed ratio."""

from dataclasses import dataclass

import numpy as np

from road.report.grid_results import GridResults
from road.report.tables import Listing
from road.report.writing import interval_at
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
        "below zero it is ahead. The ratio chosen in hindsight was also lucky, so that regret is "
        "too large; the one chosen on other seeds is sometimes the wrong one, so that regret is "
        "too small. The truth lies between, on average. 95 % intervals are over seeds."
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
