"""The command line: ``road train`` and what is done before and after it."""

from road.cli.dispatch import main

__all__ = ["main"]
