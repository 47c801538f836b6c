"""How long jobs will take, by those that are alike; and so which of them had better begin first.

Whoever begins with the short ones ends with one long job and idle cores. So among what is ready,

    data and pretraining come before cells        others wait for them
    cases stay together, the longest first        a worker has the functions of a case compiled
    in a case, what is not known or takes longest comes first

Of cases that nothing is known of, the grid's own order decides.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from road.experiments.jobs import KINDS, Job
from road.experiments.store import Store

Likeness: TypeAlias = tuple[str, ...]
"""A kind of job, its case and its strategy; or fewer of these."""


@dataclass
class Times:
    """What jobs have taken, by what they have in common."""

    taken: dict[Likeness, list[float]] = field(default_factory=dict[Likeness, list[float]])

    def add(self, job: Job, seconds: float) -> None:
        for likeness in likenesses(job):
            self.taken.setdefault(likeness, []).append(seconds)

    def of(self, likeness: Likeness) -> float | None:
        found = self.taken.get(likeness)
        return None if not found else sum(found) / len(found)

    def expected(self, job: Job) -> float | None:
        """As long as those took that are most like it; None if nothing like it is known."""
        known = (self.of(likeness) for likeness in likenesses(job))
        return next((seconds for seconds in known if seconds is not None), None)


def likenesses(job: Job) -> Iterator[Likeness]:
    """From all that jobs can have in common to the least."""
    whole = (job.kind, job.case, job.strategy)
    return (whole[:length] for length in (3, 2, 1))


def earlier_times(store: Store, jobs: Sequence[Job]) -> Times:
    """What the grid's other cells have taken, in earlier commands."""
    times, ours = Times(), {job.key for job in jobs}
    for cell in store.description()["cells"]:
        if cell["key"] not in ours and store.is_done(cell["key"]):
            job = Job(cell["key"], "cell", "", (), {}, cell["case"], cell["strategy"])
            times.add(job, float(store.result(cell["key"]).get("seconds", 0.0)))
    return times


def longest_first(jobs: Sequence[Job], times: Times) -> list[Job]:
    """In the order in which to begin."""
    place = {case: index for index, case in enumerate(dict.fromkeys(job.case for job in jobs))}

    def rank(job: Job) -> tuple[int, float, int, float]:
        of_case, of_job = (
            times.of(likeness)
            for likeness in ((job.kind, job.case), (job.kind, job.case, job.strategy))
        )
        return (
            KINDS.index(job.kind),
            -(of_case or 0.0),
            place[job.case],
            -(math.inf if of_job is None else of_job),
        )

    return sorted(jobs, key=rank)
