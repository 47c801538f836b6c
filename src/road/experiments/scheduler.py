"""Running a grid: what is ready is started, what ends is noted, until nothing is left to do.

How a job is started is the backend's matter, and all that it knows. What is done and what failed is
in the store, so a runner that dies loses nothing: the next one reads the store and goes on.

Of what is ready, the longest job begins first, or the grid would end with one long job and idle
cores; how long it will take is known from jobs that are alike:

    data and pretraining come before cells        others wait for them
    cases stay together, the longest first        a worker has the functions of a case compiled
    in a case, what is not known or takes longest comes first

Of cases that nothing is known of, the grid's own order decides.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from road.errors import Interrupted, StorageError
from road.experiments.jobs import KINDS, Job
from road.experiments.store import Store
from road.plain_files import read_plain

Outcome = Literal["done", "error", "again", "halt"]
"""How a job ended: done; by its own error; killed or in other hands, so not its fault; or in a way
that would befall every other job too, such as a full disk."""

Likeness: TypeAlias = tuple[str, ...]
"""A kind of job, its case and its strategy; or fewer of these."""
LONGEST_PAUSE = 30.0
"""Seconds before a job that was killed again and again is tried once more."""
GLANCE = 0.5
"""Seconds between two looks at what has ended."""


@runtime_checkable
class Backend(Protocol):
    """Where jobs are run."""

    @property
    def slots(self) -> int:
        """How many jobs may be given at once."""
        ...

    def start(self, job: Job) -> None: ...

    def wait(self, seconds: float) -> list[tuple[Job, Outcome]]:
        """What has ended, after that many seconds at most."""
        ...

    def stop(self) -> None:
        """Ask whatever runs to save and end, and wait for it."""
        ...


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
            times.add(job, store.seconds(cell["key"]))
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


@dataclass
class Board:
    """Where a grid stands."""

    store: Store
    jobs: Sequence[Job]
    slots: int = 1
    running: dict[str, float] = field(default_factory=dict[str, float])
    """Key and beginning of what runs."""
    resting: dict[str, float] = field(default_factory=dict[str, float])
    """Key of what was killed, and when it may be tried again."""
    kills: dict[str, int] = field(default_factory=dict[str, int])
    done: dict[str, float] = field(default_factory=dict[str, float])
    """Key and seconds of what was done, also before."""
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Key and message of what was given up."""
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.times = earlier_times(self.store, self.jobs)
        for job in self.jobs:
            self.look_up(job)

    def look_up(self, job: Job) -> None:
        """What the store says of a job."""
        if self.store.is_done(job.key):
            self.done[job.key] = self.store.seconds(job.key)
            self.times.add(job, self.done[job.key])
        elif (message := self.store.failure(job.key)) is not None:
            self.failed[job.key] = message

    @property
    def open(self) -> list[Job]:
        return [job for job in self.jobs if job.key not in self.done and job.key not in self.failed]

    def ready(self) -> list[Job]:
        """What could be started now, the longest first; what can never be is given up."""
        now, found = time.monotonic(), list[Job]()
        for job in self.open:
            if broken := next((key for key in job.needs if key in self.failed), None):
                message = f"what it needs has failed: {self.failed[broken]}"
                self.store.give_up(job.key, message)
                self.failed[job.key] = message
            elif self.could_start(job, now):
                found.append(job)
        return longest_first(found, self.times)

    def could_start(self, job: Job, now: float) -> bool:
        waiting = job.key in self.running or self.resting.get(job.key, 0.0) > now
        return not waiting and all(key in self.done for key in job.needs)

    def started(self, job: Job) -> None:
        self.running[job.key] = time.monotonic()

    def ended(self, job: Job, outcome: Outcome) -> None:
        del self.running[job.key]
        self.look_up(job)
        if outcome == "again" and job.key not in self.done:
            kills = self.kills[job.key] = self.kills.get(job.key, 0) + 1
            self.resting[job.key] = time.monotonic() + min(0.25 * 2**kills, LONGEST_PAUSE)

    def remaining(self) -> float | None:
        """Seconds that are left, by what jobs that are alike have taken; None at first."""
        now, left = time.monotonic(), [0.0]
        for job in self.open:
            taken = self.times.expected(job)
            if taken is None:
                return None
            left.append(taken - (now - self.running.get(job.key, now)))
        shared = sum(max(seconds, 0.0) for seconds in left) / max(self.slots, 1)
        return max(shared, *left)  # a job has one slot, however many are free


Watch: TypeAlias = Callable[[Board], None]
"""Called with the board whenever it may have changed."""


def run_grid(
    store: Store,
    jobs: Sequence[Job],
    backend: Backend,
    watch: Watch,
    should_stop: Callable[[], bool] = lambda: False,
) -> Board:
    """Run to the end: every job is then done or given up."""
    board = Board(store, jobs)
    try:
        while board.open:
            board.slots = backend.slots  # a cluster may grow
            for job in board.ready()[: max(board.slots - len(board.running), 0)]:
                backend.start(job)
                board.started(job)
            watch(board)
            for job, outcome in backend.wait(GLANCE):
                board.ended(job, outcome)
                if outcome == "halt":
                    raise StorageError(f"the grid stops: {last_words(store, job.key)}")
            if should_stop():
                raise Interrupted(f"interrupted; everything is saved in {store.path}")
    finally:
        backend.stop()
    watch(board)
    return board


def last_words(store: Store, key: str) -> str:
    """The last line that a worker said."""
    path = store.log(key)
    lines = read_plain(path).decode(errors="replace").splitlines() if path.exists() else []
    said = [line.strip() for line in lines if line.strip()]
    return said[-1].removeprefix("error: ") if said else "it said nothing"
