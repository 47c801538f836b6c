"""One self-contained page about one or several runs: no script, no network, nothing to install."""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from road.errors import UsageError
from road.mixing.folder import write_whole
from road.report import writing
from road.report.comparison import comparison_verdict, group, strategy_names
from road.report.curves import compared_curves, compared_ratios
from road.report.layout import colour_chips, figure, panel
from road.report.load import RunRecord, load_run
from road.report.markup import Markup, shorten, tag
from road.report.palette import colour_rules, series_colour
from road.report.sections import run_sections
from road.report.summary import Summary, summarise
from road.report.tables import scores_table, strategies_table
from road.version import __version__

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
MOST_UNFOLDED = 3
LARGEST_PAGE = 1_500_000
"""Characters; runs that no longer fit keep their line in the table but not their figures."""


def write_report(runs: Sequence[Path], out: Path) -> Path:
    """Report on run folders; the file appears whole or not at all.

    Raises:
        UsageError: no folder was given, or one of them holds no run.
        StorageError: a run cannot be read, or the page cannot be written.
    """
    if not runs:
        raise UsageError("a report needs at least one run folder, got none")
    records = [load_run(folder) for folder in runs]
    write_whole(out, page(records, [summarise(record) for record in records]))
    return out


def page(runs: Sequence[RunRecord], summaries: Sequence[Summary]) -> str:
    alone = len(runs) == 1
    title = summaries[0].name if alone else f"{len(runs)} runs"
    body = one_run(runs[0], summaries[0]) if alone else several_runs(runs, summaries)
    return document(f"{shorten(title, 80)} · ROAD report", body)


def document(title: str, body: Iterable[Markup]) -> str:
    """A whole page that loads nothing and runs nothing."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(style_sheet())),
    )
    page = tag("html", head, tag("body", tag("main", list(body))), lang="en")
    return f"<!doctype html>\n{page}\n"


def style_sheet() -> str:
    assets = files("road.report") / "assets"
    names = ("plot.css", "page.css")
    return colour_rules() + "".join((assets / name).read_text("utf-8") for name in names)


def one_run(run: RunRecord, summary: Summary) -> Iterable[Markup]:
    yield tag(
        "header", tag("p", "ROAD run report", class_="eyebrow"),
        tag("h1", shorten(summary.verdict, 900)), facts(summary), notice(run),
    )  # fmt: skip
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


def notice(run: RunRecord) -> list[Markup]:
    if not run.unreadable_lines:
        return []
    words = f"Lines of its files that are damaged and were left out: {run.unreadable_lines:,}."
    return [tag("p", words, class_="notice", role="note")]


def several_runs(runs: Sequence[RunRecord], summaries: Sequence[Summary]) -> Iterable[Markup]:
    names = dict.fromkeys(strategy_names(summaries))
    colours = {name: series_colour(index) for index, name in enumerate(names)}
    pairs = list(zip(runs, summaries, strict=True))
    yield tag(
        "header", tag("p", f"ROAD report on {len(runs)} runs", class_="eyebrow"),
        tag("h1", shorten(comparison_verdict(summaries), 1500)),
    )  # fmt: skip
    for task in dict.fromkeys(summary.task for summary in summaries):
        yield overlay(task, [pair for pair in pairs if pair[1].task == task], colours)
    yield scores_figure(summaries)
    yield from sections_that_fit(pairs)
    yield footer(summaries)


def overlay(
    task: str, pairs: Sequence[tuple[RunRecord, Summary]], colours: dict[str, str]
) -> Markup:
    runs, summaries = [run for run, _ in pairs], [summary for _, summary in pairs]
    caption = (
        "One colour per mixer; thin lines are seeds, thick ones their mean. Compare where the "
        "curves end and how deep they fall after the switch; seeds of one mixer differ by chance."
    )
    key = colour_chips({name: colours[name] for name in strategy_names(summaries)})
    drawn = compared_curves(runs, summaries, colours)
    ratios = panel(
        [tag("b", "realised ratio"), " the offline share of the rows trained on, by period"],
        compared_ratios(runs, summaries, colours),
    )
    title = f"Learning curves on {shorten(task, 80)}"
    return figure(title, caption, key, drawn, ratios, kind="overlay")


def scores_figure(summaries: Sequence[Summary]) -> Markup:
    groups = group(summaries)
    means = [strategies_table(groups)] if len(groups) < len(summaries) else []
    caption = (
        "Every run, seeds of one mixer together; the dip is the deepest fall below pretrained, its "
        "area in score × steps, regained by the online step at which it was made good; offline is "
        "the share of rows trained on online that came from the dataset."
    )
    return figure("Scores", caption, *means, scores_table(summaries), kind="scores")


def sections_that_fit(pairs: Sequence[tuple[RunRecord, Summary]]) -> Iterable[Markup]:
    """A fold per run, open while there are few of them."""
    unfolded = "" if len(pairs) <= MOST_UNFOLDED else None
    size, left_out = 0, 0
    for run, summary in pairs:
        ended = tag("span", f"final {writing.score(summary.final)}", class_="soft")
        title = tag("summary", tag("h2", shorten(summary.name, 120)), " ", ended)
        verdict = tag("p", shorten(summary.verdict, 900), class_="verdict")
        told = [title, verdict, facts(summary), *notice(run)]
        section = tag("details", *told, *run_sections(run, summary), class_="run", open=unfolded)
        size += len(section)
        if size > LARGEST_PAGE:
            left_out += 1
        else:
            yield section
    if left_out:
        words = f"The figures of {left_out} runs were left out to keep this page small"
        yield tag("p", f"{words}; report on them separately to see them.", class_="notice")


def footer(summaries: Sequence[Summary]) -> Markup:
    return numbers_to_take([asdict(summary) for summary in summaries], "summary.json")


def numbers_to_take(numbers: object, name: str) -> Markup:
    """The numbers to take away, in the page itself."""
    data = json.dumps(numbers, allow_nan=False).encode()
    address = "data:application/json;base64," + base64.b64encode(data).decode()
    link = tag("a", "Save the numbers as JSON", href=address, download=name)
    return tag("footer", tag("p", link, f" · road {__version__}"))
