"""From run folders to a page a person can look at. NumPy and the standard library only."""

from road.report.aftermath import after_the_switch
from road.report.figures import write_figure
from road.report.html import write_report
from road.report.load import RunRecord, load_run
from road.report.summary import Summary, summarise

__all__ = [
    "RunRecord",
    "Summary",
    "after_the_switch",
    "load_run",
    "summarise",
    "write_figure",
    "write_report",
]
