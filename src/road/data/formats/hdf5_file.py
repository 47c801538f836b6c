"""Writing HDF5 to a file that may find its disk full.

HDF5 crashes the process if closing a file fails: what could not be written is still in its caches,
and it tries again as it shuts down. So it writes to a file that takes everything; the first error
is kept and raised once HDF5 has closed without one.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, BinaryIO


class KeepingErrors:
    """A binary file that never fails in the middle of HDF5's own code."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, content: Any) -> int:  # bytes, of a type of h5py's own
        if self.error is None:
            try:
                return self._file.write(content)
            except OSError as error:
                self.error = error
        return len(content)

    def flush(self) -> None:
        if self.error is None:
            try:
                self._file.flush()
            except OSError as error:
                self.error = error

    def truncate(self, size: int | None = None) -> int:
        return self._guarded(self._file.truncate, size)

    def seek(self, place: int, whence: int = 0) -> int:
        return self._guarded(self._file.seek, place, whence)

    def tell(self) -> int:
        return self._guarded(self._file.tell)

    def read(self, size: int = -1) -> bytes:
        """h5py takes for a file what has this, and does not call it."""
        return self._file.read(size)

    def readinto(self, buffer: Any) -> int:
        read: Any = self._file  # BinaryIO does not say that it can
        return self._guarded(read.readinto, buffer)

    def _guarded(self, do: Any, *arguments: Any) -> int:
        """Seeking and reading write what is buffered first, so they fail in the same way."""
        try:
            return int(do(*arguments) or 0)
        except OSError as error:
            self.error = self.error or error
            return 0


@contextmanager
def writing_hdf5(file: BinaryIO) -> Generator[Any]:
    """An HDF5 file to write to.

    Raises:
        OSError: not all of it could be written.
    """
    import h5py

    kept = KeepingErrors(file)
    try:
        with h5py.File(kept, "w") as archive:
            yield archive
    except (OSError, RuntimeError, ValueError) as error:
        # HDF5 misses what was not written; that is no error of its own.
        raise kept.error or error from None
    if kept.error is not None:
        raise kept.error
