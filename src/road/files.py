"""Files that are there whole or not at all: atomic writes, durable writes, locks and hashes.

A file is written under another name beside its place, synchronised to the disk and renamed into
place, so a reader or a second writer never sees a part of it and a kill leaves the old content.
``write_…`` reports a failing disk as ``StorageError``; the others leave ``OSError`` to the caller,
who knows what the file is for.
"""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from road.errors import StorageError

TEMPORARY = ".writing-"
REPLACED = f"{TEMPORARY}replaced-"
"""What the name of a folder begins with while another one takes its place."""


def write_text(path: Path, text: str) -> Path:
    """Put a text file in place, its folder too if it is missing.

    Raises:
        StorageError: it cannot be written; what was there before is unchanged.
    """
    return write_bytes(path, text.encode())


def write_json(path: Path, data: Any) -> Path:
    """The same for JSON, indented for readers; NaN is refused."""
    return write_text(path, json.dumps(data, indent=2, allow_nan=False) + "\n")


def write_bytes(path: Path, content: bytes) -> Path:
    """The same for bytes."""
    with storage_errors(f"write {path}"), replacing(path) as file:
        file.write(content)
    return path


@contextmanager
def storage_errors(action: str) -> Generator[None]:
    """Report a failing disk as ``StorageError``, in one line: cannot write PATH: why."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"cannot {action}: {error.strerror or error}") from error


@contextmanager
def replacing(path: Path) -> Generator[BinaryIO]:
    """A file to write to, which becomes ``path`` at the end, or is removed if anything fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with temporary(path) as aside:
        with aside.open("x+b") as file:
            yield file
            sync(file)
        aside.replace(path)
        sync_folder(path.parent)


@contextmanager
def temporary(path: Path) -> Generator[Path]:
    """A name of its own beside a path; whatever still has that name at the end is removed."""
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        yield aside
    finally:
        with suppress(OSError):
            aside.unlink()
        remove_folder(aside)


def create_once(path: Path, content: bytes) -> bool:
    """Put a file in place unless there is one; whether it was put.

    A hard link is made or refused in one step, also on folders that machines share.
    """
    with temporary(path) as aside:
        with aside.open("xb") as file:
            file.write(content)
            sync(file)
        try:
            os.link(aside, path)
        except FileExistsError:
            return False
    return True


def replace_folder(aside: Path, final: Path) -> None:
    """Put a folder in the place of another; after a kill in between that one is still found."""
    replaced = final.with_name(f"{REPLACED}{final.name}")
    if final.exists():  # otherwise what a kill has left under that name is the only copy: it stays
        remove_folder(replaced)
        final.rename(replaced)
    aside.rename(final)


def remove_folder(path: Path) -> None:
    """Remove a folder with all that is in it, if it is there; of a link only the link."""
    if path.is_symlink():
        path.unlink(missing_ok=True)
    elif path.is_dir():
        shutil.rmtree(path, ignore_errors=True)


def sync(file: IO[Any]) -> None:
    """Wait until what was written to a file is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """The same for the names in a folder; does nothing on systems that open no folders."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(file: int | IO[Any], *, wait: bool = False) -> None:
    """Hold a file alone until it is closed or the process ends.

    Raises:
        BlockingIOError: another process holds it, and ``wait`` is False.
    """
    import fcntl  # not on every system; who never locks does not need it

    fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def hash_file(path: Path) -> str:
    """SHA-256 of what is in a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_bytes(content: bytes) -> str:
    """SHA-256 of these bytes."""
    return hashlib.sha256(content).hexdigest()


def hash_stream(parts: Iterable[bytes | memoryview]) -> str:
    """The same for parts, one after the other, that need not be in memory together."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
