"""What the runs of a grid were asked to do: what all share, then what each task or method has."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from road.report.journal import Row
from road.report.tables import Listing, flattened

LEFT_OUT = frozenset({"format", "seed", "own.data", "log_every", "checkpoint_every"})
"""What is otherwise in every run, is a place on somebody's disk, or changes no result."""
CAPTION = (
    "Settings as each run's config.json has them. What all runs share stands first, then what "
    "belongs to a task, then what belongs to a method; several values where tasks differ."
)


@dataclass(frozen=True)
class Asked:
    """A run's place and its settings, each by its dotted name."""

    task: str
    method: str
    settings: dict[str, str]


def asked_of(task: str, method: str, config: Row) -> Asked:
    found = dict(flattened(config))
    return Asked(task, method, {n: v for n, v in found.items() if n not in LEFT_OUT})


def settings_listing(runs: Sequence[Asked]) -> Listing:
    names = list(dict.fromkeys(name for run in runs for name in run.settings))
    shared = [name for name in names if one_value(runs, name)]
    tasks, methods = by_name(runs, "task"), by_name(runs, "method")
    of_task = [
        name
        for name in names
        if name not in shared and all(one_value(those, name) for those in tasks.values())
    ]
    of_method = [name for name in names if name not in {*shared, *of_task}]
    rows = [["all runs", told(runs, shared)]]
    rows += [[task, told(those, of_task)] for task, those in tasks.items() if of_task]
    rows += [[method, told(those, of_method)] for method, those in methods.items() if of_method]
    return Listing("What was run", CAPTION, ("of", "settings"), rows)


def by_name(runs: Sequence[Asked], which: str) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {}
    for run in runs:
        found.setdefault(run.task if which == "task" else run.method, []).append(run)
    return found


def one_value(runs: Sequence[Asked], name: str) -> bool:
    return len({run.settings.get(name) for run in runs}) == 1


def told(runs: Sequence[Asked], names: Iterable[str]) -> str:
    """The settings of those runs that have them; several values where they differ."""
    parts: list[str] = []
    for name in names:
        values = dict.fromkeys(run.settings[name] for run in runs if name in run.settings)
        if values:
            parts.append(f"{name} {' or '.join(values)}")
    return "; ".join(parts)
