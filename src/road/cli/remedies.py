"""How a log is read belongs to its conversion; a run that needs it names the command."""

import re
import shlex
from pathlib import Path

from road.errors import DataError, UsageError

READING = ("--columns", "--keys", "--terminals", "--drop-nonfinite", "--action-box")
"""Flags of ``road data convert`` that are none of ``road train``."""
REMEDIES = {
    "--columns": "--columns observation=A,B action=C reward=D",
    "action_box": "--action-box LOW HIGH",
    "drop such rows": "--drop-nonfinite",
}
"""What a message about a log says, and the flag that it calls for."""


def refuse_reading_flags(words: list[str], source: str | None) -> None:
    """Name the commands that do what was asked for: convert once, then train.

    Raises:
        UsageError: there are such flags.
    """
    taken, left = split_flags(words)
    if not taken:
        return
    if source is None:
        raise UsageError(f"{taken[0]} says how to read --data SOURCE, which is missing")
    train = shlex.join(["road", "train", *left, "--data", target_of(source)])
    raise UsageError(
        f"{taken[0]} belongs to the conversion of the log, which is done once: "
        f"{conversion(source, left)} {shlex.join(taken)} && {train}"
    )


def split_flags(words: list[str]) -> tuple[list[str], list[str]]:
    """The flags on how to read, with their values; and the other words, without --data."""
    taken: list[str] = []
    left: list[str] = []
    queue = list(words)
    while queue:
        flag, equals, _ = queue[0].partition("=")
        kind = flag.replace("_", "-") if flag.startswith("--") else ""
        count = 1 + (0 if equals else count_values(kind, queue[1:]))
        part = taken if kind in READING else [] if kind == "--data" else left
        part += queue[:count]
        queue = queue[count:]
    return taken, left


def count_values(flag: str, following: list[str]) -> int:
    """How many of the words that follow belong to the flag."""
    if flag in ("--columns", "--keys"):
        listed = "=" if flag == "--columns" else ""
        others = (at for at, word in enumerate(following) if word[:1] == "-" or listed not in word)
        return next(others, len(following))
    return {"--action-box": 2, "--terminals": 1, "--data": 1}.get(flag, 0)


def conversion(source: str, words: list[str]) -> str:
    """The command without flags on how to read; the environment's box is used as in a run."""
    command = ["road", "data", "convert", source, target_of(source)]
    for flag in ("--env", "--allow-import"):
        if flag in words[:-1]:
            command += [flag, words[words.index(flag) + 1]]
    return shlex.join(command)


def target_of(source: str) -> str:
    """Where the converted log goes: beside nothing else, in the current folder."""
    name = re.sub(r"[^\w.-]+", "-", Path(source.partition(":")[2]).stem).strip("-") or "log"
    return f"file:{name}-road.hdf5"


def with_command(error: DataError, source: str | None, words: list[str]) -> DataError:
    """The error, and the exact command if flags of the conversion can help."""
    flags = next((flag for part, flag in REMEDIES.items() if part in str(error)), None)
    if source is None or flags is None:
        return error
    _, left = split_flags(words)
    return DataError(
        f"{error}: {conversion(source, left)} {flags}, then --data {target_of(source)}"
    )
