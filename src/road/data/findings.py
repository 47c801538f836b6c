"""What is wrong with data, or was done to it: in sentences, each with its place."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["error", "warning", "note"]
"""An error stops training, a warning is shown before it, a note only on the card."""


@dataclass(frozen=True)
class Finding:
    """One sentence about the data."""

    level: Level
    text: str
    row: int | None = None
    """The first row that it is about."""

    def __str__(self) -> str:
        return self.text if self.row is None else f"{self.text} (first: row {self.row})"


@dataclass(frozen=True)
class Findings:
    """All that was found, the worst first."""

    items: tuple[Finding, ...]

    def of(self, level: Level) -> list[Finding]:
        return [item for item in self.items if item.level == level]

    @property
    def errors(self) -> list[Finding]:
        return self.of("error")

    @property
    def warnings(self) -> list[Finding]:
        return self.of("warning")


def rows_of(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


def sorted_findings(items: Iterable[Finding]) -> Findings:
    order = ("error", "warning", "note")
    return Findings(tuple(sorted(items, key=lambda item: order.index(item.level))))
