"""Opening files of a folder that may come from anyone: plain files only, and never through a link.

A run folder that was unpacked from an archive can hold links. One that is followed would let it
read, overwrite or delete whatever the user can. So below the folder that the user has named no step
may be a link, and what is opened must be a file: a pipe would wait and a device would never end.
"""

import errno
import json
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

from road.errors import DamagedError

GUARDS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags that not every system has; opening a pipe does not wait for its other end."""
UNFIT = {errno.EISDIR: "a folder", errno.ENXIO: "a pipe", errno.ELOOP: "a link"}
MOST_TEXT = 256 * 2**20
"""Bytes of a file that is read as a whole: far more than any description of a run."""


def refuse_links(path: Path, within: Path) -> None:
    """Whether a path, from the folder that it lies in on, has a link among its steps.

    Raises:
        DamagedError: it has.
    """
    step = within
    for part in path.relative_to(within).parts:
        step = step / part
        if step.is_symlink():
            raise DamagedError(
                f"{step} is a link, and links in such a folder are not followed; replace it by "
                "what it points to"
            )


def open_plain(path: Path, flags: int, within: Path | None = None) -> int:
    """A handle of a plain file; ``within`` is the folder that the user named, by default its own.

    Raises:
        DamagedError: there is a link or something else than a file.
        OSError: it cannot be opened.
    """
    refuse_links(path, path.parent if within is None else within)
    try:
        handle = os.open(path, flags | GUARDS, 0o644)
    except OSError as error:
        if (kind := UNFIT.get(error.errno or 0)) is not None:
            raise DamagedError(f"{path} is {kind} where a file belongs; remove it") from None
        raise
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe or a device"
        raise DamagedError(f"{path} is {kind} where a file belongs; remove it")
    if flags & os.O_CREAT and found.st_nlink > 1:
        os.close(handle)
        raise DamagedError(
            f"{path} is the same file as another one (a hard link), which would be changed "
            "with it; replace it by a copy"
        )
    return handle


def open_to_read(path: Path, within: Path | None = None) -> BufferedReader:
    """The same as a file object, for reading."""
    return os.fdopen(open_plain(path, os.O_RDONLY, within), "rb")


def read_plain(path: Path, within: Path | None = None) -> bytes:
    """The content of a plain file.

    Raises:
        DamagedError: it is no plain file, or far larger than any that belongs there.
        OSError: it cannot be read.
    """
    with open_to_read(path, within) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MOST_TEXT:
            raise DamagedError(f"{path} has {size:,} bytes: this is not what belongs there")
        return file.read()


def read_json(path: Path, within: Path | None = None) -> Any:
    """The data in such a file.

    Raises:
        ValueError: it is no JSON, or nested beyond any meaning.
        OSError: it cannot be read.
    """
    try:
        return json.loads(read_plain(path, within))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
