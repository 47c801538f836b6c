"""From run folders to a page a person can look at. NumPy and the standard library only."""

from road.records.reader import RunRecord, load_run
from road.records.summary import Summary, summarise
from road.report.run.page import write_figure, write_report
from road.report.run.tiles import after_the_switch

__all__ = [
    "RunRecord",
    "Summary",
    "after_the_switch",
    "load_run",
    "summarise",
    "write_figure",
    "write_report",
]
