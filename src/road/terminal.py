"""Text on its way to a terminal: names may come from files and folders of anyone.

A terminal takes some characters as commands: they move the cursor, hide text or change the title.
They are written as Python writes them in a string, so that they are seen and do nothing.
"""

import re
import sys

LONGEST_WORD = 200
"""Characters of a path or a name that are shown; of longer ones the beginning and the end."""
COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""All control characters but tab and line feed, and those that turn the direction of text."""
WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def printable(text: str) -> str:
    """The text without anything that a terminal would obey."""
    return COMMANDS.sub(lambda found: ascii(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """The same on one line, its longest words shortened."""
    text = " ".join(printable(text).split())
    return WORD.sub(lambda found: f"{found[0][:120]}...{found[0][-40:]}", text)


def say(text: str) -> None:
    """Write to standard output."""
    sys.stdout.write(printable(text))


def note(text: str) -> None:
    """Write a line beside the output."""
    sys.stderr.write(f"note: {one_line(text)}\n")
