"""What all figures share: size, colours, and curves with their intervals."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK = "#1c2024"
SOFT = "#5b636d"
BLUE, ORANGE, GREEN, PURPLE = "#0067a6", "#c24d00", "#00795a", "#8f4a86"
YELLOW, SKY, RED, GREY = "#c99700", "#4aa3c7", "#a3123a", "#8a929b"

SETTINGS: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.6,
    "savefig.dpi": 130,
    # The same drawing is the same file: identifiers in the SVG come from this and nothing else.
    "svg.hashsalt": "road",
    # Letters stay letters: smaller, and a reader can search them.
    "svg.fonttype": "none",
}


@contextmanager
def settings() -> Generator[None]:
    """Our look, for the time of one drawing."""
    with mpl.rc_context(SETTINGS):
        yield


def canvas(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), layout="constrained")


def curve(axes: Axes, x: Sequence[Any], found: Mapping[str, Any], colour: str, **look: Any) -> None:
    """A mean with its interval."""
    axes.plot(x, found["mean"], color=colour, **look)
    axes.fill_between(x, found["low"], found["high"], color=colour, alpha=0.14, linewidth=0.0)


def bars(
    axes: Axes, found: Mapping[str, Mapping[str, Any]], colours: Sequence[str], offset: float = 0.0
) -> None:
    """Points with their intervals, one row for each name, the first on top."""
    rows = np.arange(len(found))[::-1] + offset
    for row, each, colour in zip(rows, found.values(), colours, strict=True):
        axes.plot([each["low"], each["high"]], [row, row], color=colour, linewidth=2.0)
        axes.plot([each["mean"]], [row], "o", color=colour, markersize=5.0)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(np.arange(len(names))[::-1], names)
    axes.tick_params("y", length=0.0, labelcolor=INK)
    axes.spines["left"].set_visible(False)


def math(name: str) -> str:
    """Names of the numbers, set as formulas."""
    return name.replace("R_q", "$R_q$").replace("Δ_off", "$Δ_{off}$").replace("Δ_on", "$Δ_{on}$")


def level(axes: Axes, height: float, style: str = "-") -> None:
    """A thin line to compare with."""
    axes.axhline(height, color=GREY, linewidth=0.8, zorder=0, linestyle=style)


def mark(axes: Axes, place: float, style: str = "-") -> None:
    axes.axvline(place, color=GREY, linewidth=0.8, zorder=0, linestyle=style)
