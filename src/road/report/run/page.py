"""One self-contained page about one or several runs, and a picture of one for a README."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from road.errors import UsageError
from road.files import write_text
from road.records.naming import shorten
from road.records.reader import RunRecord, load_run
from road.records.summary import Summary, summarise
from road.report.draw.document import (
    WIDTH,
    colour_chips,
    document,
    figure,
    header,
    heading,
    notice,
    numbers_to_take,
    panel,
    parts_that_fit,
    place,
    write_picture,
)
from road.report.draw.heatmap import ROW, choices_map
from road.report.draw.markup import Markup, tag
from road.report.draw.palette import series_colour
from road.report.run.comparison import comparison_verdict, scores_table, strategies_table
from road.report.run.groups import Compared, compare, group, left_out_words
from road.report.run.learning_curve import (
    HEIGHT,
    comparison_curves,
    comparison_ratios,
    learning_curve,
)
from road.report.run.sections import run_sections, tally
from road.report.run.tiles import shown

MOST_UNFOLDED = 3
LARGEST_PAGE = 1_500_000
"""Characters; runs that no longer fit keep their line in the table but not their figures."""
LEFT, RIGHT = 64.0, 56.0
BETWEEN = 96.0
"""Space for an axis below one plot and a title above the next."""


def write_report(runs: Sequence[Path], out: Path) -> Path:
    """Report on run folders; the file appears whole or not at all.

    Raises:
        UsageError: no folder was given, or one of them holds no run.
        StorageError: a run cannot be read, or the page cannot be written.
    """
    if not runs:
        raise UsageError("a report needs at least one run folder, got none")
    records = [load_run(folder) for folder in runs]
    write_text(out, page(records, [summarise(record) for record in records]))
    return out


def page(runs: Sequence[RunRecord], summaries: Sequence[Summary]) -> str:
    alone = len(runs) == 1
    title = summaries[0].name if alone else f"{len(runs)} runs"
    body = one_run(runs[0], summaries[0]) if alone else several_runs(runs, summaries)
    return document(f"{shorten(title, 80)} · ROAD report", body)


def one_run(run: RunRecord, summary: Summary) -> Iterable[Markup]:
    verdict = shorten(summary.verdict, 900)
    yield header("ROAD run report", verdict, facts(summary), damage(run))
    yield from run_sections(run, summary)
    yield footer([summary])


def facts(summary: Summary) -> Markup:
    named = {
        "run": summary.name,
        "task": summary.task,
        "agent": summary.agent,
        "mixer": summary.mixer,
        "seed": summary.seed,
    }
    parts = [tag("span", tag("b", name), " ", shorten(value, 120)) for name, value in named.items()]
    return tag("p", parts, class_="facts")


def damage(run: RunRecord) -> list[Markup]:
    if not run.unreadable_lines:
        return []
    words = f"Lines of its files that are damaged and were left out: {run.unreadable_lines:,}."
    return [notice(words)]


def several_runs(runs: Sequence[RunRecord], summaries: Sequence[Summary]) -> Iterable[Markup]:
    compared = compare(runs, summaries)
    labels = dict.fromkeys(one.label for one in compared)
    colours = {label: series_colour(index) for index, label in enumerate(labels)}
    verdict = shorten(comparison_verdict(compared), 1500)
    left_out = shorten(left_out_words(compared), 1500)
    notices = [notice(left_out)] if left_out else []
    yield header(f"ROAD report on {len(runs)} runs", verdict, *notices)
    for task in dict.fromkeys(summary.task for summary in summaries):
        yield overlay(task, [one for one in compared if one.summary.task == task], colours)
    yield scores_figure(compared)
    yield from parts_that_fit(run_folds(compared), LARGEST_PAGE, "runs")
    yield footer(summaries)


def overlay(task: str, compared: Sequence[Compared], colours: dict[str, str]) -> Markup:
    caption = (
        "One colour for runs that differ in their seed only; thin lines are seeds, thick ones "
        "their mean. Compare where the curves end and how deep they fall after the switch; seeds "
        "of the same settings differ by chance."
    )
    key = colour_chips({one.label: colours[one.label] for one in compared})
    drawn = comparison_curves(compared, colours)
    ratios = panel(
        [tag("b", "realised ratio"), " the offline share of the rows trained on, by period"],
        comparison_ratios(compared, colours),
    )
    title = f"Learning curves on {shorten(task, 80)}"
    return figure(title, caption, key, drawn, ratios, kind="overlay")


def scores_figure(compared: Sequence[Compared]) -> Markup:
    groups = group(compared)
    means = [strategies_table(groups)] if len(groups) < len(compared) else []
    caption = (
        "Every run, seeds of the same settings together; the dip is the deepest fall below "
        "pretrained, its area in score × steps, regained by the online step at which it was made "
        "good; offline is the share of rows trained on online that came from the dataset."
    )
    return figure("Scores", caption, *means, scores_table(compared), kind="scores")


def run_folds(compared: Sequence[Compared]) -> Iterable[Markup]:
    """A fold per run, open while there are few of them."""
    unfolded = "" if len(compared) <= MOST_UNFOLDED else None
    for run, summary in ((one.run, one.summary) for one in compared):
        ended = tag("span", f"final {shown(summary, summary.final)}", class_="soft")
        title = tag("summary", tag("h2", shorten(summary.name, 120)), " ", ended)
        verdict = tag("p", shorten(summary.verdict, 900), class_="verdict")
        head = [title, verdict, facts(summary), *damage(run)]
        yield tag("details", *head, *run_sections(run, summary), class_="run", open=unfolded)


def footer(summaries: Sequence[Summary]) -> Markup:
    return numbers_to_take([asdict(summary) for summary in summaries], "summary.json")


def write_figure(run: Path, out: Path) -> None:
    """Draw a run folder as one SVG file."""
    record = load_run(run)
    summary = summarise(record)
    chosen = tally(record)
    rows_height = ROW * max(len(chosen.names), 1)
    curve_top, map_top = 64.0, 64.0 + HEIGHT + BETWEEN
    across = WIDTH - LEFT - RIGHT
    write_picture(
        out, WIDTH, map_top + rows_height + 60,
        heading(shorten(f"{summary.agent} with {summary.mixer} on {summary.task}", 90), 32.0),
        place(learning_curve(record, summary), LEFT, curve_top, across),
        heading("Offline ratio m, by period", map_top - 18),
        place(choices_map(chosen), LEFT, map_top, across),
        label=summary.verdict,
    )  # fmt: skip
