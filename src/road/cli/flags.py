"""Flags from a dataclass, by tyro; what tyro would draw in a box becomes one line."""

import contextlib
import io
import re
from itertools import pairwise
from typing import Any, TypeVar

import tyro

from road.errors import UsageError

Flags = TypeVar("Flags")


def parse_flags(
    kind: type[Flags], words: list[str], command: str, default: Flags | None = None
) -> Flags:
    """The dataclass that the words describe; help is printed as tyro prints it."""
    check_words(words)
    given: dict[str, Any] = {} if default is None else {"default": default}
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(kind, args=words, prog=f"road {command}", **given)
    except SystemExit as stop:
        if not stop.code:
            raise
        raise UsageError(f"{unbox(complaint.getvalue())} (see `road {command} --help`)") from None
    except ValueError as error:  # a dataclass that refuses its values
        raise UsageError(str(error)) from error


def check_words(words: list[str]) -> None:
    """An empty word would be read as a default, or as the current folder."""
    for before, word in pairwise(["", *words]):
        if not word:
            what = before if before.startswith("--") else "an argument"
            raise UsageError(f"{what} is empty; give it a value, or leave it out")
        flag, equals, value = word.partition("=")
        if equals and not value and flag.startswith("--"):
            raise UsageError(f"{flag} is empty; give it a value, or leave it out")


def unbox(drawn: str) -> str:
    """The message of one of tyro's boxes: its first paragraph, and the nearest option if named.

    The box has a title, then paragraphs between rules; without Unicode it has no sides.
    """
    lines = [line.strip(" ╭╮╰╯│") for line in drawn.splitlines()]
    text = "\n".join(line for line in lines[1:] if line)
    paragraphs = [part.strip() for part in re.split(r"^[─-]+$", text, flags=re.MULTILINE)]
    message, *rest = [part for part in paragraphs if part] or ["the command line could not be read"]
    message = " ".join(message.split()).rstrip(".")
    near = re.search(r"^(--[\w.-]*\w)", "\n".join(rest), re.MULTILINE)
    if near and message.startswith("Unrecognized options"):
        message += f"; did you mean {near[1]}?"
    return message
