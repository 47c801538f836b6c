"""A run folder read back, whatever state the run left it in, and how far the run has come."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from road.errors import StorageError, UsageError
from road.mixing.folder import FORMAT
from road.plain_files import read_json, read_plain
from road.records.folder import CONFIG, FRAMES, META
from road.records.journal import (
    JOURNALS,
    Floats,
    JournalReader,
    Row,
    Table,
    number,
    numbers,
    part_of,
    tabulate,
)
from road.records.probes import Probes, read_probes

PNG = b"\x89PNG\r\n\x1a\n"
MOST_FRAMES = 1_000_000
"""Bytes of a picture that goes into a page."""


@dataclass(frozen=True)
class Arms:
    """What a bandit knew at each choice: a row per period, a column per arm."""

    ratios: Floats
    means: Floats
    bonuses: Floats
    counts: Floats


@dataclass(frozen=True)
class RunRecord:
    """Everything a run folder says, as far as a report needs it."""

    folder: str
    """The folder's own name, without the way to it."""
    config: Row
    meta: Row
    metrics: Table
    episodes: Table
    evaluations: Table
    periods: Table
    arms: Arms | None
    """None for a mixer without arms, and before the first choice."""
    probes: Probes | None
    """None for a mixer without probes."""
    unreadable_lines: int
    """Lines that are no JSON object, torn last lines not counted."""
    frames: bytes | None = None
    """A PNG of an episode's frames, if `road play --strip` drew one."""

    @property
    def foreign(self) -> bool:
        """Whether a loop that is not ours saved it; its scores have a scale of their own."""
        return self.config.get("loop") == "foreign"

    @property
    def on_log(self) -> bool:
        """Whether it was trained on a log, with no environment to be judged in."""
        return "log" in self.config

    @property
    def raw(self) -> bool:
        """Whether its scores are returns as they are, on no scale of 0 to 100."""
        own = part_of(self.config, "own")
        unlisted = "env" in own or "given" in self.config
        return self.foreign or (unlisted and "score_min" not in own)


@dataclass(frozen=True)
class Progress:
    """Steps done against steps planned: updates offline, environment steps online."""

    offline_steps: int
    offline_steps_planned: int
    online_steps: int
    online_steps_planned: int

    @property
    def finished(self) -> bool:
        return (
            self.offline_steps >= self.offline_steps_planned
            and self.online_steps >= self.online_steps_planned
        )

    def __str__(self) -> str:
        """The phase a run is in, such as "4,000 of 10,000 online steps"."""
        if self.offline_steps < self.offline_steps_planned and not self.online_steps:
            return f"{self.offline_steps:,} of {self.offline_steps_planned:,} offline steps"
        return f"{self.online_steps:,} of {self.online_steps_planned:,} online steps"


def load_run(folder: Path) -> RunRecord:
    """Read a run folder, of a finished run or of one that is still going.

    Raises:
        UsageError: there is no run in that folder.
        StorageError: a file of the run cannot be read.
    """
    try:
        config = read_object(folder / CONFIG)
    except ValueError as damage:
        raise UsageError(f"{folder} is not a run folder: its {CONFIG} {damage}") from None
    if config.get("format", FORMAT) != FORMAT:
        raise UsageError(
            f"{folder} is not a run folder that this version reads: format "
            f"{config['format']!r} instead of {FORMAT}"
        )
    journals = {name: JournalReader(folder / f"{name}.jsonl") for name in JOURNALS}
    # Read once: a run that is still going may add a row before a second look.
    mixing = list(of_main_learner(journals["mixer"]))
    return RunRecord(
        folder=folder.resolve().name,
        config=config,
        meta=read_meta(folder / META),
        metrics=tabulate(of_main_learner(journals["metrics"])),
        episodes=tabulate(journals["episodes"]),
        evaluations=tabulate(journals["evaluations"]),
        periods=tabulate(map(with_readings, mixing)),
        arms=read_arms(mixing),
        probes=read_probes(config, mixing),
        unreadable_lines=sum(journal.unreadable for journal in journals.values()),
        frames=read_frames(folder / FRAMES),
    )


def of_main_learner(rows: Iterable[Row]) -> Iterable[Row]:
    """Rows of further learners have their index; episodes and evaluations are the main one's."""
    return (row for row in rows if "learner" not in row)


def read_object(path: Path) -> Row:
    """The JSON object in a file; ``ValueError`` says what is wrong with it."""
    try:
        content = read_json(path)
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError("is missing") from None
    except OSError as failure:
        raise StorageError(f"cannot read {path}: {failure.strerror}") from failure
    except ValueError:
        raise ValueError("is damaged") from None
    if not isinstance(content, dict):
        raise ValueError("is damaged")
    return cast("Row", content)


def read_meta(path: Path) -> Row:
    """Where a run came from is good to know, but a report can be made without it."""
    try:
        return read_object(path)
    except ValueError:
        return {}


def read_frames(path: Path) -> bytes | None:
    """A small PNG; a report can be made without it."""
    try:
        content = read_plain(path)
    except OSError:
        return None
    is_small_png = content.startswith(PNG) and len(content) <= MOST_FRAMES
    return content if is_small_png else None


def read_arms(rows: Iterable[Row]) -> Arms | None:
    """The arms at every choice; the first row that has any says which they are."""
    tables = [part_of(row, "arms") for row in rows]
    ratios = next((numbers(table["ratios"]) for table in tables if "ratios" in table), [])
    if not ratios:
        return None

    def over_time(name: str) -> Floats:
        cells = [numbers(table.get(name)) for table in tables]
        unknown = [math.nan] * len(ratios)
        return np.array([row if len(row) == len(ratios) else unknown for row in cells])

    return Arms(np.array(ratios), over_time("means"), over_time("bonuses"), over_time("counts"))


def with_readings(row: Row) -> Row:
    """A period's readings as columns of their own."""
    readings = part_of(row, "readings")
    return {**row, **{f"readings.{name}": value for name, value in readings.items()}}


def measure_progress(run: RunRecord) -> Progress:
    def planned(key: str) -> int:
        steps = number(run.config.get(key))
        return 0 if math.isnan(steps) else int(steps)

    def done(phase: str, *others: Table) -> int:
        tables = (run.metrics.in_phase(phase), run.evaluations.in_phase(phase), *others)
        steps = np.concatenate([table["step"] for table in tables])
        return int(np.nanmax(steps)) if np.isfinite(steps).any() else 0

    # A run that is online has pretrained to the end, even if its last offline rows came before.
    online = run.evaluations.in_phase("online").length > 0
    return Progress(
        offline_steps=planned("offline_steps") if online else done("offline"),
        offline_steps_planned=planned("offline_steps"),
        online_steps=done("online", run.periods, run.episodes),
        online_steps_planned=planned("online_steps"),
    )
