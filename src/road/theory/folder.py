"""Where a study ends up: its numbers as JSON, its pictures as SVG and PNG, each file whole."""

import json
import os
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile

from road.errors import StorageError
from road.theory.statistics import Numbers, Tell, plain


@dataclass(frozen=True)
class Study:
    """One of the figures."""

    shows: str
    repetitions: int
    """Seeds, or random problems, unless the caller asks for another number."""


STUDIES: dict[str, Study] = {
    "chain": Study("the paper's example MDP, and 120 readings of it", 60),
    "landscape": Study("from the ratio to the return, on two features", 1),
    "gradient": Study("the outer gradient, checked, and its stand-ins", 120),
    "bilevel": Study("Algorithm 1, the bandit and the credits on random problems", 120),
    "bias": Study("the bias theorems and where they hold", 80),
    "bandit": Study("the sliding-window bandit where arms move", 20),
}
"""Every study by the name that the command line knows it by."""


def make(name: str, out: Path, repetitions: int | None, seed: int, tell: Tell) -> list[Path]:
    """Compute and draw a study, then write all its files; gives their paths.

    Nothing is written before everything is there, so that numbers and pictures belong together.
    """
    check_writable(out)
    study = STUDIES[name]
    compute: Callable[[int, int, Tell], Numbers] = import_module(
        f"road.theory.studies.{name}"
    ).compute
    numbers = plain(compute(repetitions or study.repetitions, seed, tell))
    text = json.dumps(numbers, indent=1, ensure_ascii=False) + "\n"
    content = {f"{name}.json": text.encode(), **draw(name, numbers)}
    return [write_whole(out / title, each) for title, each in content.items()]


def draw(name: str, numbers: Numbers) -> dict[str, bytes]:
    """The pictures of a study by their file names, from its numbers alone."""
    from road.theory.figures.canvas import settings

    drawing = import_module(f"road.theory.figures.{name}")
    drawn: dict[str, bytes] = {}
    with settings():
        for title, figure in drawing.draw(numbers).items():
            for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
                file = BytesIO()
                figure.savefig(file, format=kind, metadata=metadata)
                drawn[f"{title}.{kind}"] = file.getvalue()
    return drawn


def write_whole(path: Path, content: bytes) -> Path:
    """Written aside and renamed: nobody meets half a file."""
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with telling(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with aside.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        finally:
            with suppress(OSError):
                aside.unlink()
    return path


def check_writable(folder: Path) -> None:
    """Find out before minutes are spent on numbers that cannot be kept."""
    with telling(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass


@contextmanager
def telling(path: Path) -> Generator[None]:
    """What a disk refuses, in one line."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise StorageError(
            f"{path}: cannot be written ({why}); choose another folder with --out"
        ) from error
