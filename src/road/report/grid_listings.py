"""Which tables a comparison has beside its scores, in one order for its page and for Markdown."""

from collections.abc import Iterable

from road.report.grid_answers import Answers, aggregates_listing, paired_listing
from road.report.grid_by_task import by_task_listing
from road.report.grid_elsewhere import elsewhere_listing
from road.report.grid_regrets import regret_listing
from road.report.grid_results import GridResults
from road.report.tables import Listing


def listings_of(results: GridResults, answers: Answers) -> Iterable[tuple[str, Listing]]:
    """Each with a word for its kind."""
    methods = results.table.methods
    if answers.regrets is not None:
        yield "regret", regret_listing(methods, answers.regrets)
    if answers.regrets is not None or results.compared[1:]:
        yield "tasks", by_task_listing(results, answers)
    if answers.paired:
        yield "paired", paired_listing(results, answers.paired)
    if answers.families:
        yield "elsewhere", elsewhere_listing(results, answers.families)
    yield "aggregates", aggregates_listing(methods, answers.aggregates)
