"""Draws the gradients in m and how often each has the true sign."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from road.theory.figures.canvas import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    bars,
    canvas,
    level,
    mark,
    name_rows,
)


def draw(numbers: Mapping[str, Any]) -> dict[str, Figure]:
    figure = canvas(11.0, 3.9)
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.0, 1.0, 1.25])
    draw_values(left, numbers["curves"])
    draw_gradients(middle, numbers["curves"])
    draw_agreement(right, numbers["agreement"])
    return {"gradient": figure}


def draw_values(axes: Axes, curves: Mapping[str, Any]) -> None:
    axes.plot(curves["ratios"], curves["J"], color=GREEN, label="true return J")
    other = axes.twinx()
    other.plot(curves["ratios"], curves["G"], color=ORANGE)
    other.spines["right"].set_visible(True)
    other.tick_params(labelcolor=ORANGE)
    axes.tick_params("y", labelcolor=GREEN)
    axes.set_title("One problem: J falls while G rises")
    axes.set_xlabel("offline ratio m")
    axes.set_ylabel("true return J", color=GREEN)
    other.set_ylabel("perceived value G", color=ORANGE)


def draw_gradients(axes: Axes, curves: Mapping[str, Any]) -> None:
    found = curves["gradients"]
    for name, values, colour, style in (
        ("true return", found["true"], GREEN, "-"),
        ("perceived value", found["perceived"], ORANGE, "-"),
        ("perceived, $d^\\pi$ frozen", found["frozen"], ORANGE, ":"),
        ("as printed", curves["printed"], PURPLE, "--"),
    ):
        axes.plot(curves["ratios"], values, color=colour, linestyle=style, label=name)
    level(axes, 0.0)
    reach = 1.15 * float(np.abs(found["true"]).max())
    axes.set_ylim(-reach, reach)
    axes.set_title("Its gradients in m")
    axes.set_xlabel("offline ratio m")
    axes.legend(loc="upper right", fontsize=7)


def draw_agreement(axes: Axes, agreement: Mapping[str, Mapping[str, Any]]) -> None:
    looks = zip((0.22, 0.0, -0.22), (PURPLE, BLUE, GREEN), agreement.items(), strict=True)
    for offset, colour, (when, found) in looks:
        bars(axes, found, [colour] * len(found), offset)
        axes.plot([], [], "o-", color=colour, label=when)
    names = next(iter(agreement.values()))
    name_rows(
        axes,
        [
            name.replace("one step: ", "one step, judge:\n").replace("d^π", "$d^\\pi$")
            for name in names
        ],
    )
    mark(axes, 0.5, "--")
    axes.set_xlim(0.3, 1.0)
    axes.set_title("How often has it the sign of dJ/dm?")
    axes.set_xlabel("share of equal signs (0.5 is a coin)")
    axes.legend(loc="upper right")
