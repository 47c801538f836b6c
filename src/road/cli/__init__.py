"""The command line: ``road train`` and what is done before and after it."""

import sys

from road.stopping import listening

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    # First of all signals are listened to, since imports take their time; in a process of its own
    # a command does so to the end of Python.
    with listening(to_the_end=arguments is None) as stop:
        from road.cli.dispatch import answer

        return answer([*words], stop)
