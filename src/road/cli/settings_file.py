"""``road train --config FILE``: a TOML file whose names are those of the flags.

Its settings become words in front of those that were typed, so the same parser checks both, and
what was typed counts. A table of another agent or mixer than the run's is left out.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from road.errors import StorageError, UsageError
from road.mixing import MIXERS
from road.plain_files import read_plain
from road.records.toml import table_name

TYPED_ONLY = ("config", "out", "overwrite", "allow_import")
"""What deletes, runs or names something of this machine: a file may come from anyone."""


@dataclass(frozen=True)
class Given:
    """A command line with the settings of its file spelled out."""

    words: list[str]
    task: str | None = None
    """The file's own."""
    file: str | None = None


def with_settings_file(words: list[str]) -> Given:
    path = value_of(words, "--config")
    if path is None:
        return Given(words)
    settings = read_settings(Path(path))
    task = settings.pop("task", None)
    if task is not None and not isinstance(task, str):
        raise UsageError(f"{path}: task must be a name, got {task!r}")
    typed = without_flag(words, "--config")
    kept = without_other_tables(settings, typed)
    return Given([*words_of(kept, ()), *typed], task, path)


def read_settings(path: Path) -> dict[str, Any]:
    """The file's content.

    Raises:
        UsageError: it is missing, is no TOML, or sets what only the command line may.
    """
    try:
        settings = tomllib.loads(read_plain(path).decode())
    except (FileNotFoundError, IsADirectoryError):
        raise UsageError(f"--config {path}: there is no such file") from None
    except OSError as failure:
        raise StorageError(f"cannot read {path}: {failure.strerror}") from failure
    except ValueError as wrong:  # neither text nor TOML
        raise UsageError(f"--config {path} is no TOML: {wrong}") from None
    if named := [name for name in settings if name.replace("-", "_") in TYPED_ONLY]:
        raise UsageError(f"{path}: {', '.join(named)} can only be given on the command line")
    return settings


def without_other_tables(settings: Mapping[str, Any], typed: list[str]) -> dict[str, Any]:
    from road.agents.recipes import AGENTS

    agent = value_of(typed, "--agent") or str(settings.get("agent", "iql"))
    mixer = value_of(typed, "--mixer") or settings.get("mixer")
    others = {table_name(name) for name in (*AGENTS, *MIXERS)}
    others -= {table_name(agent)} | (
        {table_name(str(mixer))} if mixer else {*map(table_name, MIXERS)}
    )
    return {name: value for name, value in settings.items() if table_name(name) not in others}


def words_of(settings: Mapping[str, Any], path: tuple[str, ...]) -> Iterable[str]:
    """The flags that say the same."""
    for name, value in settings.items():
        inside = (*path, name)
        flag = "--" + ".".join(inside).replace("_", "-")
        match value:
            case dict():
                yield from words_of(cast("Mapping[str, Any]", value), inside)
            case bool():
                last = name.replace("_", "-")
                yield flag if value else flag.removesuffix(last) + f"no-{last}"
            case list():
                yield flag
                yield from map(str, cast("list[Any]", value))
            case _:
                yield f"{flag}={value}"


def value_of(words: list[str], flag: str) -> str | None:
    """What a flag is set to; where it is given twice, the last one counts, as everywhere."""
    found = None
    for here, after in pairwise([*words, ""]):
        if here == flag:
            found = after
        elif here.startswith(f"{flag}="):
            found = here.removeprefix(f"{flag}=")
    return found


def without_flag(words: list[str], flag: str) -> list[str]:
    """The words without that flag and its value."""
    skip = {index + 1 for index, word in enumerate(words) if word == flag}
    kept = [(index, word) for index, word in enumerate(words) if index not in skip]
    return [word for _, word in kept if word != flag and not word.startswith(f"{flag}=")]
