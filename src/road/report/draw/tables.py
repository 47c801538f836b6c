"""Tables in HTML, and nested settings as rows of names and values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from road.report.draw.document import figure
from road.report.draw.markup import Markup, tag

WORDS = frozenset(
    {
        "task",
        "agent",
        "mixer",
        "best constant",
        "best method",
        "selected options",
        "settings",
        "left out of means",
    }
)
"""Columns that are aligned left."""


@dataclass(frozen=True)
class Listing:
    """A table with its title and a caption, for a page or for Markdown."""

    title: str
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """The first column names the row; where a table is too wide, it scrolls by itself."""
    looks = ["word" if name in WORDS else "number" for name in head[1:]]
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            [tag("td", cell, class_=look) for cell, look in zip(row[1:], looks, strict=True)],
        )
        for row in rows
    ]
    header = [
        tag("th", name, scope="col", class_=look)
        for name, look in zip(head, ["word", *looks], strict=True)
    ]
    content = tag("table", tag("thead", tag("tr", header)), tag("tbody", body))
    return tag("div", content, class_="scroll", tabindex="0")


def listing_figure(listing: Listing, kind: str, title: str | None = None) -> Markup:
    drawn = table(listing.head, listing.rows)
    return figure(title or listing.title, listing.caption, drawn, kind=kind)


def drop_constant_columns(
    head: list[str], rows: list[list[str]]
) -> tuple[list[str], list[list[str]]]:
    """Without the task and the agent where they are the same in every row."""
    kept = [
        index
        for index, name in enumerate(head)
        if name not in {"task", "agent"} or len({row[index] for row in rows}) > 1
    ]
    return [head[index] for index in kept], [[row[index] for index in kept] for row in rows]


def flatten(settings: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Nested groups as dotted names."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from flatten(cast("Mapping[str, object]", value), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", as_text(value)


def as_text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)[:50]))
    return "none" if value is None else str(value)
