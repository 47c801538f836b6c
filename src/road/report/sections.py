"""The parts of a page about one run, each a figure with words on what to look for in it."""

from collections.abc import Iterable

import numpy as np

from road.report import credits, tables, training
from road.report.axes import Timeline
from road.report.bandit import arms_figure, informed_figure
from road.report.curves import learning_curve, timeline_of
from road.report.heard import CreditWords, credit_words, reading_names
from road.report.heatmap import colour_key, heatmap
from road.report.layout import figure, panel
from road.report.load import RunRecord
from road.report.markup import Markup, shorten, tag
from road.report.naming import part_of, text_of
from road.report.summary import Summary
from road.report.tiles import tiles

ADVANTAGES = (
    ("offline_advantage", "offline", "Δ_off", "what the policy gains over the offline actions"),
    ("online_advantage", "online", "Δ_on", "what it gains over its own online actions"),
)
"""Column, colour, symbol and meaning of what R_q is made of."""
READINGS = {
    "offline_change": "by how much Δ_off moved during the period, on the same rows",
    "online_change": "by how much Δ_on moved during the period, on the same rows",
    "error_drop": "by how much the period before lowered the TD error on this one's rows",
    "mean_return": "of the episodes that ended in the period",
    "offline_cosine": "how far gradients on offline rows agree with those on fresh ones",
    "online_cosine": "how far gradients on online rows agree with those on fresh ones",
    "between_cosine": "how far gradients on offline and online rows agree",
}
"""Meaning of what else may be measured; one of another name is shown by its name."""

LONGEST_COMMAND = 4000


def run_sections(run: RunRecord, summary: Summary) -> Iterable[Markup]:
    timeline = timeline_of(summary)
    online = Timeline(0.0, timeline.online)
    yield tiles(summary)
    yield curve_figure(run, summary)
    if run.periods.length:
        yield ratio_figure(run, online)
        yield signal_figure(run, online)
        yield informed_figure(run, summary)
    if run.arms is not None:
        yield arms_figure(run, run.arms, online)
    if run.metrics.length or run.episodes.length:
        yield training_figure(run, timeline)
    yield figure(
        "Settings", "As the run resolved them.", tables.settings_list(run.config), kind="settings"
    )
    yield origin_figure(run)


def curve_figure(run: RunRecord, summary: Summary) -> Markup:
    raw = "as your loop logged it" if run.foreign else "the return of an episode, on no scale"
    scale = raw if run.raw else "0 is a random policy, 100 the reference"
    caption = (
        f"Score at every evaluation: {scale}. The dashed line is "
        "where pretraining ended; look for how far the curve falls below it after the switch "
        "(shaded), and how soon it is back. Whiskers are one standard error over the episodes."
    )
    drawn = learning_curve(run, summary)
    return figure("Learning curve", caption, drawn, tables.evaluations_table(run), kind="curve")


def ratio_figure(run: RunRecord, online: Timeline) -> Markup:
    caption = (
        "A row per offline ratio m, time to the right; the stronger the colour, the more of those "
        "periods used it. A row that fills up is a ratio being settled on, an even pattern is "
        "taking turns. The bars add up the whole run, and a dotted line marks equal turns."
    )
    drawn = [heatmap(run), colour_key(run)]
    if np.isfinite(run.periods["realised_ratio"]).any():
        title = [tag("b", "realised"), " share of the rows trained on that were offline, by period"]
        drawn.append(panel(title, credits.realised_plot(run, online)))
    return figure("Which mixing ratio, when", caption, *drawn, kind="heatmap")


def signal_figure(run: RunRecord, online: Timeline) -> Markup:
    words = credit_words(run)
    shown = [*ADVANTAGES, ("credit", "credit", words.symbol, words.meaning)]
    shown += [
        (column, "reading", name.replace("_", " "), READINGS.get(name, "as it was measured"))
        for column in reading_names(run)
        for name in [shorten(column.removeprefix("readings."), 60)]
    ]
    panels = [
        panel(
            [tag("b", symbol(name), class_=look), f" {meaning}"],
            credits.signal_plot(run, online, column, look, name),
        )
        for column, look, name, meaning in shown
        if np.isfinite(run.periods[column]).any()
    ]
    return figure("What the mixer was told", told_caption(words), *panels, kind="signals")


def told_caption(words: CreditWords) -> Markup:
    gain, overestimate = (symbol(name) for _, _, name, _ in ADVANTAGES)
    credit = [
        "Each period and the moving average, by the agent's own critic; every panel has its own "
        "scale. For ROAD, ",
        *(symbol("R_q"), " = ", gain, " \u2212 κ ", overestimate, ". "),
        *([f"{words.sentence} "] if words.sentence else []),
        "A drift that all periods share is the agent learning and says nothing about the ratio.",
    ]
    return tag("span", *credit)


def symbol(name: str) -> Markup:
    letter, _, index = name.partition("_")
    return tag("span", letter, *([tag("sub", index)] if index else []))


def training_figure(run: RunRecord, timeline: Timeline) -> Markup:
    panels = [
        panel([shorten(name, 60)], training.metric_plot(run, timeline, name))
        for name in training.metric_names(run)
    ]
    if run.episodes.length:
        panels += [
            panel([name], training.episode_plot(run, timeline, column, name))
            for column, name in (("return", "training return"), ("length", "episode length"))
        ]
    caption = (
        "Offline in blue, online in orange, each panel on its own scale; pale bands are the "
        "extremes where points were taken together. A Q-value (critic/mean) that keeps growing "
        "while the score does not is over-estimation."
    )
    return figure("Training", caption, tag("div", panels, class_="multiples"), kind="training")


def origin_figure(run: RunRecord) -> Markup:
    """Last of all: how to get the same again."""
    command = shorten(text_of(run.meta, "command", "not recorded"), LONGEST_COMMAND)
    facts = [
        f"{name} {value}"
        for part in ("versions", "machine")
        for name, value in tables.flattened(part_of(run.meta, part))
    ]
    known = shorten(" · ".join(facts[: tables.MOST_SETTINGS]), 1000)
    code = tag("pre", tag("code", command), tabindex="0")
    return figure("Do it again", known or "Versions were not recorded.", code, kind="origin")
