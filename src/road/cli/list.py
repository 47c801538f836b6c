"""``road list``: name the tasks, agents or mixers."""

import inspect
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import tyro

from road.cli.flags import parse_flags
from road.mixing.registry import MIXERS, sentence_of
from road.terminal import say


@dataclass(frozen=True)
class List:
    """Name what ``road train`` can be asked for."""

    what: Annotated[Literal["tasks", "agents", "mixers"], tyro.conf.Positional]
    """Which of the three."""


def list_command(words: list[str]) -> int:
    what = parse_flags(List, words, "list").what
    groups = {"tasks": tasks, "agents": agents, "mixers": mixers}[what]()
    say("\n".join(map(list_group, groups)))
    return 0


def list_group(group: dict[str, str]) -> str:
    width = max(map(len, group))
    return "".join(f"{name:{width}}  {text}\n" for name, text in group.items())


def tasks() -> list[dict[str, str]]:
    """A group for each family."""
    from road.tasks.catalogue import TASKS

    families: dict[str, dict[str, str]] = {}
    for name, task in TASKS.items():
        # A task without a source makes its own data.
        needs = "" if task.source is None else f" Needs a download: {task.source}."
        families.setdefault(task.family, {})[name] = task.description + needs
    return list(families.values())


def agents() -> list[dict[str, str]]:
    from road.agents.recipes import AGENTS

    return [{name: first_line(inspect.getmodule(kind)) for name, kind in AGENTS.items()}]


def mixers() -> list[dict[str, str]]:
    return [{name: sentence_of(name) for name in MIXERS}]


def first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").splitlines()[0]
