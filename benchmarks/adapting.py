"""The README's figure: one mixer, on logs that are right and on logs that are wrong.

    python -m benchmarks.adapting [--seeds 3] [--runs FOLDER]
    python -m benchmarks.adapting --draw

Runs ``road train`` with the defaults of two pendulum tasks, one with correct logs and one in whose
logs every action is reversed: with ``validated``, and with half of every batch offline. It keeps
what the figure shows as ``records/adapting.json`` and draws ``docs/images/adapting.svg`` from it;
``--draw`` only draws.
The run folders are kept: killed and started again, it continues the run that it was in.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.learning import train
from benchmarks.machine import ROOT, describe_commit, describe_machine
from road.report import load_run
from road.report.draw.axes import Scale, Timeline, fit_scale, y_axis
from road.report.draw.document import WIDTH, heading, place, write_picture
from road.report.draw.markup import Markup, tag
from road.report.draw.palette import series_colour
from road.report.draw.svg import line, pixels, plot, stretch
from road.statistics import Floats

RECORD = ROOT / "benchmarks" / "records" / "adapting.json"
PICTURE = ROOT / "docs" / "images" / "adapting.svg"
TASKS = {"pendulum-mixed": "Correct logs", "pendulum-flipped": "Logs with every action reversed"}
"""The tasks, and what the figure calls them."""
STRATEGIES = {
    "validated": ("--mixer", "validated"),
    "fixed 0.5": ("--mixer", "fixed", "--fixed.offline-ratio", "0.5"),
}
COLOURS = {"validated": series_colour(0), "fixed 0.5": "var(--offline)"}
LEGEND = {"validated": "validated", "fixed 0.5": "half of every batch"}
LEFTS, ACROSS = (72.0, 544.0), 384.0
RATIO_TOP, RATIO_HEIGHT = 128.0, 140.0
SCORE_TOP, SCORE_HEIGHT = 336.0, 180.0


@dataclass(frozen=True)
class Curves:
    """One quantity of one strategy on one task: ``[seed, step]``."""

    steps: Floats
    seeds: Floats


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adapting", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--runs", type=Path, default=Path("runs") / "adapting")
    parser.add_argument("--draw", action="store_true")
    flags = parser.parse_args()
    if not flags.draw:
        measure(flags.seeds, flags.runs)
    print(draw(json.loads(RECORD.read_text()), PICTURE))


def measure(seeds: int, runs: Path) -> None:
    cells: list[dict[str, Any]] = []
    for seed in range(seeds):
        for task in TASKS:
            for strategy, words in STRATEGIES.items():
                folder = runs / f"{task}__{strategy.replace(' ', '-')}__s{seed}"
                train(folder, [task, *words, "--seed", str(seed)])
                cells.append({"task": task, "strategy": strategy, "seed": seed, **read(folder)})
    kept = {**describe_commit(), "machine": describe_machine(), "cells": cells}
    RECORD.write_text(json.dumps(kept, indent=1) + "\n")


def read(folder: Path) -> dict[str, list[list[float]]]:
    """The ratio of every period and every online score, each with its step."""
    run = load_run(folder)
    scores = run.evaluations.in_phase("online")
    return {
        "ratios": pairs(run.periods["step"], run.periods["offline_ratio"]),
        "scores": pairs(scores["step"], scores["score"]),
    }


def pairs(steps: Floats, values: Floats) -> list[list[float]]:
    return [
        [float(step), round(float(value), 3)] for step, value in zip(steps, values, strict=True)
    ]


def draw(record: dict[str, Any], out: Path) -> Path:
    cells = record["cells"]
    columns = [
        part
        for left, (task, title) in zip(LEFTS, TASKS.items(), strict=True)
        for part in column([cell for cell in cells if cell["task"] == task], left, title, cells)
    ]
    return write_picture(
        out, WIDTH, SCORE_TOP + SCORE_HEIGHT + 56, *legend(cells), *columns, label=label_of(cells)
    )  # fmt: skip


def column(cells: list[dict[str, Any]], left: float, title: str, every: Any) -> list[Markup]:
    """The ratio above the score, for one task."""
    last_step = max(step for cell in cells for step, _ in cell["scores"])
    ratio, timeline = Scale(-0.03, 1.03, RATIO_HEIGHT), Timeline(0.0, last_step)
    score = fit_scale(SCORE_HEIGHT, values_of(every, "scores"), zero=True)
    return [
        heading(title, RATIO_TOP - 58, left),
        caption(f"task {cells[0]['task']}", left, RATIO_TOP - 38),
        caption("offline ratio m", left, RATIO_TOP - 12),
        place(panel(cells, "ratios", ratio, timeline, timeline.bare_axis(ratio.height)),
              left, RATIO_TOP, ACROSS),
        caption("score", left, SCORE_TOP - 12),
        place(panel(cells, "scores", score, timeline, timeline.axis(score.height)),
              left, SCORE_TOP, ACROSS),
    ]  # fmt: skip


def panel(
    cells: list[dict[str, Any]], name: str, scale: Scale, timeline: Timeline, axis: list[Markup]
) -> Markup:
    lines: list[Markup] = []
    for strategy in reversed(STRATEGIES):
        curves = curves_of(cells, strategy, name)
        x, colour = timeline.place("online", curves.steps), COLOURS[strategy]
        lines += [line(x, scale(seed), "seed", colour) for seed in curves.seeds]
        lines.append(line(x, scale(curves.seeds.mean(axis=0)), "curve", colour))
    return plot(scale.height, *y_axis(scale, 5), *axis, stretch(scale.height, *lines), label=name)


def curves_of(cells: list[dict[str, Any]], strategy: str, name: str) -> Curves:
    rows = np.array([cell[name] for cell in cells if cell["strategy"] == strategy])
    return Curves(rows[0, :, 0], rows[:, :, 1])


def values_of(cells: list[dict[str, Any]], name: str) -> Floats:
    return np.array([value for cell in cells for _, value in cell[name]])


def legend(cells: list[dict[str, Any]]) -> list[Markup]:
    seeds = len({cell["seed"] for cell in cells})
    marks: list[Markup] = []
    for place_of, (strategy, colour) in zip((72.0, 176.0), COLOURS.items(), strict=True):
        stroke = f"stroke:{colour};stroke-width:3"
        marks.append(tag("line", x1=place_of, x2=place_of + 22, y1=26, y2=26, style=stroke))
        marks.append(caption(LEGEND[strategy], place_of + 30, 31.0))
    return [*marks, caption(f"agent IQL; thick lines are means of {seeds} seeds", 356.0, 31.0)]


def caption(content: str, x: float, y: float) -> Markup:
    return tag("text", content, x=pixels(x), y=pixels(y), class_="entry")


def label_of(cells: list[dict[str, Any]]) -> str:
    """The figure in words: where ratios and scores end."""
    return "; ".join(
        f"{task}, {strategy}: ratio {last(cells, task, strategy, 'ratios'):.2f}, "
        f"score {last(cells, task, strategy, 'scores'):.0f} at the end"
        for task in TASKS
        for strategy in STRATEGIES
    )


def last(cells: list[dict[str, Any]], task: str, strategy: str, name: str) -> float:
    """The mean over seeds at the end of the run."""
    of_task = [cell for cell in cells if cell["task"] == task]
    return float(curves_of(of_task, strategy, name).seeds[:, -1].mean())


if __name__ == "__main__":
    main()
