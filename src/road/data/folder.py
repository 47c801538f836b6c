"""Where datasets are kept on this machine, and how a file gets there whole or not at all."""

import os
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def data_folder() -> Path:
    """ROAD_DATA_DIR if set, else ``road`` in the user's cache folder."""
    chosen = os.environ.get("ROAD_DATA_DIR")
    if chosen:
        return Path(chosen)
    # The XDG specification tells to ignore a relative path.
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "road"


@contextmanager
def written_aside(path: Path) -> Generator[BinaryIO]:
    """A file to write to; renamed to its path at the end, gone if anything fails.

    A reader, or a second writer, never meets half a file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with aside.open("x+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
