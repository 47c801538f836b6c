"""Compiled code that is kept between processes, with a checksum for every entry.

JAX writes an entry in place and reads it as it is: one that a kill has cut short is reported in
every later process, and one that is otherwise damaged may end it. Here an entry is put in place
whole, and one that is not what was written is removed; what it held is compiled again.
"""

import contextlib
import hashlib
from pathlib import Path

from jax._src import compilation_cache

from road.errors import DamagedError
from road.files import temporary
from road.plain_files import read_plain
from road.terminal import note

SUFFIX = ".checked"
"""JAX's own entries end otherwise: neither is taken for the other."""
SIZE = hashlib.sha256().digest_size


class CheckedCache:
    """A file for every entry: SHA-256 of what JAX gave, and that. JAX asks for get and put."""

    def __init__(self, folder: Path) -> None:
        self._path = folder
        self._said = False

    def get(self, key: str) -> bytes | None:
        try:
            content = read_plain(self.place(key))
        except FileNotFoundError:
            return None
        except (OSError, DamagedError):
            content = b""
        value = content[SIZE:]
        if hashlib.sha256(value).digest() != content[:SIZE]:
            self.remove(key)
            return None
        return value

    def put(self, key: str, value: bytes) -> None:
        path = self.place(key)
        # A disk that takes no more costs the time to compile, and nothing else.
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary(path) as aside:
                aside.write_bytes(hashlib.sha256(value).digest() + value)
                aside.replace(path)

    def place(self, key: str) -> Path:
        return self._path / f"{key}{SUFFIX}"

    def remove(self, key: str) -> None:
        with contextlib.suppress(OSError):
            self.place(key).unlink()
        if not self._said:
            note(f"compiled code in {self._path} was damaged; it is removed and compiled again")
        self._said = True


def check_entries(folder: Path) -> None:
    """Let JAX keep compiled code of this process there, in entries with checksums."""
    # JAX has no public way to say how entries are kept.
    compilation_cache.reset_cache()
    for name, value in (("_cache", CheckedCache(folder)), ("_cache_initialized", True)):
        setattr(compilation_cache, name, value)
