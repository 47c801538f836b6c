"""The tables of ``docs/tasks.md``, drawn from the catalogue.

``python -m tests.tasks.tables`` writes them into the page; a test compares.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from road.tasks.catalogue import PAPER_TASKS, TASKS
from road.tasks.defaults import FAMILIES
from road.tasks.task import Affine, ReturnRange, Task

PAGE = Path(__file__).parents[2] / "docs" / "tasks.md"

TRIED = {
    "kitchen-complete": "the genuine file is read and corrected",
    **dict.fromkeys(
        [f"{b}-{q}" for b in ("hopper", "halfcheetah") for q in ("random", "medium", "expert")],
        "20,000 rows of v5 are read and score as they should",
    ),
    **dict.fromkeys(
        ["pen-binary", "door-binary"],
        "an expert's log of 6,000 rows is read and its rewards are recomputed",
    ),
    "antmaze-umaze": "20,000 rows of D4RL's ant are read, and its steps happen again to 10⁻⁶",
    "relocate-binary": "an expert gets its reward where it succeeds",
}
"""What was done with a task beyond training on a made-up log."""


def task_table(tasks: Iterable[Task]) -> str:
    head = ["task", "environment", "data", "learnt reward", "horizon", "scores 0 and 100 at"]
    rows = [
        [
            f"`{task.name}`",
            f"`{task.environment_id}`",
            f"`{task.source}`" if task.source else "made by the task",
            rewards(task),
            str(task.horizon),
            f"{task.score.minimum:g}, {task.score.maximum:g}",
        ]
        for task in tasks
    ]
    return table(head, rows)


def tried_table() -> str:
    rows = [[f"`{t.name}`", TRIED[t.name]] for t in PAPER_TASKS if t.name in TRIED]
    return table(["task", "where real data is at hand"], rows)


def settings_table() -> str:
    rows = [
        [family, f"`{chosen.group}`", fields(chosen.fields), chosen.source]
        for family, entries in FAMILIES.items()
        for chosen in entries
    ]
    return table(["family", "of", "settings", "source"], rows)


def rewards(task: Task) -> str:
    """The usual transform, then agents with another one, those of one kind together."""
    others: dict[str, list[str]] = {}
    for agent, reward in task.rewards.items():
        others.setdefault(formula(reward), []).append(agent)
    return "; ".join(
        [formula(task.reward), *(f"{', '.join(who)}: {what}" for what, who in others.items())]
    )


def formula(reward: Affine | ReturnRange) -> str:
    if isinstance(reward, ReturnRange):
        return f"{reward.width:g} r / range of returns"
    scaled = "r" if reward.scale == 1.0 else f"{reward.scale:g} r"
    if reward.shift == 0.0:
        return scaled
    return f"{scaled} {'−' if reward.shift < 0 else '+'} {abs(reward.shift):g}"


def fields(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}` {value}" for name, value in settings.items())


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


TABLES = {
    "embedded": lambda: task_table(task for task in TASKS.values() if task.source is None),
    "paper": lambda: task_table(PAPER_TASKS),
    "minari": lambda: task_table(t for t in TASKS.values() if t.name.endswith("-minari")),
    "tried": tried_table,
    "settings": settings_table,
}


def drawn(page: str) -> str:
    """The page with every table drawn again between its two marks."""
    for name, draw in TABLES.items():
        marks = rf"(<!-- table: {name} -->\n\n).*?(\n\n<!-- end -->)"
        page, found = re.subn(marks, lambda m, d=draw: m[1] + d() + m[2], page, flags=re.DOTALL)
        assert found == 1, f"{PAGE} has no place for the table {name}"
    return page


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text("utf-8")), "utf-8")
