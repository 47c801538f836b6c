"""Logged experience: read from anywhere, checked once, and kept in one form.

``load`` takes the name of a source, ``from_arrays`` and ``from_episodes`` take what is in memory.
"""

from road.data.arrays import from_arrays, from_episodes
from road.data.dataset import Dataset
from road.data.findings import Finding, Findings
from road.data.load import load
from road.data.reading import Reading
from road.data.sb3 import from_sb3

__all__ = [
    "Dataset",
    "Finding",
    "Findings",
    "Reading",
    "from_arrays",
    "from_episodes",
    "from_sb3",
    "load",
]
