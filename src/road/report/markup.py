"""HTML and SVG as text in which nothing can be forgotten to be escaped.

Only ``tag`` makes ``Markup``; every other string that is put into a page is text, and is escaped
on its way in. So a run that is called ``<script>`` is a run that is called that.
"""

import html
import unicodedata
from collections.abc import Iterable

VOID = frozenset({"br", "hr", "link", "meta"})
"""HTML elements that have no end tag."""

LONGEST_TEXT = 240
"""Names longer than this are cut: a page is read by people."""


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


Child = Markup | str | Iterable[Markup]


def tag(name: str, /, *children: Child, **attributes: object) -> Markup:
    """An element. ``class_`` and ``stroke_width`` stand for ``class`` and ``stroke-width``."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Markup:
    return Markup("".join(as_markup(child) for child in children))


def as_markup(child: Child) -> str:
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escape(child)
    return join(child)


def escape(text: str) -> str:
    return html.escape("".join(map(harmless, text)), quote=True)


def harmless(character: str) -> str:
    """Controls, direction overrides and lone surrogates become the replacement character."""
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs"}
    return "\ufffd" if hidden and character not in "\n\t" else character


def shorten(text: str, limit: int = LONGEST_TEXT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
