"""What the figures of a page have in common: a title, words on what to look for, panels, keys."""

from collections.abc import Iterable, Mapping

from road.report.markup import Child, Markup, shorten, tag


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
