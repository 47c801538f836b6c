"""Draws regret where arms move."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from road.theory.figures.canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    YELLOW,
    bars,
    canvas,
    curve,
    mark,
    name_rows,
)

COLOURS = {
    "sliding window": BLUE,
    "sliding window, c = 2": SKY,
    "UCB1 (no forgetting)": ORANGE,
    "discounted UCB": GREEN,
    "Thompson sampling": PURPLE,
    "uniform": YELLOW,
    "best single arm": GREY,
}


def draw(numbers: Mapping[str, Any]) -> dict[str, Figure]:
    figure = canvas(11.0, 7.4)
    (abrupt, slow), (recorded, order) = figure.subplots(2, 2)
    draw_drift(abrupt, numbers["drifts"]["abrupt"], "Arms that change places four times")
    draw_drift(slow, numbers["drifts"]["slow"], "Arms that drift slowly")
    handles, names = abrupt.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=7)
    draw_recorded(recorded, numbers["recorded"])
    draw_order(order, numbers["order"])
    return {"bandit": figure}


def draw_drift(axes: Axes, found: Mapping[str, Any], title: str) -> None:
    for name, each in found.items():
        points = len(each["mean"])
        curve(
            axes, [2000 / points * (i + 1) for i in range(points)], each, COLOURS[name], label=name
        )
    axes.set_title(title)
    axes.set(xlabel="pull", ylabel="summed regret against the oracle")


def draw_recorded(axes: Axes, recorded: Mapping[str, Any]) -> None:
    for offset, kind, colour, text in (
        (0.22, "low", ORANGE, "chain, low-quality data"),
        (0.0, "high", BLUE, "chain, high-quality data"),
        (-0.22, "real", GREEN, "nine training runs"),
    ):
        regret = recorded[kind]["regret"]
        bars(axes, regret, [colour] * len(regret), offset)
        axes.plot([], [], "o-", color=colour, label=text)
    name_rows(axes, list(recorded["low"]["regret"]))
    mark(axes, 1.0, "--")
    axes.set_xlim(left=0.0)
    axes.set_title("On recorded $R_q$")
    axes.set_xlabel("regret, an even choice = 1")
    axes.legend(loc="center left")


def draw_order(axes: Axes, order: Mapping[str, Any]) -> None:
    horizons = np.array(order["horizons"], float)
    for name, found in order["regret"].items():
        grows = order["exponent"][name]
        text = f"{name}: {power(grows['mean'])}, late {power(grows['late'])}"
        curve(axes, order["horizons"], found, COLOURS[name], marker="o", markersize=4, label=text)
    bound = np.sqrt(horizons * np.log(horizons))
    scale = order["regret"]["sliding window"]["mean"][0] / bound[0]
    text = f"slope of the bound: {power(order['exponent_of_bound'])}"
    axes.plot(horizons, 0.6 * scale * bound, color=INK, linestyle="--", label=text)
    axes.set(
        xscale="log", yscale="log", xlabel="horizon T (four breaks)", ylabel="regret at the end"
    )
    axes.set_title("How regret grows")
    axes.legend(loc="upper left")


def power(exponent: float) -> str:
    return f"$T^{{{exponent:.2f}}}$"
