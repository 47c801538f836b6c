"""The parts of a page about one run, each a figure with words on what to look for in it."""

from collections.abc import Iterable

from road.report import credits, tables, training
from road.report.axes import Timeline
from road.report.bandit import arms_figure, informed_figure
from road.report.curves import learning_curve, timeline_of
from road.report.heatmap import colour_key, heatmap
from road.report.layout import figure, panel
from road.report.load import RunRecord
from road.report.markup import Markup, shorten, tag
from road.report.naming import part_of, text_of
from road.report.summary import Summary
from road.report.tiles import tiles

SIGNALS = (
    ("offline_advantage", "offline", "Δ_off", "what the policy gains over the offline actions"),
    ("online_advantage", "online", "Δ_on", "what it gains over its own online actions"),
    ("credit", "credit", "R_q", "what the period was credited with"),
)
"""Column, colour, symbol and meaning of what a mixer is told."""

LONGEST_COMMAND = 4000


def run_sections(run: RunRecord, summary: Summary) -> Iterable[Markup]:
    timeline = timeline_of(summary)
    online = Timeline(0.0, timeline.online)
    yield tiles(summary)
    yield curve_figure(run, summary)
    if run.periods.length:
        yield ratio_figure(run)
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
    caption = (
        "Score at every evaluation: 0 is a random policy, 100 the reference. The dashed line is "
        "where pretraining ended; look for how far the curve falls below it after the switch "
        "(shaded), and how soon it is back. Whiskers are one standard error over the episodes."
    )
    drawn = learning_curve(run, summary)
    return figure("Learning curve", caption, drawn, tables.evaluations_table(run), kind="curve")


def ratio_figure(run: RunRecord) -> Markup:
    caption = (
        "A row per offline ratio m, time to the right; the stronger the colour, the more of those "
        "periods used it. A row that fills up is a ratio being settled on, an even pattern is "
        "taking turns. The bars add up the whole run, and a dotted line marks equal turns."
    )
    return figure(
        "Which mixing ratio, when", caption, heatmap(run), colour_key(run), kind="heatmap"
    )


def signal_figure(run: RunRecord, online: Timeline) -> Markup:
    panels = [
        panel(
            [tag("b", symbol(name), class_=look), f" {meaning}"],
            credits.signal_plot(run, online, column, look, name),
        )
        for column, look, name, meaning in SIGNALS
    ]
    gain, overestimate, credit = (symbol(name) for _, _, name, _ in SIGNALS)
    caption = tag(
        "span",
        "Each period and the moving average, by the agent's own critic; every panel has its own "
        "scale. For ROAD, ",
        *(credit, " = ", gain, " \u2212 κ ", overestimate),
        ". A drift that all periods share is the agent learning and says nothing about the ratio.",
    )
    return figure("What the mixer was told", caption, *panels, kind="signals")


def symbol(name: str) -> Markup:
    letter, _, index = name.partition("_")
    return tag("span", letter, tag("sub", index))


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
