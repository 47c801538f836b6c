"""The command line: ``road train`` and what is done before and after it.

The commands are imported when they are asked for, so that ``road --help`` costs nothing and
``road report`` works without JAX.
"""

import os
import sys
import traceback
from importlib import import_module

from road.errors import RoadError
from road.version import __version__

COMMANDS = {
    "train": "pretrain on a task's dataset, then fine-tune online",
    "resume": "continue a run that was stopped or killed",
    "eval": "judge a run's saved agent on fresh episodes",
    "report": "draw one or several runs as a self-contained HTML page",
    "export": "write runs for TensorBoard or W&B to show",
    "whatif": "tell which ratios other settings would have chosen in a run",
    "data": "check, convert, download or collect a dataset",
    "grid": "run many runs for one question, on one machine or many",
    "theory": "compute and draw the paper's theory on exact problems",
    "list": "name the tasks, agents or mixers",
}

USAGE = f"""usage: road COMMAND [OPTIONS]

ROAD {__version__}: offline-to-online reinforcement learning that adapts its own data diet.

commands:
{chr(10).join(f"  {name:8} {text}" for name, text in COMMANDS.items())}

`road train` alone runs the embedded default task; `road COMMAND --help` tells more.
Any command takes --debug to show the traceback of an error.
"""

READERS = ("report", "export", "whatif")
"""Commands that only read runs: beside tyro they need nothing that training does."""

EXTRAS = {"fsspec": "ray", "minari": "minari", "pyarrow": "tables", "ray": "ray"}
"""Which extra brings a package that training can do without."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        return dispatch(words)
    except (RoadError, ModuleNotFoundError, KeyboardInterrupt) as error:
        if debug:
            traceback.print_exc()
        code, message = explain(error, words[0] if words else "")
        sys.stderr.write(f"error: {' '.join(message.split())}\n")
        return code
    except BrokenPipeError:
        # Whoever read our output has gone; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def explain(error: BaseException, command: str) -> tuple[int, str]:
    """Exit code and message of what went wrong in a command."""
    match error:
        case RoadError():
            return error.exit_code, str(error)
        case ModuleNotFoundError() if not (error.name or "").startswith("road"):
            return 2, missing((error.name or "").partition(".")[0], command)
        case KeyboardInterrupt():
            return 130, "interrupted"
        case _:
            raise error


def missing(package: str, command: str) -> str:
    """What to do about a package that a command did not find."""
    if package == "fcntl":
        return "training and downloads need file locks (fcntl), which this system does not have"
    extra = EXTRAS.get(package, "train,robotics")
    if package == "tyro" and command in READERS:
        extra = "cli"
    return f"the package {package!r} is missing; install it with `pip install 'road-rl[{extra}]'`"


def dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0
    if words[0] in ("-V", "--version"):
        sys.stdout.write(f"road {__version__}\n")
        return 0
    if words[0] not in COMMANDS:
        return refuse(words[0])
    module = import_module(f"road.cli.{words[0]}_command")
    return module.run(words[1:])


def refuse(word: str) -> int:
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(COMMANDS)}"
    sys.stderr.write(f"error: unknown command {word!r}: {hint}\n")
    return 2
