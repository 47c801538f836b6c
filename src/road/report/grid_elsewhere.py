"""Strategies with options, judged where their options were not chosen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from road.report.grid_results import GridResults
from road.report.grid_verdict import interval_at
from road.report.naming import kind_name
from road.report.tables import Listing
from road.report.writing import probability
from road.statistics import (
    Elsewhere,
    PairedComparison,
    bootstrap_estimate,
    choose_elsewhere,
    compare_paired,
    mean,
)

REFERENCE = "fixed"
"""The family that the others are compared with."""
CAPTION = (
    "What a strategy brings to somebody who has to settle its options before. For each task and "
    "seed the option is taken that has the greatest mean on the other tasks and other seeds, and "
    "judged on this one. The difference is to a fixed ratio that was chosen in the same way, over "
    "pairs of runs with one task and one seed, with a 95 % interval over seeds; p is that of a "
    "sign-flip test, for each line by itself."
)


@dataclass(frozen=True)
class Family:
    """A kind of mixer and what its options bring."""

    label: str
    options: tuple[str, ...]
    elsewhere: Elsewhere
    score: str
    """Its mean over tasks and seeds, with an interval."""
    against: PairedComparison | None
    """The reference family; None for that one itself, and if there is none."""


def families_of(results: GridResults, rng: np.random.Generator, samples: int) -> list[Family]:
    """Nothing where no kind has options, or one task or seed alone leaves nothing to choose by."""
    scores, kinds = results.table.scores, results.kinds
    has_options = any(len(members) > 1 for members in kinds.values())
    if not has_options or min(scores.shape[0], scores.shape[2]) < 2:
        return []
    found = [choose_elsewhere(scores, members) for members in kinds.values()]
    brought = np.stack([each.scores for each in found], axis=1)
    estimate = bootstrap_estimate(mean, brought, rng, samples)
    reference = list(kinds).index(REFERENCE) if REFERENCE in kinds else None
    return [
        Family(
            kind_name(kind) if members[1:] else results.table.methods[members[0]],
            tuple(results.table.methods[member] for member in members),
            found[index],
            interval_at(estimate, index),
            None
            if reference is None or reference == index
            else compare_paired(brought, index, reference, rng, samples),
        )
        for index, (kind, members) in enumerate(kinds.items())
    ]


def elsewhere_listing(methods: Sequence[str], families: Sequence[Family]) -> Listing:
    rows = [
        [
            each.label,
            str(len(each.options)),
            each.score,
            *(("", "") if each.against is None else difference_of(each.against)),
            choices_of(methods, each),
        ]
        for each in families
    ]
    head = ("Strategy", "options", "score", "minus a fixed ratio", "p", "what was chosen")
    return Listing("Options chosen elsewhere", CAPTION, head, rows)


def difference_of(found: PairedComparison) -> tuple[str, str]:
    return interval_at(found.overall, 0), probability(found.p)


def choices_of(methods: Sequence[str], family: Family) -> str:
    """The options that were taken, and in what share of the runs; the commonest first."""
    if len(family.options) == 1:
        return ""
    taken: Mapping[int, int] = Counter(family.elsewhere.chosen.ravel().tolist())
    ranked = sorted(taken.items(), key=lambda pair: -pair[1])
    runs = family.elsewhere.chosen.size
    return ", ".join(f"{methods[index]} {100 * count / runs:.0f} %" for index, count in ranked)
