"""What logged rows say of an agent: the part of a page about a run that was trained on a log."""

import numpy as np

from road.records.reader import RunRecord
from road.report.draw import format
from road.report.draw.document import figure, notice
from road.report.draw.markup import Markup
from road.report.draw.tables import table

PREFIX = "log/"
STATISTICS = {
    "td_error": "squared TD error",
    "advantage": "Q of own minus of logged actions",
    "action_distance": "distance from logged actions",
}
SOURCES = {"new": "new log", "old": "data before it"}

NO_RETURN = (
    "No environment was used in this run, so no return was measured. Below is what the agent says "
    "of logged rows; whether it acts better, only a trial on the machine can tell."
)


def log_figure(run: RunRecord) -> Markup:
    caption = (
        "On rows drawn from each source, the same ones each time: before the first update and at "
        "the end. A smaller TD error means that the critic fits these rows better; the other two "
        "say how far the policy is from the one that was logged, by the critic and by its actions."
    )
    rows = [
        [f"{words}, {place}", *map(format.plain, ends(run, f"{PREFIX}{source}_{name}"))]
        for name, words in STATISTICS.items()
        for source, place in SOURCES.items()
    ]
    head = ["Judged by the data alone", "before", "at the end"]
    return figure(
        "What the logged rows say", caption, notice(NO_RETURN), table(head, rows), kind="log"
    )


def ends(run: RunRecord, column: str) -> tuple[float, float]:
    """The first and the last value; NaN where there is none."""
    values = run.metrics[column]
    known = values[np.isfinite(values)]
    return (float(known[0]), float(known[-1])) if known.size else (float("nan"), float("nan"))
