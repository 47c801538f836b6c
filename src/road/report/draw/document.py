"""Self-contained files: an HTML page with figures and panels, and an SVG picture on white."""

import base64
import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path

from road.files import write_text
from road.records.naming import shorten
from road.report.draw.markup import Child, Markup, tag
from road.report.draw.palette import colour_rules, in_light_colours
from road.report.draw.svg import pixels
from road.version import __version__

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
WIDTH = 960.0
MOST_LARGE = 6
"""Characters of a tile's value that fit into it in the largest letters."""
EDGE = 24.0
"""Where headings begin."""


def document(title: str, body: Iterable[Markup]) -> str:
    """A whole page that loads nothing and runs nothing."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(style_sheet())),
    )
    page = tag("html", head, tag("body", tag("main", list(body))), lang="en")
    return f"<!doctype html>\n{page}\n"


def style_sheet() -> str:
    assets = files("road.report") / "assets"
    names = ("plot.css", "page.css")
    return colour_rules() + "".join((assets / name).read_text("utf-8") for name in names)


def header(eyebrow: str, title: str, *rest: Child) -> Markup:
    return tag("header", tag("p", eyebrow, class_="eyebrow"), tag("h1", title), *rest)


def notice(words: str) -> Markup:
    return tag("p", words, class_="notice", role="note")


def parts_that_fit(parts: Iterable[Markup], limit: int, things: str) -> Iterable[Markup]:
    """As many parts as fit into a number of characters, then how many do not."""
    size, too_many = 0, 0
    for part in parts:
        size += len(part)
        if size > limit:
            too_many += 1
        else:
            yield part
    if too_many:
        words = f"The figures of {too_many} {things} were left out to keep this page small"
        yield tag("p", f"{words}; report on them separately to see them.", class_="notice")


def numbers_to_take(numbers: object, name: str) -> Markup:
    """The numbers to take away, in the page itself."""
    data = json.dumps(numbers, allow_nan=False).encode()
    address = "data:application/json;base64," + base64.b64encode(data).decode()
    link = tag("a", "Save the numbers as JSON", href=address, download=name)
    return tag("footer", tag("p", link, f" · road {__version__}"))


def figure(title: str, caption: Child, *body: Child, kind: str) -> Markup:
    words = tag("figcaption", tag("h3", title), tag("p", caption))
    return tag("figure", words, *body, class_="figure", data_figure=kind)


def panel(title: Iterable[Child], drawn: Markup) -> Markup:
    return tag("div", tag("p", *title, class_="panel-title"), drawn, class_="panel")


def colour_chips(colours: Mapping[str, str], strokes: Mapping[str, str] | None = None) -> Markup:
    """What each colour is, and how its line is drawn if not whole."""
    looks = {name: f"chip {stroke}".strip() for name, stroke in (strokes or {}).items()}
    chips = [
        tag(
            "span",
            tag("i", class_=looks.get(name, "chip"), style=f"background:{colour}"),
            shorten(name, 80),
        )
        for name, colour in colours.items()
    ]
    return tag("p", chips, class_="key")


def tile(name: str, value: str, note: str) -> Markup:
    look = "big" if len(value) <= MOST_LARGE else "big long"
    return tag("div", tag("dt", name), tag("dd", value, class_=look), tag("dd", note))


def write_picture(out: Path, width: float, height: float, *parts: Markup, label: str) -> Path:
    """One SVG file in light colours, without CSS variables."""
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
    write_text(out, f'<?xml version="1.0" encoding="utf-8"?>\n{in_light_colours(drawing)}\n')
    return out


def heading(content: str, y: float, x: float = EDGE) -> Markup:
    return tag("text", content, x=pixels(x), y=pixels(y), class_="heading")


def place(plot: Markup, left: float, top: float, width: float) -> Markup:
    """A plot fills its surroundings; here that is a box of known width."""
    return tag("svg", plot, x=pixels(left), y=pixels(top), width=pixels(width), overflow="visible")
