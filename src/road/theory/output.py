"""The files of a study: its numbers as JSON, its figures as SVG and PNG, written atomically."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from road.errors import StorageError
from road.files import replacing
from road.theory import plot
from road.theory.samples import Numbers, Report, plain_data


@dataclass(frozen=True)
class Study:
    """A study and its default size."""

    shows: str
    repetitions: int
    """Seeds, or random problems, unless the caller gives another number."""


STUDIES: dict[str, Study] = {
    "chain": Study("the paper's example MDP, and 120 readings of it", 60),
    "landscape": Study("from the ratio to the return, on two features", 1),
    "gradient": Study("the outer gradient, checked, and its approximations", 120),
    "bilevel": Study("Algorithm 1, the bandit and the credits on random problems", 120),
    "bellman": Study("the judges of validated on random problems, and their bound", 120),
    "bias": Study("the bias theorems and where they hold", 80),
    "bandit": Study("the sliding-window bandit where arms move", 20),
}
"""Every study by its name on the command line; its module in ``studies`` has the same name."""


def make(name: str, out: Path, repetitions: int | None, seed: int, report: Report) -> list[Path]:
    """Compute and draw a study, then write all its files; gives their paths.

    Nothing is written before all are complete, so that numbers and figures belong together.
    """
    check_writable(out)
    size = repetitions or STUDIES[name].repetitions
    numbers = plain_data(import_study(name).compute(size, seed, report))
    text = json.dumps(numbers, indent=1, ensure_ascii=False) + "\n"
    content = {f"{name}.json": text.encode(), **draw(name, numbers)}
    return [write_whole(out / title, each) for title, each in content.items()]


def draw(name: str, numbers: Numbers) -> dict[str, bytes]:
    """The figures of a study by their file names, from its numbers alone."""
    drawn: dict[str, bytes] = {}
    with plot.settings():
        for title, figure in import_study(name).draw(numbers).items():
            for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
                file = BytesIO()
                figure.savefig(file, format=kind, metadata=metadata)
                drawn[f"{title}.{kind}"] = file.getvalue()
    return drawn


def import_study(name: str) -> Any:
    """The module of a study: ``compute(repetitions, seed, report)`` and ``draw(numbers)``."""
    return import_module(f"road.theory.studies.{name}")


def write_whole(path: Path, content: bytes) -> Path:
    """Write to a temporary name and rename, so that no reader sees a part of the file."""
    with storage_errors(path), replacing(path) as file:
        file.write(content)
    return path


def check_writable(folder: Path) -> None:
    """Fail before minutes are spent on numbers that cannot be saved."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass


@contextmanager
def storage_errors(path: Path) -> Generator[None]:
    """A failed write as an error of one line."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise StorageError(
            f"{path}: cannot be written ({why}); choose another folder with --out"
        ) from error
