"""Draws the example MDP: one reading as curves, all readings as a map."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from road.theory.figures.canvas import BLUE, INK, ORANGE, SOFT, canvas, curve, level, math

ROWS = {
    "return": "return",
    "offline_advantage": "$Δ_{off}$",
    "online_advantage": "$Δ_{on}$",
    "credit": "$R_q$",
}
VERDICTS = ListedColormap(["#e08a4f", "#eceeef", "#0067a6"])


def draw(numbers: Mapping[str, Any]) -> dict[str, Figure]:
    return {"chain": draw_demo(numbers), "chain-readings": draw_readings(numbers)}


def draw_demo(numbers: Mapping[str, Any]) -> Figure:
    figure = canvas(9.0, 8.0)
    grid = figure.subplots(len(ROWS), 2, sharex=True, sharey="row")
    for column, data in enumerate(("low", "high")):
        for axes, what in zip(grid[:, column], ROWS, strict=True):
            for ratio, colour in ((0.1, ORANGE), (0.5, BLUE)):
                found = numbers["demo"][f"{data} {ratio}"][what]
                curve(axes, numbers["steps"], found, colour, label=f"m = {ratio}")
            level(axes, 0.0) if what != "return" else level(axes, 0.9**4, "--")
        grid[0, column].set_title(
            f"{data}er-quality data" if data == "low" else "higher-quality data"
        )
        grid[-1, column].set_xlabel("online step")
    for axes, name in zip(grid[:, 0], ROWS.values(), strict=True):
        axes.set_ylabel(name)
    grid[0, 0].legend(loc="lower right")
    grid[0, 0].annotate("optimal", (20, 0.9**4), xytext=(0, -10), textcoords="offset points",
                        color=SOFT, fontsize=8)  # fmt: skip
    grid[0, 1].annotate("both ratios", (500, 0.9**4), xytext=(0, -11), textcoords="offset points",
                        color=SOFT, fontsize=8, ha="center")  # fmt: skip
    return figure


def draw_readings(numbers: Mapping[str, Any]) -> Figure:
    """Claims down, readings across."""
    figure = canvas(12.0, 3.6)
    axes = figure.subplots()
    readings = sorted(numbers["map"], key=order)
    cells = np.array([each["verdict"] for each in readings]).T
    axes.pcolormesh(
        cells[::-1],
        cmap=VERDICTS,
        vmin=-1,
        vmax=1,
        edgecolors="white",
        linewidth=0.3,
        rasterized=True,
    )
    for row, claim in enumerate(numbers["claims"][::-1]):
        held = numbers["counts"][claim]
        text = f"{held['holds']}" + (f" (reversed {held['reversed']})" if held["reversed"] else "")
        axes.text(cells.shape[1] + 1, row + 0.5, text, va="center", fontsize=8, color=INK)
    axes.set_yticks(np.arange(len(cells)) + 0.5, [math(claim) for claim in numbers["claims"][::-1]])
    name_groups(axes, [group(each) for each in readings])
    axes.tick_params(length=0.0, labelcolor=INK)
    axes.spines[:].set_visible(False)
    axes.set_title(
        f"{cells.shape[1]} readings of the example: blue holds, orange reversed, grey not seen"
    )
    return figure


def order(verdict: Mapping[str, Any]) -> tuple[Any, ...]:
    reading = verdict["reading"]
    return (
        reading["reward"], reading["initial"], reading["samples"], reading["length"],
        reading["epsilon"], reading["suboptimal"],
    )  # fmt: skip


def group(verdict: Mapping[str, Any]) -> str:
    reading = verdict["reading"]
    return f"{reading['reward']} reward\nQ {reading['initial']}\n{rows(reading)}"


def rows(reading: Mapping[str, Any]) -> str:
    return "1 row" if reading["samples"] == 1 else f"{reading['samples']} rows"


def name_groups(axes: Axes, groups: list[str]) -> None:
    """One label below each block of readings that share reward, start and samples."""
    starts = [i for i, name in enumerate(groups) if i == 0 or groups[i - 1] != name]
    for start in starts[1:]:
        axes.axvline(start, color=INK, linewidth=0.8)
    width = len(groups) / len(starts)
    axes.set_xticks([start + width / 2 for start in starts], [groups[start] for start in starts])
    axes.tick_params("x", labelsize=7.5)
