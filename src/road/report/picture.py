"""A picture that stands alone: plots on white in one SVG file, for pages that are no report."""

from importlib.resources import files
from pathlib import Path

from road.mixing.folder import write_whole
from road.report.markup import Markup, tag
from road.report.palette import fixed_light
from road.report.svg import pixels

WIDTH = 960.0
EDGE = 24.0
"""Where headings begin."""


def write_picture(out: Path, width: float, height: float, *parts: Markup, label: str) -> Path:
    """In light colours that no viewer has to look up."""
    assets = files("road.report") / "assets"
    drawing = tag(
        "svg",
        tag("style", Markup((assets / "plot.css").read_text("utf-8"))),
        tag("rect", width=pixels(width), height=pixels(height), fill="#ffffff"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {pixels(width)} {pixels(height)}",
        width=pixels(width),
        height=pixels(height),
        role="img",
        aria_label=label,
    )
    write_whole(out, f'<?xml version="1.0" encoding="utf-8"?>\n{fixed_light(drawing)}\n')
    return out


def heading(content: str, y: float, x: float = EDGE) -> Markup:
    return tag("text", content, x=pixels(x), y=pixels(y), class_="heading")


def placed(plot: Markup, left: float, top: float, width: float) -> Markup:
    """A plot fills what it stands in; here that is a box of known width."""
    return tag("svg", plot, x=pixels(left), y=pixels(top), width=pixels(width), overflow="visible")
