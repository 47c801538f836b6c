"""Append-only JSONL files whose length is part of the checkpoint.

A row is one write. On resume a file is cut back to the length that the checkpoint remembers, so a
row is there exactly once however often the run was killed, and a torn last line is gone.
"""

import json
import os
from pathlib import Path
from typing import Any

from road.errors import DamagedError, StorageError


class Journal:
    """The run's JSONL files, open for appending."""

    NAMES = ("metrics", "episodes", "evaluations", "mixer")

    def __init__(self, folder: Path, lengths: dict[str, int]) -> None:
        self._files: dict[str, int] = {}
        self._lengths = {name: lengths.get(name, 0) for name in self.NAMES}
        for name in self.NAMES:
            path = folder / f"{name}.jsonl"
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
                if (there := os.fstat(handle).st_size) < self._lengths[name]:
                    raise DamagedError(
                        f"{path} is damaged: {there} of {self._lengths[name]} bytes are there; "
                        f"delete {folder} and begin that run anew"
                    )
                os.ftruncate(handle, self._lengths[name])
            except OSError as error:
                raise StorageError(f"cannot write {path}: {error.strerror}") from error
            self._files[name] = handle

    @property
    def lengths(self) -> dict[str, int]:
        return dict(self._lengths)

    def append(self, name: str, row: dict[str, Any]) -> None:
        line = (json.dumps(row, allow_nan=False) + "\n").encode()
        try:
            written = os.write(self._files[name], line)
            if written < len(line):
                raise OSError(f"only {written} of {len(line)} bytes were taken")
        except OSError as error:
            why = error.strerror or error
            raise StorageError(f"cannot append to {name}.jsonl: {why}") from error
        self._lengths[name] += len(line)

    def sync(self) -> None:
        """Make everything so far durable; done before a checkpoint that counts on it."""
        for name, handle in self._files.items():
            try:
                os.fsync(handle)
            except OSError as error:
                raise StorageError(f"cannot write {name}.jsonl: {error.strerror}") from error

    def close(self) -> None:
        for handle in self._files.values():
            os.close(handle)
        self._files = {}
