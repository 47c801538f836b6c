"""A picture of a run that stands alone: learning curve and heatmap on white, for a README."""

from pathlib import Path

from road.report.curves import HEIGHT, learning_curve
from road.report.heatmap import ROW, heatmap, tally
from road.report.load import load_run
from road.report.markup import shorten
from road.report.picture import WIDTH, heading, placed, write_picture
from road.report.summary import summarise

LEFT, RIGHT = 64.0, 56.0
BETWEEN = 96.0
"""Room for an axis below one plot and a title above the next."""


def write_figure(run: Path, out: Path) -> None:
    """Draw a run folder as one SVG file."""
    record = load_run(run)
    summary = summarise(record)
    rows_height = ROW * max(len(tally(record).names), 1)
    curve_top, map_top = 64.0, 64.0 + HEIGHT + BETWEEN
    across = WIDTH - LEFT - RIGHT
    write_picture(
        out, WIDTH, map_top + rows_height + 60,
        heading(shorten(f"{summary.agent} with {summary.mixer} on {summary.task}", 90), 32.0),
        placed(learning_curve(record, summary), LEFT, curve_top, across),
        heading("Offline ratio m, by period", map_top - 18),
        placed(heatmap(record), LEFT, map_top, across),
        label=summary.verdict,
    )  # fmt: skip
