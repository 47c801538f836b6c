"""Draws the bias theorems and the range in which the formula for rho holds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from road.theory.figures.canvas import BLUE, GREY, INK, ORANGE, canvas, level, mark


def draw(numbers: Mapping[str, Any]) -> dict[str, Figure]:
    figure = canvas(11.0, 3.7)
    left, middle, right = figure.subplots(1, 3)
    draw_theorem(left, numbers)
    draw_range(middle, numbers)
    draw_map(figure, right, numbers)
    return {"bias": figure}


def draw_theorem(axes: Axes, numbers: Mapping[str, Any]) -> None:
    predicted = np.ravel(numbers["predicted_bias"])
    for name, what, colour, marker in (
        ("policy-gradient step", "gradient_step", BLUE, "o"),
        ("softmax step", "softmax", ORANGE, "x"),
    ):
        found = np.ravel(numbers[f"{what}_bias"])
        axes.errorbar(predicted, found, 1.96 * np.ravel(numbers[f"{what}_error"]), fmt=marker,
                      color=colour, markersize=4, linewidth=0.8, label=name)  # fmt: skip
    ends = np.array([predicted.min(), predicted.max()])
    axes.plot(ends, ends, color=GREY, linewidth=0.8, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel="β E Var(ε)", ylabel="E[Bias], Monte Carlo")
    axes.set_title("The bias is β E Var(ε)")
    axes.legend(loc="upper left")


def draw_range(axes: Axes, numbers: Mapping[str, Any]) -> None:
    axes.plot(numbers["fine_widths"], numbers["exact_over_formula"], color=BLUE, label="exact")
    ratios = np.array(numbers["ratio_over_formula"])
    axes.plot(numbers["widths"], ratios[0], "o", color=BLUE, markersize=4, label="Monte Carlo")
    level(axes, 1.0)
    edge = numbers["width_of_ten_percent"]
    mark(axes, edge, "--")
    axes.annotate(f"10 % off at s = {edge:.2f} $λ_ε$", (edge, 1.05), xytext=(5, 0),
                  textcoords="offset points", color=INK, fontsize=8)  # fmt: skip
    axes.set(xscale="log", ylim=(0.0, 1.12), xlabel="policy width s / error length $λ_ε$")
    axes.set_title("ρ over its formula")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 0.05))


def draw_map(figure: Figure, axes: Axes, numbers: Mapping[str, Any]) -> None:
    ratios = np.array(numbers["ratio_over_formula"])
    image = axes.pcolormesh(
        numbers["widths"], numbers["amplitudes"], ratios, cmap="Blues", vmin=0.0, vmax=1.1,
        shading="nearest", rasterized=True,
    )  # fmt: skip
    axes.contour(numbers["widths"], numbers["amplitudes"], ratios, levels=[0.9], colors=ORANGE)
    figure.colorbar(image, ax=axes)
    axes.plot([], [], color=ORANGE, label="0.9: valid to the left")
    axes.set(xscale="log", yscale="log", xlabel="policy width s / error length $λ_ε$",
             ylabel="error amplitude β σ")  # fmt: skip
    axes.set_title("The same for a softmax step")
    axes.legend(loc="upper right")
