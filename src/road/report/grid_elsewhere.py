"""Strategies with options, judged where their options were not chosen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from road.report.grid_results import GridResults
from road.report.naming import kind_name
from road.report.tables import Listing
from road.report.writing import interval_at
from road.statistics import Elsewhere, choose_elsewhere, estimate_elsewhere

REFERENCE = "fixed"
"""The family that the others are compared with."""
CAPTION = (
    "What a strategy brings to somebody who has to settle its options before. For each task and "
    "seed the option is taken that has the greatest mean on the other tasks and other seeds, and "
    "judged on this one.{rivals} 95 % intervals are over seeds, with the choices made anew in "
    "every sample. Where there was one option, whoever wrote the grid had settled the others "
    "before."
)
A_FIXED_RATIO = " A fixed ratio to compare with was chosen in the same way."
AS_IT_STANDS = " {} to compare with is that method as it stands, without a choice."


@dataclass(frozen=True)
class Family:
    """A kind of mixer and what its options bring."""

    label: str
    options: tuple[str, ...]
    elsewhere: Elsewhere
    score: str
    """Its mean over tasks and seeds, with an interval."""
    beyond_fixed: str
    """Minus the reference family; nothing for that one itself, and if there is none."""
    beyond_subject: str
    """Minus the subject as it stands; nothing for itself, and if it is not there."""


def families_of(results: GridResults, rng: np.random.Generator, samples: int) -> list[Family]:
    """Nothing where no kind has options, or one task or seed alone leaves nothing to choose by."""
    scores, kinds = results.table.scores, results.kinds
    has_options = any(len(members) > 1 for members in kinds.values())
    if not has_options or min(scores.shape[0], scores.shape[2]) < 2:
        return []
    families = list(kinds.values())
    reference = list(kinds).index(REFERENCE) if REFERENCE in kinds else None
    found = estimate_elsewhere(scores, families, reference or 0, rng, samples)
    beyond_subject = subject_differences(results, rng, samples)
    return [
        Family(
            kind_name(kind) if members[1:] else results.table.methods[members[0]],
            tuple(results.table.methods[member] for member in members),
            choose_elsewhere(scores, members),
            interval_at(found.score, index),
            "" if reference in (None, index) else interval_at(found.difference, index),
            beyond_subject[index],
        )
        for index, (kind, members) in enumerate(kinds.items())
    ]


def subject_differences(results: GridResults, rng: np.random.Generator, samples: int) -> list[str]:
    """Whether choosing options helps the subject: each family minus that family of one."""
    families, table = list(results.kinds.values()), results.table
    if results.subject not in table.methods:
        return [""] * len(families)
    alone = (table.method(results.subject),)
    found = estimate_elsewhere(table.scores, [*families, alone], len(families), rng, samples)
    return [
        "" if family == alone else interval_at(found.difference, index)
        for index, family in enumerate(families)
    ]


def elsewhere_listing(results: GridResults, families: Sequence[Family]) -> Listing:
    """A column of differences for each rival that there is."""
    subject = results.subject
    rivals = [
        ("a fixed ratio", A_FIXED_RATIO, [each.beyond_fixed for each in families]),
        (subject, AS_IT_STANDS.format(subject), [each.beyond_subject for each in families]),
    ]
    rivals = [rival for rival in rivals if any(rival[-1])]
    rows = [
        [
            each.label,
            str(len(each.options)),
            each.score,
            *(told[index] for _, _, told in rivals),
            choices_of(results.table.methods, each),
        ]
        for index, each in enumerate(families)
    ]
    caption = CAPTION.format(rivals="".join(words for _, words, _ in rivals))
    against = (f"minus {name}" for name, _, _ in rivals)
    head = ("Strategy", "options", "score", *against, "what was chosen")
    return Listing("Options chosen elsewhere", caption, head, rows)


def choices_of(methods: Sequence[str], family: Family) -> str:
    """The options that were taken, and in what share of the runs; the commonest first."""
    if len(family.options) == 1:
        return ""
    taken: Mapping[int, int] = Counter(family.elsewhere.chosen.ravel().tolist())
    ranked = sorted(taken.items(), key=lambda pair: -pair[1])
    runs = family.elsewhere.chosen.size
    return ", ".join(f"{methods[index]} {100 * count / runs:.0f} %" for index, count in ranked)
