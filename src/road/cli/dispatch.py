"""From the words of a command line to the command that they name, and its exit code.

The commands are imported when they are asked for, so that ``road --help`` costs nothing and
``road report`` works without JAX.
"""

import os
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NamedTuple

from road.errors import EXTRAS, RoadError, explain
from road.names import find_name
from road.stopping import StopRequest
from road.terminal import one_line
from road.version import __version__


class Action(NamedTuple):
    """What a word of the command line does."""

    module: str
    """Has the function WORD_command; imported when it is asked for."""
    about: str


def list_actions(actions: Mapping[str, Action]) -> str:
    return "\n".join(f"  {name:8} {action.about}" for name, action in actions.items())


COMMANDS = {
    "train": Action("train", "pretrain on a task's dataset, then fine-tune online"),
    "resume": Action("train", "continue a run that was stopped or killed"),
    "continue": Action("continued", "fine-tune a run's agent on a new log, with no environment"),
    "eval": Action("train", "judge a run's saved agent on fresh episodes"),
    "play": Action("play", "roll out a run's policy, and film it"),
    "report": Action("readers", "draw one or several runs as a self-contained HTML page"),
    "export": Action(
        "export", "write a run's policy (NumPy, ONNX), or runs for TensorBoard or W&B"
    ),
    "whatif": Action("whatif", "tell which ratios other settings would have chosen in a run"),
    "data": Action("data", "check, convert, download or collect a dataset"),
    "grid": Action("grid", "run many runs for one question, on one machine or many"),
    "theory": Action("theory", "compute and draw the paper's theory on exact problems"),
    "list": Action("list", "name the tasks, agents or mixers"),
}

READERS = ("readers", "export", "whatif")
"""Modules whose commands only read runs: beside NumPy they need tyro alone."""

USAGE = f"""usage: road COMMAND [OPTIONS]

ROAD {__version__}: offline-to-online reinforcement learning that adapts the
offline/online sampling ratio.

commands:
{list_actions(COMMANDS)}

`road train` alone runs the embedded default task; `road COMMAND --help` tells more.
Any command takes --debug to show the traceback of an error.
"""


def answer(words: list[str], stop: StopRequest) -> int:
    """Run one command and report what goes wrong in one line; gives its exit code."""
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        with stop.at_once():
            return dispatch(words)
    except BrokenPipeError:
        # The reader of our output is gone; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (RoadError, ModuleNotFoundError, KeyboardInterrupt, OSError, MemoryError) as error:
        if debug:
            traceback.print_exc()
        reads = bool(words) and words[0] in COMMANDS and COMMANDS[words[0]].module in READERS
        code, message = explain(error, {**EXTRAS, "tyro": "cli"} if reads else EXTRAS)
        sys.stderr.write(f"error: {one_line(message)}\n")
        return code


def dispatch(words: list[str]) -> int:
    if words and words[0] in ("-V", "--version"):
        sys.stdout.write(f"road {__version__}\n")
        return 0
    return run_action(words, COMMANDS, USAGE, "command", "road.cli")


def run_action(
    words: list[str], actions: Mapping[str, Action], usage: str, kind: str, package: str
) -> int:
    """Run what the first word names."""
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(usage)
        return 0
    module = import_module(f"{package}.{find_name(words[0], actions, kind).module}")
    act: Callable[[list[str]], int] = getattr(module, f"{words[0]}_command")
    return act(words[1:])
