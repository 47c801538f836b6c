"""What came of a comparison as Markdown: for a repository, where a page cannot be looked at."""

from collections.abc import Iterable, Sequence

from road.report import grid_informed
from road.report.grid_answers import Answers, aggregate_rows, paired_rows, regret_rows
from road.report.grid_page import headline
from road.report.grid_results import GridResults
from road.report.grid_tables import in_markdown, markdown_table

SCORES = (
    "Mean ± standard deviation over seeds (divisor n − 1). Bold is the best of a row, underlined "
    "the best fixed ratio."
)
REGRET = (
    "How far a method stays behind the best fixed ratio of each task, on average over tasks; below "
    "zero it is ahead. The truth lies between the two columns, on average. 95 % intervals over "
    "seeds."
)
PAIRED = "Runs of one task and one seed; p is that of a sign-flip test, for each line by itself."


def findings(results: GridResults, answers: Answers | None) -> str:
    """Scores, regret, pairs, aggregates and informedness; no score hides what is missing."""
    return "\n".join(parts_of(results, answers))


def parts_of(results: GridResults, answers: Answers | None) -> Iterable[str]:
    regrets = None if answers is None else answers.regrets
    yield f"{headline(results, regrets)}\n"
    if results.informed:
        yield f"{grid_informed.informed_verdict(results.subject, results.informed)}\n"
    if missing := results.table.missing():
        yield f"Runs that are missing: {len(missing)}. What needs every run is left out.\n"
    yield f"## Scores\n\n{SCORES}\n\n{markdown_table(results.cells, results.paper)}"
    if answers is not None:
        yield from answered(results, answers)
    if results.informed:
        rows = [one.row for one in results.informed]
        yield section("Informed?", grid_informed.CAPTION, grid_informed.HEAD, rows)


def answered(results: GridResults, answers: Answers) -> Iterable[str]:
    methods, subject = results.table.methods, results.subject
    if answers.regrets is not None:
        head = ("Method", "ratio chosen in hindsight", "ratio chosen on other seeds")
        rows = regret_rows(methods, answers.regrets)
        yield section("Regret against the best fixed ratio", REGRET, head, rows)
    if answers.paired:
        head = (f"{subject} minus", "difference", "p", "tasks ahead")
        rows = paired_rows(len(results.table.tasks), answers.paired)
        yield section("Seed by seed", PAIRED, head, rows)
    head = ("Method", *answers.aggregates)
    rows = aggregate_rows(methods, answers.aggregates)
    yield section("Aggregates", "Over all tasks, with 95 % intervals.", head, rows)


def section(title: str, caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    ruler = ["---", *["---:"] * (len(head) - 1)]
    lines = [list(head), ruler, *([in_markdown(name), *cells] for name, *cells in rows)]
    drawn = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"## {title}\n\n{caption}\n\n{drawn}\n"
