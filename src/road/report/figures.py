"""A picture of a run that stands alone: learning curve and heatmap on white, for a README."""

from importlib.resources import files
from pathlib import Path

from road.mixing.folder import write_whole
from road.report.curves import HEIGHT, learning_curve
from road.report.heatmap import ROW, heatmap, tally
from road.report.load import load_run
from road.report.markup import Markup, shorten, tag
from road.report.palette import fixed_light
from road.report.summary import summarise

WIDTH = 960
LEFT, RIGHT = 64, 56
BETWEEN = 96
"""Room for an axis below one plot and a title above the next."""


def write_figure(run: Path, out: Path) -> None:
    """Draw a run folder as one SVG file, in light colours that no viewer has to look up."""
    record = load_run(run)
    summary = summarise(record)
    rows_height = ROW * max(len(tally(record).names), 1)
    curve_top, map_top = 64.0, 64.0 + HEIGHT + BETWEEN
    height = map_top + rows_height + 60
    assets = files("road.report") / "assets"
    drawing = tag(
        "svg",
        tag("style", Markup((assets / "plot.css").read_text("utf-8"))),
        tag("rect", width=WIDTH, height=height, fill="#ffffff"),
        heading(shorten(f"{summary.agent} with {summary.mixer} on {summary.task}", 90), 32.0),
        placed(learning_curve(record, summary), curve_top),
        heading("Offline ratio m, by period", map_top - 18),
        placed(heatmap(record), map_top),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height:g}",
        width=WIDTH,
        height=f"{height:g}",
        role="img",
        aria_label=summary.verdict,
    )
    write_whole(out, f'<?xml version="1.0" encoding="utf-8"?>\n{fixed_light(drawing)}\n')


def heading(content: str, y: float) -> Markup:
    return tag("text", content, x=LEFT - 40, y=f"{y:g}", class_="heading")


def placed(plot: Markup, top: float) -> Markup:
    """A plot fills what it stands in; here that is a box of known width."""
    return tag("svg", plot, x=LEFT, y=f"{top:g}", width=WIDTH - LEFT - RIGHT, overflow="visible")
