"""What a reader of a comparison should know before any number."""

from collections.abc import Iterator, Sequence

from road.report.grid_placed import Axes, Judged
from road.report.naming import part_of

FEW_SEEDS = 10
TOO_NARROW = (
    "Intervals over few seeds are too narrow: one of 95 % holds the truth in 75 % of cases with 3 "
    "seeds on one task, 83 % with 5 and 90 % with 10; on four tasks in 84 %, 91 % and 93 %."
)
"""As measured (docs/statistics.md)."""
TOO_HARSH = (
    " Of a method that is as good as the best fixed ratio it is claimed in 8 to 18 % that it is "
    "worse."
)


def version_notes(finished: Sequence[Judged]) -> Iterator[str]:
    """Whether the runs come from different versions of this library or of another."""
    found: dict[str, set[str]] = {}
    for run, _ in finished:
        for name, version in part_of(run.record.meta, "versions").items():
            found.setdefault(name, set()).add(str(version))
    different = (
        f"{name} {' and '.join(sorted(versions))}"
        for name, versions in sorted(found.items())
        if len(versions) > 1
    )
    if told := ", ".join(different):
        yield f"Runs were made with different versions: {told}."


def seed_notes(axes: Axes, *, constants: bool) -> Iterator[str]:
    """What intervals are worth, and claims about constants; of one seed there are none."""
    if 2 <= len(axes.seeds) <= FEW_SEEDS:
        yield TOO_NARROW + (TOO_HARSH if constants else "")
