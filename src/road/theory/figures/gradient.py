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
    figure = canvas(11.0, 7.4)
    (values, gradients), (everywhere, rising) = figure.subplots(2, 2)
    draw_values(values, numbers["curves"])
    draw_gradients(gradients, numbers["curves"])
    agreement = numbers["agreement"]
    draw_agreement(everywhere, agreement, "all")
    name_rows(everywhere, [written(name) for name in next(iter(agreement.values()))])
    everywhere.set_title("How often has it the sign of dJ/dm?")
    draw_agreement(rising, agreement, "J rises")
    rising.set_yticks([])
    rising.spines["left"].set_visible(False)
    rising.set_title("And where J rises with m?")
    figure.legend(*rising.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return {"gradient": figure}


def draw_values(axes: Axes, curves: Mapping[str, Any]) -> None:
    axes.plot(curves["ratios"], curves["J"], color=GREEN, label="true return J")
    other = axes.twinx()
    other.plot(curves["ratios"], curves["G"], color=ORANGE)
    other.spines["right"].set_visible(True)
    other.tick_params(labelcolor=ORANGE)
    axes.tick_params("y", labelcolor=GREEN)
    axes.set_title("True and perceived value where they disagree the most")
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
    axes.legend(loc="upper center", fontsize=7)


def draw_agreement(axes: Axes, agreement: Mapping[str, Mapping[str, Any]], case: str) -> None:
    looks = zip((0.22, 0.0, -0.22), (PURPLE, BLUE, GREEN), agreement.items(), strict=True)
    for offset, colour, (when, found) in looks:
        bars(
            axes, {name: each[case] for name, each in found.items()}, [colour] * len(found), offset
        )
        axes.plot([], [], "o-", color=colour, label=when)
    mark(axes, 0.5, "--")
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("share of equal signs")


def written(name: str) -> str:
    return name.replace("one step: ", "one step, judge:\n").replace("d^π", "$d^\\pi$")
