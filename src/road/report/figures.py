"""Learning curves and offline ratios as files for a paper, drawn with matplotlib.

The page has its own drawings and needs only NumPy; this module is imported when it is asked for.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from road.errors import UsageError
from road.files import replacing, storage_errors
from road.records.journal import Floats
from road.records.naming import shorten
from road.records.reader import load_run
from road.records.scores import scored
from road.records.summary import summarise
from road.report.draw.palette import LIGHT_SERIES
from road.report.run.groups import Compared, Group, compare, group

FORMATS = ("png", "pdf")
INCHES = (5.5, 3.4)
DOTS_PER_INCH = 200
Draw = Callable[[Any, Group, str], None]


def write_figures(folders: Sequence[Path], out: Path) -> list[Path]:
    """Draw score and offline ratio over online steps, a figure of each for every task.

    Raises:
        UsageError: no folder was given, or one of them holds no run.
        StorageError: a run cannot be read, or a figure cannot be written.
    """
    if not folders:
        raise UsageError("figures need at least one run folder, got none")
    records = [load_run(folder) for folder in folders]
    groups = group(compare(records, [summarise(record) for record in records]))
    tasks = list(dict.fromkeys(one.first.task for one in groups))
    with storage_errors(f"write to {out}"):
        out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for number, task in enumerate(tasks):
        ours = [one for one in groups if one.first.task == task]
        prefix = "" if len(tasks) == 1 else f"{file_name(task)}-{number + 1}-"
        for name, label, draw in (
            ("learning-curve", score_label(ours), draw_scores),
            ("offline-ratio", "offline ratio m", draw_ratios),
        ):
            figure = drawn(ours, shorten(task, 80), label, draw)
            written += [write(figure, out / f"{prefix}{name}.{kind}") for kind in FORMATS]
    return written


def file_name(task: str) -> str:
    return re.sub(r"[^\w.-]+", "-", task, flags=re.ASCII)[:80].strip(".-") or "task"


def score_label(groups: Sequence[Group]) -> str:
    return "return" if any(one.first.raw for one in groups) else "normalised score"


def drawn(groups: Sequence[Group], title: str, label: str, draw: Draw) -> Figure:
    figure = Figure(figsize=INCHES, layout="constrained")
    axes: Any = figure.add_subplot()
    for index, one in enumerate(groups):
        draw(axes, one, LIGHT_SERIES[index % len(LIGHT_SERIES)])
    axes.set_xlabel("environment steps")
    axes.set_ylabel(label)
    axes.set_title(plain_text(title), fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize="small")
    return figure


def draw_scores(axes: Any, one: Group, colour: str) -> None:
    """The mean over seeds with its standard deviation, over what all seeds have been judged at."""
    curves = [curve(each) for each in shown(one)]
    steps = common_steps([steps for steps, _ in curves])
    if not steps.size:
        return
    seeds = np.array([scores[np.isin(own, steps)] for own, scores in curves])
    mean = seeds.mean(axis=0)
    axes.plot(steps, mean, color=colour, label=name_of(one))
    if len(seeds) > 1:
        spread = seeds.std(axis=0, ddof=1)
        axes.fill_between(steps, mean - spread, mean + spread, color=colour, alpha=0.18, lw=0)


def draw_ratios(axes: Any, one: Group, colour: str) -> None:
    """The realised ratio of every seed, period by period."""
    for index, each in enumerate(shown(one)):
        periods = each.run.periods
        label = name_of(one) if index == 0 else None
        axes.plot(periods["step"], periods["realised_ratio"], color=colour, lw=0.9, label=label)
    axes.set_ylim(-0.02, 1.02)


def shown(one: Group) -> list[Compared]:
    """What is averaged; where nothing is finished, all there is."""
    return [each for each in one.members if not each.left_out] or list(one.members[:1])


def curve(each: Compared) -> tuple[Floats, Floats]:
    """Online steps and scores; of a step that is there twice the last."""
    rows = scored(each.run, "online")
    steps, last = np.unique(rows["step"][::-1], return_index=True)
    return steps, rows["score"][::-1][last]


def common_steps(steps: Sequence[Floats]) -> Floats:
    common = steps[0]
    for other in steps[1:]:
        common = np.intersect1d(common, other)
    return common


def name_of(one: Group) -> str:
    count = len(one.finals)
    seeds = f" ({count} seeds)" if count > 1 else "" if count else " (not finished)"
    return plain_text(shorten(one.label, 60) + seeds)


def plain_text(text: str) -> str:
    """Matplotlib reads dollars as formulas."""
    return text.replace("$", r"\$")


def write(figure: Figure, path: Path) -> Path:
    """Whole or not at all, and the same bytes for the same runs."""
    kind = path.suffix[1:]
    metadata = {"CreationDate": None} if kind == "pdf" else {"Software": None}
    with storage_errors(f"write {path}"), replacing(path) as file:
        figure.savefig(file, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return path
