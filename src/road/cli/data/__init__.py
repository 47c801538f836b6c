"""``road data``: look at a dataset, bring it to this machine, or turn it into another format."""

from road.cli.dispatch import Action, list_actions, run_action

ACTIONS = {
    "check": Action("check", "print what a dataset holds and everything that is wrong with it"),
    "convert": Action(
        "transfer",
        "write a dataset as D4RL HDF5, as a Minari dataset, or as a folder to map from disk",
    ),
    "download": Action("transfer", "bring a published dataset to this machine"),
    "collect": Action("collect", "make logs of graded quality for an environment"),
}

USAGE = f"""usage: road data ACTION SOURCE [OPTIONS]

A source is file:PATH, d4rl:NAME, minari:ID or stored:FOLDER.

actions:
{list_actions(ACTIONS)}

`road data ACTION --help` tells more.
"""


def data_command(words: list[str]) -> int:
    return run_action(words, ACTIONS, USAGE, "action", "road.cli.data")
