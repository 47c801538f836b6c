"""What all figures share: size, colours, and curves with their intervals.

Only this module loads matplotlib, when a figure is drawn: computing a study needs none.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
else:
    Axes = Colormap = Figure = Any

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
    # Identifiers in the SVG depend on this alone: the same figure is the same file.
    "svg.hashsalt": "road",
    # Text stays text: smaller, and searchable.
    "svg.fonttype": "none",
}


@contextmanager
def settings() -> Generator[None]:
    """The style of all figures, while they are drawn."""
    import matplotlib as mpl

    with mpl.rc_context(SETTINGS):
        yield


def figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def colour_map(colours: Sequence[str]) -> Colormap:
    from matplotlib.colors import ListedColormap

    return ListedColormap(list(colours))


def curve(axes: Axes, x: Sequence[Any], found: Mapping[str, Any], colour: str, **look: Any) -> None:
    """A mean with its interval."""
    axes.plot(x, found["mean"], color=colour, **look)
    axes.fill_between(x, found["low"], found["high"], color=colour, alpha=0.14, linewidth=0.0)


def bars(
    axes: Axes, found: Mapping[str, Mapping[str, Any]], colours: Sequence[str], offset: float = 0.0
) -> None:
    """Points with their intervals, one row for each name, from top to bottom."""
    rows = np.arange(len(found))[::-1] + offset
    for row, each, colour in zip(rows, found.values(), colours, strict=True):
        axes.plot([each["low"], each["high"]], [row, row], color=colour, linewidth=2.0)
        axes.plot([each["mean"]], [row], "o", color=colour, markersize=5.0)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(np.arange(len(names))[::-1], names)
    axes.tick_params("y", length=0.0, labelcolor=INK)
    axes.spines["left"].set_visible(False)


def math(name: str) -> str:
    """The symbols in a name as formulas."""
    return name.replace("R_q", "$R_q$").replace("Δ_off", "$Δ_{off}$").replace("Δ_on", "$Δ_{on}$")


def heat_map(figure: Figure, axes: Axes, cells: np.ndarray) -> None:
    """Correlations as colours and numbers."""
    image = axes.imshow(cells, cmap="RdBu", vmin=-1.0, vmax=1.0, aspect="auto")
    figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02)
    for (row, column), value in np.ndenumerate(cells):
        text = "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
        axes.text(column, row, text, ha="center", va="center", fontsize=8,
                  color="white" if abs(value) > 0.6 else INK)  # fmt: skip
    axes.tick_params(length=0.0, labelcolor=INK, labelsize=8)
    axes.spines[:].set_visible(False)


def level(axes: Axes, height: float, style: str = "-") -> None:
    """A thin horizontal line for comparison."""
    axes.axhline(height, color=GREY, linewidth=0.8, zorder=0, linestyle=style)


def mark(axes: Axes, place: float, style: str = "-") -> None:
    """A thin vertical line for comparison."""
    axes.axvline(place, color=GREY, linewidth=0.8, zorder=0, linestyle=style)


def note(
    axes: Axes,
    text: str,
    point: tuple[Any, Any] | np.ndarray,
    shift: tuple[int, int],
    colour: str,
    **look: Any,
) -> None:
    """A short text beside a point; the shift is in points."""
    axes.annotate(text, (point[0], point[1]), xytext=shift, textcoords="offset points",
                  color=colour, fontsize=8, **look)  # fmt: skip
