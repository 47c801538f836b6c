"""Task by task: whether the ratio matters there, or the method, and what the subject loses."""

from road.report.grid_answers import Answers, Columns, chances_of
from road.report.grid_results import GridResults
from road.report.tables import Listing
from road.report.writing import interval_at, score
from road.statistics import Estimate

CAPTION = (
    "The {one} with the greatest mean, how far the best and the worst {one} lie apart, and p of a "
    "permutation test: how often {one}s that make no difference would lie as far apart.{several} A "
    "small p says that they differ, not which is best; where it is not small, no best {best} can "
    "be named.{lost}"
)
SEVERAL = " p is for each task by itself; beside it stands p adjusted for all {} tasks (Holm)."
LOST = " Then what {} loses against the best one, chosen in both ways."


def by_task_listing(results: GridResults, answers: Answers) -> Listing:
    methods, found = results.table.methods, answers.differences
    chance_heads, chances = chances_of(found.p, "tasks")
    loss_heads, losses = losses_of(results, answers)
    rows = [
        [
            task,
            methods[found.best[index]],
            score(float(found.range[index])),
            *chances[index],
            *losses[index],
        ]
        for index, task in enumerate(results.table.tasks)
    ]
    one, best = ("constant", "ratio") if results.fixed else ("method", "method")
    caption = CAPTION.format(
        one=one,
        best=best,
        several=SEVERAL.format(len(rows)) if rows[1:] else "",
        lost=LOST.format(results.subject) if loss_heads else "",
    )
    title = f"Does the {'ratio' if results.fixed else 'choice of method'} matter?"
    head = ("Task", f"best {one}", "best minus worst", *chance_heads, *loss_heads)
    return Listing(title, caption, head, rows)


def losses_of(results: GridResults, answers: Answers) -> Columns:
    """What the subject loses on each task; no column without a regret."""
    regrets, subject, tasks = answers.regrets, results.subject, len(results.table.tasks)
    if regrets is None or subject not in results.table.methods:
        return (), [[] for _ in range(tasks)]
    at, both = results.table.method(subject), (regrets.hindsight, regrets.held_out)
    cells = [[interval_at(of_task(one.by_task, task), at) for one in both] for task in range(tasks)]
    return (f"{subject} loses, in hindsight", "on other seeds"), cells


def of_task(estimate: Estimate, task: int) -> Estimate:
    return Estimate(estimate.point[task], estimate.low[task], estimate.high[task])
