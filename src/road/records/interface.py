"""``interface.json`` of a run folder: what a policy needs beside a checkpoint.

Observations, normaliser and box of actions of the environment, and which numbers of a checkpoint
are the weights of which layer. ``training/interface.py`` writes it when a run begins.
"""

from pathlib import Path
from typing import Any

from road.errors import UsageError
from road.records.folder import INTERFACE, read_run_file

FORMAT = 1


def read_interface(folder: Path) -> dict[str, Any]:
    """What the file says.

    Raises:
        UsageError: it is not there, or of another version.
        StorageError: it cannot be read.
    """
    if not (folder / INTERFACE).exists():
        raise UsageError(
            f"{folder} has no {INTERFACE}, so it was begun by an earlier version: run "
            f"`road resume {folder}`, which writes it unless the run is finished"
        )
    described = read_run_file(folder, INTERFACE)
    if described.get("format") != FORMAT:
        raise UsageError(
            f"{folder / INTERFACE} has format {described.get('format')!r}, this version of road "
            f"reads {FORMAT}"
        )
    return described
