"""Scores of strategies whose options were selected on other tasks and seeds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from road.records.naming import kind_name
from road.report.draw.format import interval_at
from road.report.draw.tables import Listing
from road.report.grid.results import GridResults
from road.statistics import Selection, estimate_selection, select_options

REFERENCE = "fixed"
"""The family that the others are compared with."""
CAPTION = (
    "The score with hyper-parameters selected on other tasks and seeds: for each task and seed the "
    "option with the greatest mean on the other tasks and other seeds is selected, and evaluated "
    "on this one.{rivals} 95 % intervals are over seeds, with the selection repeated in every "
    "sample. A strategy with one option has nothing to select: its other settings are those of the "
    "grid."
)
A_FIXED_RATIO = " The fixed ratio to compare with is selected in the same way."
AS_IT_IS = " {} to compare with is that method as it is, without a selection."


@dataclass(frozen=True)
class Family:
    """A kind of mixer, and its score with options selected on other tasks and seeds."""

    label: str
    options: tuple[str, ...]
    selection: Selection
    score: str
    """Its mean over tasks and seeds, with an interval."""
    beyond_fixed: str
    """Minus the reference family; nothing for that one itself, and if there is none."""
    beyond_subject: str
    """Minus the subject as it is; nothing for itself, and if it is not there."""


def families_of(results: GridResults, rng: np.random.Generator, samples: int) -> list[Family]:
    """Nothing where no kind has options, or one task or seed alone leaves nothing to select on."""
    scores, kinds = results.table.scores, results.kinds
    has_options = any(len(members) > 1 for members in kinds.values())
    if not has_options or min(scores.shape[0], scores.shape[2]) < 2:
        return []
    families = list(kinds.values())
    reference = list(kinds).index(REFERENCE) if REFERENCE in kinds else None
    found = estimate_selection(scores, families, reference or 0, rng, samples)
    beyond_subject = subject_differences(results, rng, samples)
    return [
        Family(
            kind_name(kind) if members[1:] else results.table.methods[members[0]],
            tuple(results.table.methods[member] for member in members),
            select_options(scores, members),
            interval_at(found.score, index),
            "" if reference in (None, index) else interval_at(found.difference, index),
            beyond_subject[index],
        )
        for index, (kind, members) in enumerate(kinds.items())
    ]


def subject_differences(results: GridResults, rng: np.random.Generator, samples: int) -> list[str]:
    """Whether selecting options helps the subject: each family minus that family of one."""
    families, table = list(results.kinds.values()), results.table
    if results.subject not in table.methods:
        return [""] * len(families)
    alone = (table.method(results.subject),)
    found = estimate_selection(table.scores, [*families, alone], len(families), rng, samples)
    return [
        "" if family == alone else interval_at(found.difference, index)
        for index, family in enumerate(families)
    ]


def selection_listing(results: GridResults, families: Sequence[Family]) -> Listing:
    """A column of differences for each rival that there is."""
    subject = results.subject
    rivals = [
        ("a fixed ratio", A_FIXED_RATIO, [each.beyond_fixed for each in families]),
        (subject, AS_IT_IS.format(subject), [each.beyond_subject for each in families]),
    ]
    rivals = [rival for rival in rivals if any(rival[-1])]
    rows = [
        [
            each.label,
            str(len(each.options)),
            each.score,
            *(differences[index] for _, _, differences in rivals),
            choices_of(results.table.methods, each),
        ]
        for index, each in enumerate(families)
    ]
    caption = CAPTION.format(rivals="".join(words for _, words, _ in rivals))
    against = (f"minus {name}" for name, _, _ in rivals)
    head = ("Strategy", "options", "score", *against, "selected options")
    return Listing("Options selected on other tasks and seeds", caption, head, rows)


def choices_of(methods: Sequence[str], family: Family) -> str:
    """The options that were selected, and in what share of the runs; the commonest first."""
    if len(family.options) == 1:
        return ""
    counts: Mapping[int, int] = Counter(family.selection.selected.ravel().tolist())
    ranked = sorted(counts.items(), key=lambda pair: -pair[1])
    runs = family.selection.selected.size
    return ", ".join(f"{methods[index]} {100 * count / runs:.0f} %" for index, count in ranked)
