"""Published datasets, downloaded by name and resumed where a download broke off."""

import shutil
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import BinaryIO, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from road.data.formats import need
from road.data.formats.file import detect_format
from road.data.load import split_source
from road.data.sources.d4rl import download_path, find_copy, find_published
from road.data.sources.minari import MAIN, dataset_folder
from road.errors import DataError, LockedError, StorageError, UsageError
from road.files import hash_file, lock, sync

Progress: TypeAlias = Callable[[int, int | None], None]
"""Called with the bytes so far, and their total if the server gives it."""

PIECE = 2**18
PATIENCE = 30.0
"""Seconds without a byte."""


def silent(done: int, total: int | None) -> None:
    """Reports nothing."""


def download(source: str, progress: Progress = silent) -> Path:
    """Download a ``d4rl:`` or ``minari:`` dataset, unless it is there already.

    Raises:
        DataError: it cannot be had; the message says where to put the file by hand.
        UsageError: there is nothing to download for this source.
    """
    scheme, name = split_source(source)
    if scheme == "d4rl":
        file = find_published(name)
        return find_copy(file) or fetch(file.url, download_path(file), file.sha256, progress)
    if scheme == "minari":
        return download_minari(name)
    raise UsageError(f"{source} is not downloaded; it is a path on this machine")


def fetch(url: str, path: Path, sha256: str | None = None, progress: Progress = silent) -> Path:
    """Fetch one file; what has come stays beside it as ``.part`` until it is whole."""
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"{url}: only http and https addresses are fetched")
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        append_missing(url, part, progress)
        check_arrived(url, part, sha256)
        part.replace(path)
    except (HTTPError, URLError, HTTPException, TimeoutError, ConnectionError) as error:
        text = getattr(error, "reason", None) or type(error).__name__
        raise DataError(f"cannot fetch {url} ({text}); put the file at {path}") from error
    except OSError as error:
        raise StorageError(f"cannot write {part}: {error.strerror}") from error
    return path


def append_missing(url: str, part: Path, progress: Progress) -> None:
    """Append what is missing; a server without ranges begins again."""
    have = part.stat().st_size if part.exists() else 0
    asked = Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer: HTTPResponse = urlopen(asked, timeout=PATIENCE)
    except HTTPError as error:
        if error.code == 416 and have:  # nothing is missing, or the part is of another file
            error.close()
            return restart_if_longer(url, part, error.headers.get("Content-Range", ""), progress)
        raise
    with answer, part.open("ab") as file:
        lock_part(part, file, have)
        if answer.status != 206:
            file.truncate(0)
        done = file.tell() if answer.status == 206 else 0
        length = answer.headers.get("Content-Length")
        total = None if length is None else done + int(length)
        check_space(part, total, done)
        while piece := answer.read(PIECE):
            file.write(piece)
            done += len(piece)
            progress(done, total)
        sync(file)
    if total is not None and done < total:
        raise ConnectionError(f"broke off after {done:,} of {total:,} bytes")
    return None


def lock_part(part: Path, file: BinaryIO, have: int) -> None:
    """Keep others from writing to the same file, who would leave a mixture."""
    try:
        lock(file)
    except BlockingIOError:
        raise LockedError(f"{part} is being downloaded by another process; wait for it") from None
    if file.tell() != have:
        raise LockedError(f"{part} was changed by another process; try again")


def restart_if_longer(url: str, part: Path, content_range: str, progress: Progress) -> None:
    """The server has no bytes beyond ours: ours are all of them, or belong to something else."""
    if content_range.rpartition("/")[2] != str(part.stat().st_size):
        part.unlink()
        append_missing(url, part, progress)


def check_space(part: Path, total: int | None, done: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if total is not None and total - done > free:
        raise StorageError(f"{part} needs {total - done:,} bytes more where {free:,} are free")


def check_arrived(url: str, part: Path, sha256: str | None) -> None:
    """Whether it is data at all, and the very file if its checksum is known."""
    try:
        if (kind := detect_format(part)) != "hdf5":
            raise DataError(f"{url} gave a {kind} file where HDF5 is meant; try again, or a mirror")
        if sha256 is not None and hash_file(part) != sha256:
            raise DataError(f"{url} gave another file than was published; try again, or a mirror")
    except DataError:
        part.unlink()
        raise


def download_minari(name: str) -> Path:
    """By the minari package, which knows its servers; it is used for nothing else."""
    folder = dataset_folder(name)
    if (folder / "data" / MAIN).is_file():
        return folder
    minari = need("minari", "minari", "downloading Minari datasets")
    try:
        minari.download_dataset(name)
    except Exception as error:  # whatever its servers and their libraries raise
        text = " ".join(str(error).split())[:160] or type(error).__name__
        raise DataError(
            f"cannot fetch minari:{name} ({text}); put its folder at {folder}"
        ) from error
    return folder
