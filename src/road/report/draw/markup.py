"""HTML and SVG as text that is always escaped.

Only ``tag`` makes ``Markup``; every other string that is put into a page is text, and is escaped
on its way in. So a run may be called ``<script>``.
"""

import html
import re
from collections.abc import Iterable

VOID = frozenset({"br", "hr", "img", "link", "meta"})
"""HTML elements that have no end tag."""
HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb]"
)
"""Controls, marks that change the direction of reading, lone surrogates: shown, never obeyed."""


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


Child = Markup | str | Iterable[Markup]


def tag(name: str, /, *children: Child, **attributes: object) -> Markup:
    """An element. ``class_`` and ``stroke_width`` are written ``class`` and ``stroke-width``."""
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
    return html.escape(HIDDEN.sub("\ufffd", text), quote=True)
