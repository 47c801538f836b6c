"""Data that a grid makes before anything else: how to ask ``road data collect`` for it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from road.errors import UsageError
from road.files import hash_file, storage_errors


@dataclass(frozen=True)
class Collected:
    """A log of graded quality, made by policies of a folder, a controller or a learner."""

    place: str
    """A task, or an environment that Gymnasium knows."""
    level: str
    """Of ``road data collect``: random, medium, expert, play and so on."""
    rows: int = 100_000
    policies: Mapping[str, str] = field(default_factory=dict[str, str])
    """By part of the level, the file in the folder of policies that acts there."""
    noise: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """By part, what is added to the actions of a policy that is given."""
    train_steps: int | None = 100_000
    """Of the learner that replaces a policy that is not there; None if none could."""
    allow_import: tuple[str, ...] = ()
    seed: int = 0
    shift: str | None = None
    """How the world of the log differs from the place, such as ``gain=-0.5``."""

    def lacking(self, folder: Path | None) -> list[str]:
        """Files without which it cannot be made."""
        if self.train_steps is not None:
            return []
        return [name for name in self.policies.values() if find_policy(folder, name) is None]

    def given(self, folder: Path | None) -> dict[str, Path]:
        """The policies that are there, by part."""
        there = {part: find_policy(folder, name) for part, name in self.policies.items()}
        return {part: path for part, path in there.items() if path is not None}

    def definition(self, folder: Path | None) -> dict[str, Any]:
        """What its bytes depend on: policies by their content, wherever they lie."""
        policies = {part: checksum(path) for part, path in self.given(folder).items()}
        settings = asdict(self)
        del settings["allow_import"]
        if self.shift is None:  # logs that were made before there were shifts keep their name
            del settings["shift"]
        # A level's name says what it is made of; of a replay a learner makes the other half.
        learnt = set(self.level.split("-")) - {"random", *policies}
        return {
            **settings,
            "policies": policies,
            "noise": {part: noise for part, noise in self.noise.items() if part in policies},
            "train_steps": self.train_steps if learnt else None,
        }

    def words(self, folder: Path | None) -> list[str]:
        """What to ask ``road data collect`` for, but for where to put it."""
        words = [self.place, "--levels", self.level, "--steps", str(self.rows)]
        words += ["--seed", str(self.seed)]
        if self.train_steps is not None:
            words += ["--train-steps", str(self.train_steps)]
        for part, path in self.given(folder).items():
            words += ["--policy", f"{part}={path}"]
            if part in self.noise:
                words += ["--noise", f"{part}={self.noise[part]}"]
        if self.shift is not None:
            words += ["--shift", self.shift]
        for module in self.allow_import:
            words += ["--allow-import", module]
        return words


def find_policy(folder: Path | None, name: str) -> Path | None:
    path = None if folder is None else folder.expanduser().absolute() / name
    return path if path is not None and path.is_file() else None


def checksum(path: Path) -> str:
    with storage_errors(f"read {path}"):
        found = path.stat()
        return checksum_as_of(path, found.st_mtime_ns, found.st_size)


@lru_cache
def checksum_as_of(path: Path, changed: int, size: int) -> str:
    """Every cell of a case asks for the same file, which may be large."""
    del changed, size  # another time or length is another file
    return hash_file(path)


def check_policies(folder: Path | None) -> None:
    if folder is not None and not folder.expanduser().is_dir():
        raise UsageError(f"--policies {folder}: there is no such folder")
