"""Plain arrays in an NPZ file that nobody vouches for: nothing of it is run."""

import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from road.data.npz import array_members, check_sizes, read_member
from road.errors import DataError


def read_plain(path: Path, needed: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Every array of the file, or those that are needed, which must be there."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = dict(array_members(path, archive))
            absent = [name for name in needed if name not in sizes]
            if absent:
                held = ", ".join(sorted(sizes))[:120] or "nothing"
                raise DataError(f"{path}: there is no array {absent[0]!r}; it holds {held}")
            wanted = {name: sizes[name] for name in (needed or sizes)}
            check_sizes(path, wanted)
            return {name: read_member(path, archive, name) for name in wanted}
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        told = " ".join(str(error).split())[:80]
        raise DataError(f"{path}: this is not an NPZ archive ({told})") from error
