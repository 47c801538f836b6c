"""``road grid``: many runs for one question, and the table that answers it."""

from road.cli.dispatch import Action, list_actions, run_action

ACTIONS = {
    "list": Action("show", "name the grids of the paper, and what they ask"),
    "run": Action("run", "run a grid, or go on with one"),
    "status": Action("show", "show the progress of a grid"),
    "report": Action("report", "write what came of a grid: tables and a page"),
}

USAGE = f"""usage: road grid ACTION [GRID] [OPTIONS]

A grid is one of `road grid list`, or a Python file with a GRID of your own; to ask for its status
or report, its folder will do.

actions:
{list_actions(ACTIONS)}

`road grid ACTION --help` tells more.
"""


def grid_command(words: list[str]) -> int:
    return run_action(words, ACTIONS, USAGE, "action", "road.cli.grid")
