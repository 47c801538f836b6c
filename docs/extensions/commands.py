"""The reference of the command line: every command with its flags, read from their parsers.

At every build the page ``reference/commands`` gets a section for each command of ``road --help``.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any
from unittest.mock import patch

import tyro

from road.agents.recipes import AGENTS
from road.cli import main
from road.cli.dispatch import COMMANDS, Action
from road.mixing import MIXERS

PAGE = "reference/commands"
GROUPS = {
    "positional arguments": "",
    "options": "",
    "own options": "Task and data",
    "run options": "The run",
    "where options": "Output and machine",
    "how options": "Reading the source",
}
"""What the page calls a group of flags; one without a name joins those before it."""


class Parsed(Exception):
    """Carries what a command asks of its parser out of the command."""

    def __init__(self, kind: Any, given: dict[str, Any]) -> None:
        self.parser = make_parser(kind, given)


def make_parser(kind: Any, given: dict[str, Any]) -> Any:
    """The parser as argparse has it."""
    known = {name: given[name] for name in ("prog", "default") if name in given}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return tyro.extras.get_parser(kind, **known)


def parser_of(words: Sequence[str]) -> Any:
    """The parser of the command that the words name."""

    def instead(kind: Any, *, args: list[str], **given: Any) -> None:
        del args
        raise Parsed(kind, given)

    with patch("tyro.cli", instead):
        try:
            code = main(list(words))
        except Parsed as found:
            return found.parser
    raise RuntimeError(f"road {' '.join(words)} asked for no flags and gave {code}")


def all_commands() -> Iterator[tuple[list[str], str]]:
    """The words of every command, and what it is for."""
    yield from below([], COMMANDS, "road.cli")


def below(
    words: list[str], actions: dict[str, Action], package: str
) -> Iterator[tuple[list[str], str]]:
    for name, action in actions.items():
        module = f"{package}.{action.module}"
        inner = getattr(import_module(module), "ACTIONS", None)
        if inner is None:
            yield [*words, name], action.about
        else:
            yield from below([*words, name], inner, module)


def page() -> str:
    """Markdown: a section per command."""
    sections = [section(words, about) for words, about in all_commands()]
    return "\n\n".join([*sections, settings("agent", AGENTS), settings("mixer", MIXERS)])


def section(words: list[str], about: str) -> str:
    parser = parser_of(words)
    # The settings of one agent and one mixer are shown with those of all the others.
    chosen = {"iql options", "road options"} if words == ["train"] else set[str]()
    shown = [group for group in groups_of(parser) if group.title not in chosen]
    described = " ".join((parser.description or f"{about[0].upper()}{about[1:]}.").split())
    lines = [f"## road {' '.join(words)}", "", with_code(described)]
    rows: list[str] = []
    for group in shown:
        title = GROUPS.get(group.title, group.title.removesuffix(" options"))
        found = [row(action) for action in actions_of(group)]
        if found and title:
            lines += [*table(rows), "", f"**{title}**"]
            rows = []
        rows += found
    return "\n".join(lines + table(rows))


def table(rows: list[str]) -> list[str]:
    return ["", "| flag | default | meaning |", "|---|---|---|", *rows] if rows else []


def settings(what: str, named: dict[str, Any]) -> str:
    """The flags of every agent, or of every mixer, in ``road train``."""
    lines = [
        f"## Settings of every {what}",
        "",
        f"Flags of `road train` with `--{what} NAME`. Defaults are those on the default task; "
        "`road train TASK --help` shows those of another.",
    ]
    for name in named:
        parser = parser_of(["train", f"--{what}", name])
        own = [group for group in groups_of(parser) if group.title == f"{name} options"]
        rows = [row(action) for group in own for action in actions_of(group)]
        lines += ["", f"### {name}", "", *(table(rows) or ["No settings."])]
    return "\n".join(lines)


def groups_of(parser: Any) -> list[Any]:
    return parser._action_groups  # noqa: SLF001 -- argparse has no other way to list them


def actions_of(group: Any) -> list[Any]:
    """The flags of a group, without --help."""
    flags = group._group_actions  # noqa: SLF001 -- argparse has no other way to list them
    return [flag for flag in flags if flag.dest != "help"]


def row(action: Any) -> str:
    """A flag or a positional argument as a row of a table."""
    meaning, _, default = action.help.rpartition(" (")
    if not meaning or not default.startswith(("default: ", "required", "repeatable")):
        meaning, default = action.help, ""
    default = default.removesuffix(")").removeprefix("default: ")
    value = "" if action.metavar is None else readable(action.metavar)
    written = [f"{flag} {value}".strip() for flag in action.option_strings] or [value]
    flags = ", ".join(f"`{each}`" for each in written)
    shown = default if default in ("", "required", "repeatable") else f"`{default}`"
    cells = (flags, shown, with_code(" ".join(meaning.split())))
    return f"| {' | '.join(escape(cell) for cell in cells)} |"


def readable(metavar: Any) -> str:
    """``{None}|INT`` as ``INT``: what may be left out is left out."""
    text = str(metavar).removeprefix("{None}|").replace("{None,", "{")
    return text.removeprefix("[[").removesuffix("]]") if text.startswith("[[") else text


def with_code(text: str) -> str:
    """Flags in a sentence as code, where they are not yet."""
    parts = text.replace("``", "`").split("`")
    parts[::2] = [re.sub(r"--[\w.*-]*[\w*]", r"`\g<0>`", part) for part in parts[::2]]
    return "`".join(parts)


def escape(text: str) -> str:
    """Keep a table's bars."""
    return text.replace("|", "\\|")


def add_commands(app: Any, name: str, source: list[str]) -> None:
    del app
    if name == PAGE:
        source[0] = f"{source[0].rstrip()}\n\n{page()}\n"


def setup(app: Any) -> dict[str, Any]:
    app.connect("source-read", add_commands)
    return {"parallel_read_safe": True, "version": "1"}
