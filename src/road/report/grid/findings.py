"""The result of a comparison as Markdown, with the runs that are missing from it."""

import shlex
from collections.abc import Iterable

from road.records.naming import shorten
from road.report.draw.tables import WORDS, Listing
from road.report.grid.answers import Answers
from road.report.grid.families import family_listings
from road.report.grid.listings import credit_listings, listings_of
from road.report.grid.regret import headline
from road.report.grid.results import GridResults
from road.report.grid.tables import escape_markdown, markdown_rows, markdown_table
from road.statistics import ScoreTable
from road.statistics.table import Axis

MOST_NAMED = 8
FLAGS: dict[str, Axis] = {"tasks": "tasks", "mixers": "methods", "seeds": "seeds"}
"""Of ``road grid report``, by what they name."""


def findings(results: GridResults, answers: Answers | None) -> str:
    """Scores, regret, pairs, aggregates and informedness; no score hides what is missing."""
    return "\n".join(parts_of(results, answers))


def parts_of(results: GridResults, answers: Answers | None) -> Iterable[str]:
    regrets = None if answers is None else answers.regrets
    yield f"{headline(results, regrets)}\n"
    credits = list(credit_listings(results, answers))
    yield from (f"{words}\n" for _, _, words in credits if words)
    yield from (f"{escape_markdown(note)}\n" for note in results.notes)
    yield from (f"{escape_markdown(words)}\n" for words in missing_words(results.table))
    table = markdown_table(results.cells, results.paper)
    yield from (section(listing) for listing in family_listings(results))
    yield f"## Scores\n\n{scores_caption(results)}\n\n{table}"
    if answers is not None:
        yield from (section(listing) for _, listing in listings_of(results, answers))
    yield from (section(listing) for _, listing, _ in credits)


def section(listing: Listing) -> str:
    # What others have named is escaped; our own numbers and words are plain.
    named = [index == 0 or name in WORDS for index, name in enumerate(listing.head)]
    rows = [
        [escape_markdown(cell) if theirs else cell for theirs, cell in zip(named, row, strict=True)]
        for row in listing.rows
    ]
    table = markdown_rows([[escape_markdown(name) for name in listing.head], *rows], 1)
    return f"## {listing.title}\n\n{listing.caption}\n\n{table}"


def missing_words(table: ScoreTable) -> list[str]:
    """Which runs are missing, what is left out for that, and which parts are complete."""
    missing = table.missing()
    if not missing:
        return []
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    named = "; ".join(shorten(name, 120) for name in missing[:MOST_NAMED])
    words = (
        f"Runs that are missing: {len(missing)}: {named}{more}. What needs every run is left out."
    )
    if parts := complete_parts(table):
        words += f" Complete, to be reported on by themselves: {', or '.join(parts)}."
    return [words]


def complete_parts(table: ScoreTable) -> list[str]:
    """The flags of ``road grid report`` with which nothing is missing."""
    found: list[str] = []
    for flag, axis in FLAGS.items():
        try:
            kept = getattr(table.complete(without=axis), axis)
        except ValueError:  # nothing would be left
            continue
        found.append(f"--{flag} {shlex.join(map(str, kept))}")
    return found


def scores_caption(results: GridResults) -> str:
    underlined = ", underlined the best fixed ratio" if results.fixed else ""
    return (
        f"By {results.judged_by}: mean ± standard deviation over seeds (divisor n − 1). Bold is "
        f"the best of a row{underlined}."
    )
