"""``road grid``: many runs for one question, and the table that answers it."""

import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module

from road.errors import UsageError

ACTIONS = {
    "list": "name the grids of the paper, and what they ask",
    "run": "run a grid, or go on with one",
    "status": "tell where a grid stands",
    "report": "write what came of a grid: tables and a page",
}
"""Each is a file ``grid_ACTION.py`` beside this one, imported when it is asked for."""
FOR_WORKERS = ("work",)

USAGE = f"""usage: road grid ACTION [GRID] [OPTIONS]

A grid is one of `road grid list`, or a Python file with a GRID of your own; to ask for its status
or report, its folder will do.

actions:
{chr(10).join(f"  {name:8} {text}" for name, text in ACTIONS.items())}

`road grid ACTION --help` tells more.
"""


def run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0
    if words[0] not in (*ACTIONS, *FOR_WORKERS):
        near = get_close_matches(words[0], ACTIONS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(ACTIONS)}"
        raise UsageError(f"unknown action {words[0]!r}: {hint}")
    act: Callable[[list[str]], int] = import_module(f"road.cli.grid_{words[0]}").run
    return act(words[1:])
