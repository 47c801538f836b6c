"""A grid's folder: what is to be done, what is done, and what failed. Truth is in its files.

grid.json               which grid it is, by which commands, and which cell has which place in it
jobs/KEY.json           a piece of work, whole: a worker needs nothing else
data/KEY                data that was made
pretrained/KEY          a run folder that ends at the switch
runs/KEY                a cell's run folder
done/KEY.json           a result: put there once, by the first process to finish, never changed
errors/KEY-N.json       the N-th time that a job failed by its own error
failed/KEY.json         after the second time; the grid goes on without it
logs/KEY.log            what the worker said
"""

import dataclasses
import json
import os
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from road.errors import DamagedError, LockedError, StorageError, UsageError
from road.experiments.grid import Grid
from road.experiments.jobs import Job, Work, job_from_json
from road.files import create_once, storage_errors, write_json
from road.plain_files import open_plain, refuse_links
from road.records.folder import RunFolder, read_run_file

Place: TypeAlias = tuple[str, str, int]
"""Case, strategy and seed of a cell."""
FORMAT = 1
GRID = "grid.json"
ABOUT = ("name", "scale", "command", "cells")
"""What it says."""
PATIENCE = 2
"""How often a job may fail by its own error before it is given up."""
NAMES = r"[\w-]+(\.json|\.log)?"
"""What files and folders of jobs are called; a path is none."""
FOLDERS = ("jobs", "data", "pretrained", "runs", "done", "errors", "failed", "logs")


class Store:
    """The folder of one grid; several processes and machines may use it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def inside(self, folder: str, name: str) -> Path:
        """A path in one of the grid's folders: never outside, and never through a link.

        Raises:
            DamagedError: a name is none that a grid gives, or there is a link.
        """
        if re.fullmatch(NAMES, name) is None:
            raise DamagedError(f"{self.path}: {name!r} is no key of a grid's job; remove it")
        path = self.path / folder / name
        refuse_links(path, self.path)
        return path

    def place(self, job: Job) -> Path:
        """Where a job leaves what it makes."""
        return self.inside(job.folder, job.key)

    def run(self, key: str) -> Path:
        """The run folder of a cell."""
        return self.inside("runs", key)

    def log(self, key: str) -> Path:
        return self.inside("logs", f"{key}.log")

    def open_log(self, key: str) -> BinaryIO:
        """To append to it."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        return os.fdopen(open_plain(self.log(key), flags), "ab")

    def job(self, key: str) -> Job:
        return job_from_json(self.read("jobs", key, f"{self.path} has no job {key}"))

    def is_done(self, key: str) -> bool:
        return self.inside("done", f"{key}.json").exists()

    def result(self, key: str, *names: str) -> dict[str, Any]:
        """What came of a job; ``names`` are what it has to hold."""
        again = "delete it, and `road grid run --resume` does that job again"
        try:
            found = self.read("done", key, f"{key} of {self.path} is not done")
        except StorageError as error:
            raise type(error)(f"{error}; {again}") from error
        path = self.inside("done", f"{key}.json")
        if lacking := [name for name in names if name not in found]:
            raise DamagedError(f"{path} is damaged: it has no {lacking[0]!r}; {again}")
        if found.get("key", key) != key:
            raise DamagedError(f"{path} is the result of {found['key']!r:.40}; {again}")
        return found

    def seconds(self, key: str) -> float:
        """How long a job that is done took; what does not say so is no result."""
        found = self.result(key, "seconds")["seconds"]
        if isinstance(found, int | float) and found >= 0:
            return float(found)
        path = self.inside("done", f"{key}.json")
        raise DamagedError(f"{path} is damaged: seconds is {found!r:.40}; delete it")

    def commit(self, key: str, result: dict[str, Any]) -> bool:
        """Put a result in its place; whether this was the first one."""
        return put_once(self.inside("done", f"{key}.json"), result)

    def failure(self, key: str) -> str | None:
        """Why a job was given up; None if it was not."""
        if not self.inside("failed", f"{key}.json").exists():
            return None
        return str(self.read("failed", key, "")["message"])

    def note_failure(self, key: str, message: str) -> bool:
        """A job failed by its own error; whether it is given up."""
        attempts = 1 + len(list(self.inside("errors", key).parent.glob(f"{key}-*.json")))
        put_once(self.inside("errors", f"{key}-{attempts}.json"), {"message": message})
        if attempts >= PATIENCE:
            self.give_up(key, message)
        return attempts >= PATIENCE

    def give_up(self, key: str, message: str) -> None:
        put_once(self.inside("failed", f"{key}.json"), {"message": message})

    def forgive(self, keys: Iterable[str]) -> None:
        """Let those of the jobs that failed be tried again."""
        for key in keys:
            for path in self.inside("errors", key).parent.glob(f"{key}-*.json"):
                path.unlink(missing_ok=True)
            self.inside("failed", f"{key}.json").unlink(missing_ok=True)

    def read(self, folder: str, key: str, otherwise: str) -> dict[str, Any]:
        path = self.inside(folder, f"{key}.json")
        if not path.exists():
            raise UsageError(otherwise)
        return read_run_file(path.parent, path.name)

    def description(self) -> dict[str, Any]:
        """What ``grid.json`` says."""
        if not (self.path / GRID).is_file():
            raise UsageError(f"{self.path} is no folder of a grid: it has no {GRID}")
        found = read_run_file(self.path, GRID)
        if found.get("format") != FORMAT:
            raise UsageError(f"{self.path / GRID} has format {found.get('format')!r}, not {FORMAT}")
        if lacking := [name for name in ABOUT if name not in found]:
            raise DamagedError(f"{self.path / GRID} is damaged: it has no {lacking[0]!r}")
        check_cells(self.path / GRID, found["cells"])
        return found

    def entered(self) -> list[dict[str, Any]]:
        """The cells that earlier commands have asked for; none before the first."""
        return self.description()["cells"] if (self.path / GRID).exists() else []

    def enter(
        self, grid: Grid, scale: str, command: str, work: Work, dropped: Sequence[Place] = ()
    ) -> None:
        """Add the work of a grid to its folder; what is there stays, but for what is dropped.

        Results are never deleted: a cell that is asked for again is done already.
        """
        earlier = self.description()["command"] if (self.path / GRID).exists() else ""
        before = [cell for cell in self.entered() if place_of(cell) not in dropped]
        now = [
            {"case": cell.case, "strategy": cell.strategy, "seed": cell.seed, "key": key}
            | setting_of(grid, cell.case)
            for cell, key in work.cells
        ]
        with storage_errors(f"write to {self.path}"):
            self.make_folders()
        for job in work.jobs:
            # Places and permissions are no part of a key: what is not done yet has the latest.
            if not self.is_done(job.key):
                write_json(self.inside("jobs", f"{job.key}.json"), job.to_json())
        commands = "\n".join(with_command(str(earlier).splitlines(), command))
        about = {"format": FORMAT, "name": grid.name, "scale": scale, "command": commands}
        # Cells of earlier commands stay, unless the same place has become another cell.
        cells = list({place_of(cell): cell for cell in [*before, *now]}.values())
        write_json(self.path / GRID, {**about, "subject": grid.subject, "cells": cells})

    def make_folders(self) -> None:
        for name in FOLDERS:
            refuse_links(self.path / name, self.path)
            (self.path / name).mkdir(parents=True, exist_ok=True)

    @contextmanager
    def held(self) -> Generator[None]:
        """Only one runner at a time; the hold ends with the process."""
        try:
            folder = RunFolder(self.path)
        except LockedError as error:
            reason = str(error).replace("run folder", "the grid in")
            raise LockedError(f"{reason}: a grid has one runner at a time") from None
        try:
            yield
        finally:
            folder.release()


def check_cells(path: Path, cells: Any) -> None:
    """Whether each cell of a grid has its place and its key."""
    kinds = {"case": str, "strategy": str, "seed": int, "key": str}
    for cell in cells if isinstance(cells, list) else [cells]:
        wrong = not isinstance(cell, dict) or any(
            not isinstance(cell.get(name), kind) for name, kind in kinds.items()
        )
        if wrong:
            raise DamagedError(f"{path} is damaged: {str(cell)[:80]} is no cell of a grid")


def with_command(before: list[str], command: str) -> list[str]:
    """Every command that the cells come from; going on with one, or trying again, is no other."""

    def asked(line: str) -> list[str]:
        return [word for word in line.split() if word not in ("--resume", "--retry")]

    return before if asked(command) in map(asked, before) else [*before, command]


def setting_of(grid: Grid, label: str) -> dict[str, Any]:
    """Where a case belongs in its family, if it has one."""
    setting = next(case.setting for case in grid.cases if case.label == label)
    return {} if setting is None else {"setting": dataclasses.asdict(setting)}


def place_of(cell: Mapping[str, Any]) -> Place:
    return cell["case"], cell["strategy"], cell["seed"]


def put_once(path: Path, data: dict[str, Any]) -> bool:
    """Put a JSON file in place whole, unless there is one; whether it was put."""
    with storage_errors(f"write {path}"):
        return create_once(path, (json.dumps(data, allow_nan=False) + "\n").encode())
