"""``road data``: look at a dataset, bring it to this machine, or turn it into another format."""

import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module

from road.errors import UsageError

ACTIONS = {
    "check": "print what a dataset holds and everything that is wrong with it",
    "convert": "write a dataset as D4RL HDF5, as a Minari dataset, or as a folder to map from disk",
    "download": "bring a published dataset to this machine",
    "collect": "make logs of graded quality for an environment",
}
"""Each is a file ``data_ACTION.py`` beside this one, imported when it is asked for."""

USAGE = f"""usage: road data ACTION SOURCE [OPTIONS]

A source is file:PATH, d4rl:NAME, minari:ID or stored:FOLDER.

actions:
{chr(10).join(f"  {name:8} {text}" for name, text in ACTIONS.items())}

`road data ACTION --help` tells more.
"""


def run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0
    if words[0] not in ACTIONS:
        near = get_close_matches(words[0], ACTIONS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(ACTIONS)}"
        raise UsageError(f"unknown action {words[0]!r}: {hint}")
    act: Callable[[list[str]], int] = import_module(f"road.cli.data_{words[0]}").run
    return act(words[1:])
