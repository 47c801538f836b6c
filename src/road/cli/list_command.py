"""``road list``: name the tasks, agents or mixers."""

import inspect
import sys
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import tyro

from road.cli.flags import parse_flags
from road.mixing import MIXERS


@dataclass(frozen=True)
class List:
    """Name what ``road train`` can be asked for."""

    what: Annotated[Literal["tasks", "agents", "mixers"], tyro.conf.Positional]
    """Which of the three."""


def run(words: list[str]) -> int:
    what = parse_flags(List, words, "list").what
    named = {"tasks": tasks, "agents": agents, "mixers": mixers}[what]()
    width = max(map(len, named))
    sys.stdout.write("".join(f"{name:{width}}  {text}\n" for name, text in named.items()))
    return 0


def tasks() -> dict[str, str]:
    from road.tasks.catalogue import TASKS

    return {name: task.description for name, task in TASKS.items()}


def agents() -> dict[str, str]:
    from road.agents.recipes import AGENTS

    return {name: first_line(inspect.getmodule(kind)) for name, kind in AGENTS.items()}


def mixers() -> dict[str, str]:
    return {name: first_line(kind) for name, kind in MIXERS.items()}


def first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").splitlines()[0]
