"""Draws what the choosers miss, and what the credits are worth."""

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
    RED,
    SKY,
    SOFT,
    YELLOW,
    bars,
    canvas,
    curve,
    level,
    mark,
    math,
    name_rows,
)

COLOURS = {
    "Fixed 0.1": "#b9bec4",
    "Fixed 0.5": GREY,
    "Fixed 0.9": "#5b636d",
    "Uniform": YELLOW,
    "ROAD": BLUE,
    "ROAD, standardised": SKY,
    "bandit on true J": PURPLE,
    "arm of best R_q": RED,
    "exact best ratio": INK,
    "Algorithm 1, sources": GREEN,
    "Algorithm 1, pairs": "#4f8f00",
}
OFF_SCALE = "Algorithm 1, pairs"
"""So much better that it would flatten every other curve."""


def draw(numbers: Mapping[str, Any]) -> dict[str, Figure]:
    return {"bilevel": draw_choosers(numbers), "bilevel-credits": draw_credits(numbers["credits"])}


def draw_choosers(numbers: Mapping[str, Any]) -> Figure:
    figure = canvas(11.0, 7.6)
    (regret, data), (returns, chain) = figure.subplots(2, 2)
    random = numbers["random"]
    draw_curves(regret, random, "regret", skip=OFF_SCALE)
    level(regret, 0.0)
    regret.set_ylabel("return missed so far")
    regret.set_title("Summed regret against the best ratio of each round")
    pairs = random[OFF_SCALE]["regret"]["mean"][-1]
    regret.annotate(f"Algorithm 1 on pairs ends at {pairs:.0f}".replace("-", "−"), (0.03, 0.04),
                    xycoords="axes fraction", color=COLOURS[OFF_SCALE], fontsize=8)  # fmt: skip
    draw_by_data(data, random)
    draw_curves(returns, random, "beside_exact", skip=OFF_SCALE)
    level(returns, 0.0)
    returns.set_ylabel("difference in J")
    returns.set_title("True return, less that of the exact best ratio")
    draw_chain(chain, numbers["chain"])
    handles, names = chain.get_legend_handles_labels()
    figure.legend(handles, [math(name) for name in names], loc="outside lower center", ncols=6)
    return figure


def draw_curves(axes: Axes, found: Mapping[str, Any], what: str, skip: str = "") -> None:
    for name, each in found.items():
        if name != skip:
            steps = list(range(1, len(each[what]["mean"]) + 1))
            curve(axes, steps, each[what], COLOURS[name], label=name)
    axes.set_xlabel("iteration of fitted Q-learning")


def draw_by_data(axes: Axes, found: Mapping[str, Any]) -> None:
    shown = {
        name: each for name, each in found.items() if name not in (OFF_SCALE, "exact best ratio")
    }
    for offset, quality, colour in (
        (0.22, "poor", ORANGE),
        (0.0, "mixed", GREY),
        (-0.22, "good", BLUE),
    ):
        bars(axes, {name: each["regret_by_data"][quality] for name, each in shown.items()},
             [colour] * len(shown), offset)  # fmt: skip
        axes.plot([], [], "o-", color=colour, label=f"{quality} data")
    name_rows(axes, [math(name) for name in shown])
    mark(axes, 0.0)
    axes.set_title("Its end, by the quality of the offline data")
    axes.set_xlabel("summed regret")
    axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.54))


def draw_chain(axes: Axes, found: Mapping[str, Any]) -> None:
    for name, each in found.items():
        for data, style in (("low", "-"), ("high", ":")):
            steps = list(range(1, len(each[data]) + 1))
            shown = name if data == "low" else None
            axes.plot(steps, each[data], style, color=COLOURS[name], linewidth=1.2, label=shown)
    level(axes, 0.9**4, "--")
    axes.annotate("optimal", (30, 0.9**4), xytext=(0, 3), textcoords="offset points", ha="right",
                  color=GREY, fontsize=8)  # fmt: skip
    axes.set(ylim=(None, 0.68), ylabel="J")
    axes.set_title("True return on the paper's chain (dotted: high-quality data)")
    axes.set_xlabel("iteration of fitted Q-learning")


def draw_credits(credits: Mapping[str, Any]) -> Figure:
    figure = canvas(11.0, 4.3)
    left, right = figure.subplots(1, 2, width_ratios=[1.5, 1.0])
    draw_table(figure, left, credits)
    draw_cost(right, credits)
    return figure


def draw_table(figure: Figure, axes: Axes, credits: Mapping[str, Any]) -> None:
    """Correlation over the arms of every credit with J, as the critic worsens."""
    levels = {**credits["levels"], **credits["by_data"]}
    names = list(next(iter(levels.values())))
    cells = np.array(
        [[table[name]["with_return"]["mean"] for table in levels.values()] for name in names], float
    )
    image = axes.imshow(cells, cmap="RdBu", vmin=-1.0, vmax=1.0, aspect="auto")
    figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02)
    for (row, column), value in np.ndenumerate(cells):
        text = "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
        axes.text(column, row, text, ha="center", va="center", fontsize=8,
                  color="white" if abs(value) > 0.6 else INK)  # fmt: skip
    axes.set_yticks(range(len(names)), [math(name) for name in names])
    axes.set_xticks(range(len(levels)), [label(name) for name in levels])
    axes.tick_params(length=0.0, labelcolor=INK, labelsize=8)
    axes.spines[:].set_visible(False)
    for border in (len(credits["levels"]) - 4.5, len(credits["levels"]) - 0.5):
        axes.axvline(border, color="white", linewidth=4.0)
    axes.set_title("Correlation of the credit with the true return, over nine ratios")


def label(name: str) -> str:
    known = {"λ = 0": "exact\nλ = 0", "λ = 1": "own fit\nλ = 1"}
    if name in ("poor", "mixed", "good"):
        return f"{name}\ndata"
    text = known.get(name, f"noise\n{name}" if name.startswith("σ") else f"part\n{name}")
    return text.replace(" = ", " ")  # the columns are narrow


def draw_cost(axes: Axes, credits: Mapping[str, Any]) -> None:
    own = credits["levels"]["λ = 1"]
    bars(axes, {name: each["lost"] for name, each in own.items()}, [BLUE] * len(own))
    name_rows(axes, [math(name) for name in own])
    blind = credits["levels"]["λ = 0"]["R_q (κ = 1)"]["lost"]["mean"]
    mark(axes, blind, "--")
    axes.annotate("blind choice", (blind, 0.3), xycoords=("data", "axes fraction"),
                  xytext=(4, 0), textcoords="offset points", color=SOFT, fontsize=8)  # fmt: skip
    axes.set_xlim(0.0, 1.0)
    axes.set_title("What following it loses (own fit)")
    axes.set_xlabel("share of the range of J over the ratios")
