"""Draws m → loss landscape → f* → π → J."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from road.theory.figures.canvas import BLUE, GREEN, GREY, INK, ORANGE, SOFT, canvas, mark


def draw(numbers: Mapping[str, Any]) -> dict[str, Figure]:
    figure = canvas(10.0, 6.2)
    upper, lower = figure.subplots(2, 3)
    first, second = np.array(numbers["first"]), np.array(numbers["second"])
    for axes, ratio, loss in zip(upper, numbers["shown"], numbers["losses"], strict=True):
        axes.contour(
            first, second, np.sqrt(np.array(loss)), levels=11, cmap="Greys_r", linewidths=0.8
        )
        axes.set_title(f"inner loss at m = {ratio:g}")
        path_on(axes, numbers, ratio)
    upper[0].set_ylabel("θ₂")
    draw_plane(figure, lower[0], numbers)
    draw_returns(lower[1], numbers)
    draw_slope(lower[2], numbers)
    return {"landscape": figure}


def path_on(axes: Axes, numbers: Mapping[str, Any], ratio: float) -> None:
    """Where the optimum goes as m moves, and where it is now."""
    path = np.array(numbers["path"])
    here = path[int(np.argmin(np.abs(np.array(numbers["ratios"]) - ratio)))]
    axes.plot(*path.T, color=BLUE, linewidth=1.2)
    axes.plot(*here, "o", color=ORANGE, markersize=7.0)
    ends(axes, path, BLUE)
    axes.set_xlabel("θ₁")
    axes.set_aspect("equal")


def ends(axes: Axes, path: np.ndarray, colour: str) -> None:
    for place, name, shift in ((path[0], "m = 0", (-4, -13)), (path[-1], "m = 1", (5, 5))):
        axes.plot(*place, "o", color=colour, markersize=3.0)
        axes.annotate(
            name, place, xytext=shift, textcoords="offset points", color=colour, fontsize=8
        )


def draw_plane(figure: Figure, axes: Axes, numbers: Mapping[str, Any]) -> None:
    image = axes.pcolormesh(
        numbers["first"],
        numbers["second"],
        np.array(numbers["plane_returns"]),
        cmap="YlGn",
        alpha=0.75,
        shading="nearest",
        rasterized=True,
    )
    figure.colorbar(image, ax=axes, shrink=0.8)
    path = np.array(numbers["path"])
    axes.plot(*path.T, color=INK, linewidth=1.2)
    ends(axes, path, INK)
    axes.set_title("return J of the policy of θ")
    axes.set(xlabel="θ₁", ylabel="θ₂")
    axes.set_aspect("equal")


def draw_returns(axes: Axes, numbers: Mapping[str, Any]) -> None:
    ratios, returns = np.array(numbers["ratios"]), np.array(numbers["true"])
    axes.plot(ratios, returns, color=GREEN, label="two features")
    axes.plot(
        ratios[1:-1],
        numbers["tabular"],
        color=GREY,
        linestyle="--",
        label="tabular: m has no effect",
    )
    best = int(returns.argmax())
    axes.plot(ratios[best], returns[best], "o", color=GREEN)
    axes.annotate(f"best m = {ratios[best]:.2f}", (ratios[best], returns[best]), xytext=(0, 7),
                  textcoords="offset points", color=GREEN, ha="center", fontsize=8)  # fmt: skip
    axes.margins(y=0.2)
    axes.set_title("true return J(m)")
    axes.set_xlabel("offline ratio m")
    axes.legend(loc="best")


def draw_slope(axes: Axes, numbers: Mapping[str, Any]) -> None:
    ratios = np.array(numbers["ratios"])
    axes.plot(ratios, numbers["perceived"], color=ORANGE)
    axes.set_title("what the critic perceives, G(m)")
    axes.set_xlabel("offline ratio m")
    best = ratios[int(np.argmax(numbers["true"]))]
    mark(axes, best)
    axes.annotate("best for J", (best, max(numbers["perceived"])), xytext=(4, -8),
                  textcoords="offset points", color=SOFT, fontsize=8)  # fmt: skip
    axes.tick_params(labelcolor=INK)
