"""Task by task: whether the ratio matters there, and what the subject loses."""

from road.report.grid_regrets import Regrets
from road.report.grid_results import GridResults
from road.report.tables import Listing
from road.report.writing import interval_at, probability, score
from road.statistics import Estimate

CAPTION = (
    "The constant with the greatest mean, how far the best and the worst constant lie apart, and p "
    "of a permutation test: how often constants that make no difference would lie as far apart. "
    "Where p is not small, no best ratio can be named. Then what {subject} loses against the best "
    "one, chosen in both ways. p is for each task by itself."
)


def by_task_listing(results: GridResults, regrets: Regrets) -> Listing:
    methods, subject = results.table.methods, results.subject
    constants, there = regrets.constants, subject in methods
    rows = [
        [
            task,
            methods[constants.best[index]],
            score(float(constants.range[index])),
            probability(float(constants.p[index])),
            *(
                interval_at(of_task(one.by_task, index), methods.index(subject))
                for one in (regrets.hindsight, regrets.held_out)
                if there
            ),
        ]
        for index, task in enumerate(results.table.tasks)
    ]
    lost = (f"{subject} loses, in hindsight", "on other seeds") if there else ()
    head = ("Task", "best constant", "best minus worst", "p", *lost)
    return Listing("Does the ratio matter?", CAPTION.format(subject=subject), head, rows)


def of_task(estimate: Estimate, task: int) -> Estimate:
    return Estimate(estimate.point[task], estimate.low[task], estimate.high[task])
