"""What a run prints: a live line on a terminal, plain lines elsewhere, and its result."""

import math
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from road.files import write_json
from road.records.notation import score
from road.records.summary import Summary
from road.report import after_the_switch, load_run, summarise, write_report
from road.terminal import printable, say
from road.training.evaluate import Evaluation
from road.training.events import Evaluated, Event, Note, Notify, PhaseStarted, Prepared, Progressed

PLAIN_SECONDS = 10.0
"""Between two plain progress lines."""


@contextmanager
def watching(folder: Path | None, *, show: bool = True) -> Generator[Notify]:
    """Something to notify of a run's events, fit for where the output goes."""
    if not show:
        yield lambda _: None
        return
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if folder is not None:
        console.print(printable(f"run folder: {folder}"), markup=False)
    if not sys.stderr.isatty():
        yield PlainDisplay(console)
        return
    columns = (
        TextColumn("{task.description:8}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]:>5.0f} steps/s"),
        TimeRemainingColumn(compact=True),
        TextColumn("m {task.fields[ratio]:.2f}"),
        TextColumn("score {task.fields[score]}"),
    )
    with Progress(*columns, console=console, refresh_per_second=4) as progress:
        display = LiveDisplay(progress)
        yield display
        display.complete()


def finish(folder: Path) -> None:
    """Write ``summary.json`` and ``report.html``, and say in one sentence how it went."""
    summary, report = write_results(folder)
    say(f"{summary.verdict}\n")
    say("".join(f"{line}\n" for line in after_the_switch(summary)))
    say(f"report: {report}\n")


def write_results(folder: Path) -> tuple[Summary, Path]:
    """Write ``summary.json`` and ``report.html``."""
    summary = summarise(load_run(folder))
    write_json(folder / "summary.json", asdict(summary))
    return summary, write_report([folder], folder / "report.html")


def score_of(evaluation: Evaluation) -> str:
    """As the report writes it: a raw return is its own score."""
    raw = math.isclose(evaluation.score, evaluation.return_mean, rel_tol=1e-9)
    return score(evaluation.score, raw=raw)


class Pace:
    """Steps per second since a phase was entered."""

    def __init__(self, done: int) -> None:
        self._began, self._from = time.monotonic(), done

    def __call__(self, done: int) -> float:
        return (done - self._from) / max(time.monotonic() - self._began, 1e-9)


class LiveDisplay:
    """One line per phase: bar, pace, time left, current ratio, last score."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._score = "-"
        self._shown = 0.0

    def __call__(self, event: Event) -> None:
        match event:
            case Prepared(measure):
                self._progress.console.print(f"expected: {measure()}", markup=False)
            case PhaseStarted(phase, done, total):
                self.complete()
                self._pace = Pace(done)
                self._row = self._progress.add_task(
                    phase, total=total, completed=done, speed=0.0, ratio=1.0, score=self._score
                )
            case Progressed(_, done, ratio) if time.monotonic() - self._shown > 0.1:
                self._shown = time.monotonic()
                self._update(completed=done, speed=self._pace(done), ratio=ratio)
            case Evaluated(_, step, evaluation):
                self._score = score_of(evaluation)
                self._update(completed=step, score=self._score)
            case Note(text):
                self._progress.console.print(printable(f"note: {text}"), markup=False)
            case _:
                pass

    def complete(self) -> None:
        """The running phase is over: its row says so, whenever it was last drawn."""
        for row in self._progress.tasks:
            self._progress.update(row.id, completed=row.total)

    def _update(self, **fields: object) -> None:
        self._progress.update(self._row, **fields)  # pyright: ignore[reportArgumentType] -- rich's own fields


class PlainDisplay:
    """Lines for a log file: a phase, an evaluation, now and then where it stands."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._total = 0
        self._shown = time.monotonic()

    def __call__(self, event: Event) -> None:
        match event:
            case Prepared(measure):
                self._say(f"expected: {measure()}")
            case PhaseStarted(phase, done, total):
                self._total, self._pace = total, Pace(done)
                self._say(f"{phase}: from step {done} to {total}")
            case Progressed(phase, done, ratio) if time.monotonic() - self._shown > PLAIN_SECONDS:
                self._say(
                    f"{phase} {done}/{self._total}, {self._pace(done):.0f} steps/s, m {ratio:.2f}"
                )
            case Evaluated(phase, step, evaluation):
                self._say(f"{phase} {step}/{self._total}: score {score_of(evaluation)}")
            case Note(text):
                self._say(f"note: {text}")
            case _:
                pass

    def _say(self, text: str) -> None:
        self._shown = time.monotonic()
        self._console.print(printable(text), markup=False)
