"""Task by task: whether the ratio matters there, or the method, and what the subject loses."""

from road.report.grid_answers import Answers
from road.report.grid_results import GridResults
from road.report.tables import Listing
from road.report.writing import counted, interval_at, probability, score
from road.statistics import Estimate, holm_adjusted

CAPTION = (
    "The {one} with the greatest mean, how far the best and the worst {one} lie apart, and p of a "
    "permutation test: how often {one}s that make no difference would lie as far apart. p is for "
    "each task by itself; beside it stands p adjusted for all {tasks} (Holm). A small p says that "
    "they differ, not which is best; where it is not small, no best {best} can be named.{lost}"
)
LOST = " Then what {subject} loses against the best one, chosen in both ways."


def by_task_listing(results: GridResults, answers: Answers) -> Listing:
    methods, found = results.table.methods, answers.differences
    adjusted = holm_adjusted(found.p)
    head, lost = losses_of(results, answers)
    rows = [
        [
            task,
            methods[found.best[index]],
            score(float(found.range[index])),
            probability(float(found.p[index])),
            probability(float(adjusted[index])),
            *lost[index],
        ]
        for index, task in enumerate(results.table.tasks)
    ]
    one, best = ("constant", "ratio") if results.fixed else ("method", "method")
    caption = CAPTION.format(
        one=one,
        best=best,
        tasks=counted(len(rows), "task"),
        lost=LOST.format(subject=results.subject) if head else "",
    )
    title = f"Does the {'ratio' if results.fixed else 'choice of method'} matter?"
    names = ("Task", f"best {one}", "best minus worst", "p", "p, of all tasks", *head)
    return Listing(title, caption, names, rows)


def losses_of(results: GridResults, answers: Answers) -> tuple[tuple[str, ...], list[list[str]]]:
    """What the subject loses on each task, and the heads of that; nothing without a regret."""
    regrets, subject, tasks = answers.regrets, results.subject, len(results.table.tasks)
    if regrets is None or subject not in results.table.methods:
        return (), [[] for _ in range(tasks)]
    at, both = results.table.method(subject), (regrets.hindsight, regrets.held_out)
    cells = [[interval_at(of_task(one.by_task, task), at) for one in both] for task in range(tasks)]
    return (f"{subject} loses, in hindsight", "on other seeds"), cells


def of_task(estimate: Estimate, task: int) -> Estimate:
    return Estimate(estimate.point[task], estimate.low[task], estimate.high[task])
