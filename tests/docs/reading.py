"""The documents, as the tests see them: fenced blocks, links and headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCE = ROOT / "src" / "road"

FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text and the line on which the text begins."""

    language: str
    text: str
    line: int


def documents() -> list[Path]:
    pages = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)
    outside = ("README", "ARCHITECTURE", "CONTRIBUTING", "examples/README")
    return [ROOT / f"{name}.md" for name in outside] + pages


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


def blocks(document: Path) -> Iterator[Block]:
    content = document.read_text("utf-8")
    for fence in FENCE.finditer(content):
        yield Block(fence[1], fence[2], content.count("\n", 0, fence.start(2)) + 1)


def prose(document: Path) -> str:
    """The text without its fenced blocks."""
    return FENCE.sub("", document.read_text("utf-8"))


def links(document: Path) -> list[str]:
    """Where the document points to inside this repository."""
    return [target for target in LINK.findall(prose(document)) if "://" not in target]


def anchors(document: Path) -> set[str]:
    """What may follow a # in a link: headings as GitHub and MyST both write them."""
    titles = HEADING.findall(prose(document))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
