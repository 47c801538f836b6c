"""The parts of a page about one run, each a figure with words on what to look for in it."""

import base64
from collections.abc import Iterable

import numpy as np

from road.records.journal import Row, numbers
from road.records.naming import part_of, shorten, text_of
from road.records.reader import RunRecord
from road.records.scores import scored
from road.records.summary import Summary
from road.report.draw import format
from road.report.draw.axes import Timeline
from road.report.draw.document import figure, panel
from road.report.draw.downsample import spread_evenly
from road.report.draw.heatmap import (
    MOST_COLUMNS,
    Choices,
    choices_map,
    strength,
    strength_key,
    tally_of,
)
from road.report.draw.markup import Markup, tag
from road.report.draw.tables import flatten, table
from road.report.run.arms import arms_figure, informed_figure
from road.report.run.credits import realised_plot, signal_figure
from road.report.run.learning_curve import learning_curve, timeline_of
from road.report.run.log import log_figure
from road.report.run.probes import chosen_figure, errors_figure
from road.report.run.tiles import shown, tiles
from road.report.run.training import training_figure

LONGEST_COMMAND = 4000
MOST_SETTINGS = 80
MOST_ROWS = 200


def run_sections(run: RunRecord, summary: Summary) -> Iterable[Markup]:
    timeline = timeline_of(summary)
    online = Timeline(0.0, timeline.online)
    if run.on_log:
        yield log_figure(run)
    else:
        yield tag("dl", list(tiles(summary)), class_="tiles")
        yield curve_figure(run, summary)
    yield from frames_figure(run)
    yield from mixer_figures(run, summary, online)
    if run.metrics.length or run.episodes.length:
        yield training_figure(run, timeline)
    yield figure(
        "Settings", "As the run resolved them.", settings_list(run.config), kind="settings"
    )
    yield origin_figure(run)


def mixer_figures(run: RunRecord, summary: Summary, online: Timeline) -> Iterable[Markup]:
    """What was chosen, and what it was chosen by."""
    if run.probes is not None and summary.support is not None:
        yield errors_figure(run, run.probes, summary.support, online)
        yield chosen_figure(run, online)
        if np.isfinite(run.periods["offline_advantage"]).any():
            yield signal_figure(run, online)
        return
    if run.periods.length:
        yield ratio_figure(run, online)
        yield signal_figure(run, online)
        yield informed_figure(run, summary)
    if run.arms is not None:
        yield arms_figure(run, run.arms, online)


def curve_figure(run: RunRecord, summary: Summary) -> Markup:
    raw = "as your loop logged it" if run.foreign else "the return of an episode, on no scale"
    scale = raw if run.raw else "0 is a random policy, 100 the reference"
    began, when = ("pretraining ended", "after the switch")
    if not summary.was_pretrained:
        began, when = "the run began, which was not pretrained", "in training"
    caption = (
        f"Score at every evaluation: {scale}. The dashed line is where {began}; look for how far "
        f"the curve falls below it {when} (shaded), and how soon it is back. Whiskers are one "
        "standard error over the episodes."
    )
    drawn, listed = learning_curve(run, summary), evaluations_table(run, summary)
    return figure("Learning curve", caption, drawn, listed, kind="curve")


def frames_figure(run: RunRecord) -> Iterable[Markup]:
    """Nothing unless `road play --strip` has drawn one."""
    if run.frames is None:
        return
    address = "data:image/png;base64," + base64.b64encode(run.frames).decode()
    words = "Frames of an episode of the policy, from left to right"
    picture = tag("img", src=address, alt=words, style="width:100%;height:auto")
    caption = f"{words}, at equal distances in time."
    yield figure("The policy at work", caption, picture, kind="frames")


def ratio_figure(run: RunRecord, online: Timeline) -> Markup:
    caption = (
        "A row per offline ratio m, time to the right; the stronger the colour, the more of those "
        "periods used it. A row that fills up is a ratio being settled on, an even pattern is "
        "taking turns. The bars add up the whole run, and a dotted line marks equal turns."
    )
    drawn = [choices_map(tally(run)), colour_key(run)]
    if np.isfinite(run.periods["realised_ratio"]).any():
        title = [tag("b", "realised"), " share of the rows trained on that were offline, by period"]
        drawn.append(panel(title, realised_plot(run, online)))
    return figure("Which mixing ratio, when", caption, *drawn, kind="heatmap")


def origin_figure(run: RunRecord) -> Markup:
    """The command, versions and machine, to reproduce the run."""
    command = shorten(text_of(run.meta, "command", "not recorded"), LONGEST_COMMAND)
    facts = [
        f"{name} {value}"
        for part in ("versions", "machine")
        for name, value in flatten(part_of(run.meta, part))
    ]
    known = shorten(" · ".join(facts[:MOST_SETTINGS]), 1000)
    code = tag("pre", tag("code", command), tabindex="0")
    return figure("Reproduction", known or "Versions were not recorded.", code, kind="origin")


def tally(run: RunRecord) -> Choices:
    ratio = run.periods["offline_ratio"]
    arms = numbers(part_of(run.config, "mixer").get("arms"))
    return tally_of(ratio[np.isfinite(ratio)], arms)


def colour_key(run: RunRecord) -> list[Markup]:
    """Nothing if the colour is full in every cell."""
    if run.periods.length <= MOST_COLUMNS:
        return []
    opacities = map(strength, (0.2, 0.4, 0.6, 0.8, 1.0))
    return [strength_key("share of periods: 20%", "100%", opacities)]


def evaluations_table(run: RunRecord, summary: Summary) -> list[Markup]:
    """The learning curve for those who cannot see it, or want its numbers."""
    rows = [
        [f"{phase} {step:,.0f}", shown(summary, score), *map(format.plain, others)]
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


def settings_list(config: Row) -> Markup:
    """In two columns where they fit."""
    flat = list(flatten(config))
    rows = [(shorten(name, 80), shorten(value)) for name, value in flat[:MOST_SETTINGS]]
    if len(flat) > MOST_SETTINGS:
        rows.append((f"and {len(flat) - MOST_SETTINGS:,} more", "in config.json"))
    return tag(
        "dl",
        [tag("div", tag("dt", name), tag("dd", value)) for name, value in rows],
        class_="settings",
    )
