"""Run folders: how they are written, locked, read back and summarised; NumPy only."""

from road.records.reader import load_run
from road.records.summary import summarise

__all__ = ["load_run", "summarise"]
