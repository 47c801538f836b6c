"""A dataset's card on the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from road.report import writing

COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


def print_card(card: Mapping[str, Any]) -> None:
    """Its numbers, a bar for every range of returns, and every finding."""
    console = Console(highlight=False)
    for name, value in lines(card):
        # Never folded: a path that is cut in two cannot be copied.
        console.print(f"[dim]{name:10}[/]  {escape(value)}", soft_wrap=True)
    print_findings(card["findings"], console)
    if not any(found["level"] in ("error", "warning") for found in card["findings"]):
        console.print("[green]nothing wrong was found[/]")


def print_findings(findings: Sequence[Mapping[str, Any]], console: Console) -> None:
    for found in findings:
        where = "" if found["row"] is None else f" (first: row {found['row']})"
        level = found["level"]
        said = escape(f"{found['text']}{where}")
        console.print(f"[{COLOURS[level]}]{level}:[/] {said}", soft_wrap=True)


def lines(card: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "source", str(card["source"])
    yield "rows", f"{card['rows']:,} in {card['episodes']:,} episodes"
    yield "spaces", f"{card['observations']} observations, {card['actions']} actions"
    yield "ends", f"{card['terminated']:,} terminated, {card['truncated']:,} cut"
    for name in ("return", "length", "reward"):
        yield name, spread(card[name])
    yield "", bars(card["return"]["histogram"])
    yield "reward ≠ 0", f"{card['reward_nonzero']:.1%} of the rows"
    columns = card["action_columns"]
    low, high = min(each["min"] for each in columns), max(each["max"] for each in columns)
    edge = f"{card['clipped_actions']:.1%} at the edge of the box"
    yield "action", f"{writing.plain(low)} to {writing.plain(high)}, {edge}"
    if card["score"] is not None:
        yield "score", spread(card["score"])


def spread(described: Mapping[str, Any]) -> str:
    low, middle, mean, high = (
        writing.plain(described[name]) for name in ("min", "median", "mean", "max")
    )
    return f"{low} to {high}, mean {mean}, median {middle}"


def bars(histogram: Mapping[str, Any]) -> str:
    """The distribution of returns in one line."""
    marks = " ▁▂▃▄▅▆▇█"
    counts = histogram["counts"]
    most = max(*counts, 1)
    return "returns " + "".join(marks[-(-8 * count // most)] for count in counts)
