"""Logged experience: read from anywhere, checked once, and kept in one form.

``load`` takes the name of a source, ``from_arrays`` and ``from_episodes`` take what is in memory.
Importing this costs NumPy; what reads a format is imported when a file of that format is read.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from road.data.dataset import Dataset, Finding
from road.data.diagnostics import Findings, examine
from road.data.formats.arrays import from_arrays, from_episodes, from_sb3
from road.data.interpret import Reading
from road.data.load import load

if TYPE_CHECKING:
    from road.data.downloads import download
    from road.data.export import write_d4rl, write_minari

LATER = {"download": "downloads", "write_d4rl": "export", "write_minari": "export"}
"""Rarely needed, and slow to import."""

__all__ = [
    "Dataset",
    "Finding",
    "Findings",
    "Reading",
    "download",
    "examine",
    "from_arrays",
    "from_episodes",
    "from_sb3",
    "load",
    "write_d4rl",
    "write_minari",
]


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"road.data.{LATER[name]}"), name)
