"""A run's settings as the TOML file that ``road train --config`` reads: names are those of flags.

TOML has no null: what is not set is the text "None", as it is on the command line.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

SETTINGS = "run.toml"
FROM_PYTHON = (
    "# Environment and data were Python objects: give env and data before road train reads this.\n"
)
APART = ("format", "own", "agent", "mixer", "probes", "given")
"""What is in tables or lines of its own, or follows from the rest."""


def settings_text(config: Mapping[str, Any]) -> str:
    """From ``config.json``'s content: the run's settings, then a table for agent and mixer each."""
    own, agent, mixer = config.get("own", {}), config["agent"], config["mixer"]
    # The task of an environment of the user is called like it.
    task = {} if "env" in own or "given" in config else {"task": config["task"]}
    named = {"agent": agent["name"], "mixer": mixer["name"]}
    run = {name: value for name, value in config.items() if name not in (*APART, "task")}
    tables = {table_name(each["name"]): without_name(each) for each in (agent, mixer)}
    head = FROM_PYTHON if "given" in config else ""
    return head + "\n".join(lines({**task, **named, **own, **run, **tables}, ())) + "\n"


def table_name(name: str) -> str:
    return name.replace("-", "_")


def without_name(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "name"}


def lines(settings: Mapping[str, Any], path: tuple[str, ...]) -> Iterable[str]:
    """Values first: what follows a table's head belongs to it."""
    tables = {name: value for name, value in settings.items() if isinstance(value, dict)}
    for name, value in settings.items():
        if name not in tables:
            yield f"{key(name)} = {literal(value)}"
    for name, table in tables.items():
        inside = (*path, name)
        yield f"\n[{'.'.join(map(key, inside))}]"
        yield from lines(table, inside)


def key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else json.dumps(name)


def literal(value: Any) -> str:
    """JSON's numbers, strings and lists are TOML's too, but for control characters' names."""
    if value is None:
        return '"None"'
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    # TOML has DEL among what must be escaped, and takes no surrogates; JSON is laxer.
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode()
