"""One page about a dataset, from its card: what it holds, and what is wrong with it.

A card is plain data; nothing here depends on how it was made.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from road.files import write_text
from road.records.naming import shorten
from road.report.doctor import check_figures
from road.report.draw import format
from road.report.draw.distributions import column_ranges, histogram
from road.report.draw.document import document, figure, header, numbers_to_take, panel, tile
from road.report.draw.markup import Markup, tag

MOST_FINDINGS = 200
SPREADS = {"return": "return of an episode", "length": "length of an episode", "reward": "reward"}


def write_dataset_page(card: Mapping[str, Any], out: Path) -> Path:
    """Draw a card; the file appears whole or not at all.

    Raises:
        StorageError: the page cannot be written.
    """
    title = f"{shorten(str(card['source']), 80)} · ROAD dataset card"
    write_text(out, document(title, sections(card)))
    return out


def sections(card: Mapping[str, Any]) -> Iterable[Markup]:
    source = tag("p", tag("b", "source"), " ", shorten(str(card["source"])), class_="facts")
    yield header("ROAD dataset card", shorten(verdict(card), 900), source)
    yield tag("dl", list(tiles(card)), class_="tiles")
    yield findings_figure(card["findings"])
    yield spread_figure(card)
    yield columns_figure(card)
    yield from check_figures(card)
    yield numbers_to_take(card, "card.json")


def verdict(card: Mapping[str, Any]) -> str:
    """The one sentence to take away."""
    levels = [found["level"] for found in card["findings"]]
    counts = {level: levels.count(level) for level in ("error", "warning")}
    counted = " and ".join(f"{n} {level}{'s' * (n > 1)}" for level, n in counts.items() if n)
    rows, episodes = f"{card['rows']:,} rows", f"{card['episodes']:,} episodes"
    return f"{rows} in {episodes}: {counted or 'nothing wrong was found'}."


def tiles(card: Mapping[str, Any]) -> Iterable[Markup]:
    returns, lengths = card["return"], card["length"]
    yield tile("Rows", format.compact(card["rows"]), f"{card['episodes']:,} episodes")
    middle = f"median {format.plain(returns['median'])}, best {format.plain(returns['max'])}"
    yield tile("Mean return", format.plain(returns["mean"]), middle)
    if card["score"] is not None:
        best = f"best episode {format.score(card['score']['max'])}"
        yield tile("Mean score", format.score(card["score"]["mean"]), best)
    spread = f"{format.plain(lengths['min'])} to {format.plain(lengths['max'])} steps"
    yield tile("Mean length", format.plain(lengths["mean"]), spread)
    cut = f"true ends; {card['truncated']:,} were cut"
    yield tile("Terminated", f"{card['terminated']:,}", cut)
    yield tile("At the edge", format.share(card["clipped_actions"]), "of the actions' numbers")


def findings_figure(findings: Sequence[Mapping[str, Any]]) -> Markup:
    caption = (
        "Errors stop training, warnings are shown before it, notes say what reading the source had "
        "to assume. Rows count from 0: of the file for what reading it did, of what was read else."
    )
    lines = [tag("li", words(found)) for found in findings[:MOST_FINDINGS]]
    body = tag("ul", lines) if lines else tag("p", "Nothing was found.")
    return figure("What was found", caption, body, kind="findings")


def words(found: Mapping[str, Any]) -> list[Markup]:
    where = "" if found["row"] is None else f" (first: row {found['row']:,})"
    said = f" {shorten(str(found['text']), 400)}{where}"
    return [tag("b", f"{found['level']}:"), tag("span", said)]


def spread_figure(card: Mapping[str, Any]) -> Markup:
    caption = (
        "How many episodes or rows have which value. Two hills of returns are two policies, a "
        "single length at the right end is a time limit, a reward of almost always 0 is sparse."
    )
    panels = [panel([meaning], histogram(card[name], meaning)) for name, meaning in SPREADS.items()]
    return figure("Distributions", caption, tag("div", panels, class_="multiples"), kind="spread")


def columns_figure(card: Mapping[str, Any]) -> Markup:
    caption = (
        "A line per column from its least to its greatest value, a bar for one standard deviation "
        "either way. Actions should use their box; observations of very different sizes learn "
        "slowly."
    )
    panels = [
        panel([name], column_ranges(card[f"{name}_columns"], name))
        for name in ("action", "observation")
    ]
    return figure("Columns", caption, *panels, kind="columns")
