"""JSON beside data from untrusted sources."""

import json
import stat
from pathlib import Path
from typing import Any, cast

from road.errors import DataError

LARGEST_METADATA = 16 * 2**20


def read_metadata(path: Path) -> dict[str, Any]:
    """The table of names and values in a file.

    Raises:
        DataError: it cannot be read, or is something else.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_METADATA:
            raise DataError(f"{path}: no description of data; get it again")
        content: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        text = " ".join(str(error).split())[:100]
        raise DataError(f"{path}: damaged metadata ({text}); get it again") from error
    if not isinstance(content, dict):
        raise DataError(f"{path}: damaged metadata (no table of names and values); get it again")
    return cast("dict[str, Any]", content)
