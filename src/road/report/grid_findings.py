"""What came of a comparison as Markdown: for a repository, where a page cannot be looked at."""

from collections.abc import Iterable

from road.report.grid_advice import advice_listing, advice_verdict
from road.report.grid_answers import Answers
from road.report.grid_informed import informed_listing, informed_verdict
from road.report.grid_listings import listings_of
from road.report.grid_missing import missing_words
from road.report.grid_page import scores_caption
from road.report.grid_results import GridResults
from road.report.grid_tables import in_markdown, markdown_table
from road.report.grid_verdict import headline
from road.report.tables import WORDS, Listing


def findings(results: GridResults, answers: Answers | None) -> str:
    """Scores, regret, pairs, aggregates and informedness; no score hides what is missing."""
    return "\n".join(parts_of(results, answers))


def parts_of(results: GridResults, answers: Answers | None) -> Iterable[str]:
    regrets = None if answers is None else answers.regrets
    yield f"{headline(results, regrets)}\n"
    if results.informed and results.subject in results.table.methods:
        yield f"{informed_verdict(results.subject, results.informed)}\n"
    if answers is not None and answers.advice is not None:
        yield from (f"{words}\n" for words in advice_verdict(results.subject, answers.advice))
    yield from (f"{in_markdown(note)}\n" for note in results.notes)
    yield from (f"{in_markdown(words)}\n" for words in missing_words(results.table))
    table = markdown_table(results.cells, results.paper)
    yield f"## Scores\n\n{scores_caption(results)}\n\n{table}"
    if answers is not None:
        yield from (section(listing) for _, listing in listings_of(results, answers))
    if results.informed:
        yield section(informed_listing(results.informed))
    if answers is not None and answers.advice is not None:
        yield section(advice_listing(results, answers.advice))


def section(listing: Listing) -> str:
    ruler = ["---", *["---:"] * (len(listing.head) - 1)]
    # What others have named is escaped; our own numbers and words are plain.
    named = [index == 0 or name in WORDS for index, name in enumerate(listing.head)]
    rows = (
        [in_markdown(cell) if theirs else cell for theirs, cell in zip(named, row, strict=True)]
        for row in listing.rows
    )
    head = map(in_markdown, listing.head)
    lines = (f"| {' | '.join(line)} |" for line in [head, ruler, *rows])
    return f"## {listing.title}\n\n{listing.caption}\n\n" + "\n".join(lines) + "\n"
