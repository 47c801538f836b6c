"""Tables: numbers to be read rather than looked at."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from road.report import writing
from road.report.comparison import Group, group
from road.report.dip import Dip
from road.report.journal import Row
from road.report.load import Arms, RunRecord
from road.report.markup import Markup, shorten, tag
from road.report.summary import Summary, scored
from road.report.thin import spread_evenly

MOST_SETTINGS = 80
MOST_ROWS = 200
WORDS = frozenset(
    {"task", "agent", "mixer", "best constant", "best method", "what was chosen", "settings"}
)
"""Columns that are read from the left."""


@dataclass(frozen=True)
class Listing:
    """A table with its title and what there is to know about it, for whoever draws it."""

    title: str
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """The first column names the row; where a table is too wide, it scrolls by itself."""
    looks = ["word" if name in WORDS else "number" for name in head[1:]]
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            [tag("td", cell, class_=look) for cell, look in zip(row[1:], looks, strict=True)],
        )
        for row in rows
    ]
    header = [
        tag("th", name, scope="col", class_=look)
        for name, look in zip(head, ["word", *looks], strict=True)
    ]
    content = tag("table", tag("thead", tag("tr", header)), tag("tbody", body))
    return tag("div", content, class_="scroll", tabindex="0")


def informedness_table(summary: Summary) -> list[Markup]:
    """Nothing if there was nothing to test."""
    judged = summary.informedness
    if judged is None or judged.f is None:
        return []
    rows = [
        ("as recorded", judged.f, judged.p, judged.eta_squared),
        ("trend removed", judged.detrended_f, judged.detrended_p, judged.detrended_eta_squared),
    ]
    cells = [
        [name, writing.plain(f), writing.probability(p), writing.plain(eta_squared)]
        for name, f, p, eta_squared in rows
    ]
    return [table(["Credit by ratio", "F", "p", "η²"], cells)]


def arms_table(arms: Arms) -> Markup:
    """The arms as they stood at the last choice."""
    means, bonuses, counts = arms.means[-1], arms.bonuses[-1], arms.counts[-1]
    return table(
        ["At the last choice", "mean credit", "bonus", "upper bound", "pulls in window"],
        [
            [f"m = {ratio:g}", *map(writing.plain, (mean, bonus, mean + bonus, count))]
            for ratio, mean, bonus, count in zip(arms.ratios, means, bonuses, counts, strict=True)
        ],
    )


def evaluations_table(run: RunRecord) -> list[Markup]:
    """The learning curve for those who cannot see it, or want its numbers."""
    rows = [
        [f"{phase} {step:,.0f}", writing.score(score), *map(writing.plain, others)]
        for phase in ("offline", "online")
        for evaluated in [scored(run, phase)]
        for index in spread_evenly(evaluated.length, MOST_ROWS)
        for step, score, *others in [
            [
                float(evaluated[name][index])
                for name in ("step", "score", "return_mean", "length_mean")
            ]
        ]
    ]
    head = ["Evaluated at step", "score", "mean return", "mean length"]
    fold = tag("details", tag("summary", "The same as a table"), table(head, rows))
    return [fold] if rows else []


def scores_table(summaries: Sequence[Summary]) -> Markup:
    """A row per run, seeds of one strategy together."""
    ordered = [run for one in group(summaries) for run in one.runs]
    head = [
        "Run",
        "task",
        "agent",
        "mixer",
        "seed",
        "pretrained",
        "final",
        "best",
        "dip",
        "dip area",
        "regained by",
        "offline",
    ]
    rows = [
        [
            *(shorten(name, 60) for name in (run.name, run.task, run.agent, run.mixer, run.seed)),
            *map(writing.score, (run.pretrained, run.final, run.best)),
            *dip_cells(run.dip),
            writing.share(run.mean_realised_ratio),
        ]
        for run in ordered
    ]
    return table(*telling(head, rows))


def dip_cells(dip: Dip | None) -> tuple[str, str, str]:
    """Depth, area, and the step by which the pretrained score was regained."""
    if dip is None:
        return writing.UNKNOWN, writing.UNKNOWN, writing.UNKNOWN
    step = dip.steps_to_recover
    dipped = dip.lowest_step is not None
    regained = ("never" if step is None else writing.compact(step)) if dipped else writing.UNKNOWN
    return writing.score(0.0 - dip.depth), writing.compact(dip.area), regained


def strategies_table(groups: Sequence[Group]) -> Markup:
    """Means over seeds, best final score first."""
    ranked = sorted(groups, key=lambda one: -one.mean if one.finals else math.inf)
    head = ["Mixer", "task", "agent", "seeds", "final, mean", "spread between seeds", "dip, mean"]
    rows = [
        [
            *(shorten(name, 60) for name in (one.mixer, one.task, one.agent)),
            f"{len(one.runs)}",
            writing.score(one.mean if one.finals else None),
            writing.score(one.deviation if len(one.finals) > 1 else None),
            writing.score(None if one.mean_dip is None else 0.0 - one.mean_dip),
        ]
        for one in ranked
    ]
    return table(*telling(head, rows))


def telling(head: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Without the task and the agent where they are the same in every row."""
    kept = [
        index
        for index, name in enumerate(head)
        if name not in {"task", "agent"} or len({row[index] for row in rows}) > 1
    ]
    return [head[index] for index in kept], [[row[index] for index in kept] for row in rows]


def settings_list(config: Row) -> Markup:
    """In two columns where there is room."""
    flat = list(flattened(config))
    rows = [(shorten(name, 80), shorten(value)) for name, value in flat[:MOST_SETTINGS]]
    if len(flat) > MOST_SETTINGS:
        rows.append((f"and {len(flat) - MOST_SETTINGS:,} more", "in config.json"))
    return tag(
        "dl",
        [tag("div", tag("dt", name), tag("dd", value)) for name, value in rows],
        class_="settings",
    )


def flattened(settings: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Nested groups as dotted names."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from flattened(cast("Row", value), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", as_text(value)


def as_text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)[:50]))
    return "none" if value is None else str(value)
