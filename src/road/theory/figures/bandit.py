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
    axes.set(xlabel="pull", ylabel="regret against the oracle")


def draw_recorded(axes: Axes, recorded: Mapping[str, Any]) -> None:
    """As a share of what uniform choice misses."""
    for offset, quality, colour in ((0.12, "low", ORANGE), (-0.12, "high", BLUE)):
        regret = recorded[quality]["regret"]
        unit = regret["uniform"]["mean"]
        shown = {
            name: {part: each[part] / unit for part in ("mean", "low", "high")}
            for name, each in regret.items()
        }
        bars(axes, shown, [colour] * len(shown), offset)
        axes.plot([], [], "o-", color=colour, label=f"{quality}-quality data")
    name_rows(axes, list(recorded["low"]["regret"]))
    axes.set_xlim(left=0.0)
    axes.set_title("On $R_q$ recorded on the chain")
    axes.set_xlabel("regret, uniform choice = 1")
    axes.legend(loc="lower right", bbox_to_anchor=(0.75, 0.02))


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
