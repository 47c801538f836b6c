"""The parts of a page about one run, each a figure with words on what to look for in it."""

from collections.abc import Iterable

import numpy as np

from road.mixing.informedness import SIGNIFICANCE
from road.records.dip import Dip
from road.records.journal import Row, numbers
from road.records.naming import part_of, shorten, text_of
from road.records.reader import RunRecord
from road.records.summary import Summary, scored
from road.report.draw import format
from road.report.draw.axes import Timeline
from road.report.draw.document import figure, panel, tile
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
from road.report.run.probes import chosen_figure, errors_figure, support_words
from road.report.run.training import training_figure

LONGEST_COMMAND = 4000
MOST_SETTINGS = 80
MOST_ROWS = 200


def run_sections(run: RunRecord, summary: Summary) -> Iterable[Markup]:
    timeline = timeline_of(summary)
    online = Timeline(0.0, timeline.online)
    yield tag("dl", list(tiles(summary)), class_="tiles")
    yield curve_figure(run, summary)
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
    caption = (
        f"Score at every evaluation: {scale}. The dashed line is "
        "where pretraining ended; look for how far the curve falls below it after the switch "
        "(shaded), and how soon it is back. Whiskers are one standard error over the episodes."
    )
    drawn = learning_curve(run, summary)
    return figure("Learning curve", caption, drawn, evaluations_table(run), kind="curve")


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


def tiles(summary: Summary) -> Iterable[Markup]:
    yield tile("Pretrained", format.score(summary.pretrained), "score before the switch")
    yield tile("Final", format.score(summary.final), change(summary))
    best_step = "" if summary.best_step is None else f"at step {format.compact(summary.best_step)}"
    yield tile("Best online", format.score(summary.best), best_step)
    yield tile("Dip", *dip_words(summary.dip))
    ratio = format.share(summary.mean_realised_ratio)
    yield tile("Offline share", ratio, f"of the rows trained on, {summary.periods:,} periods")
    if summary.support is not None:
        yield tile("Fresh transitions support", *support_words(summary.support))
    else:
        yield tile("Credits differ by arm", *informed_words(summary))


def change(summary: Summary) -> str:
    if summary.final is None or summary.pretrained is None:
        return "no online evaluation yet"
    return format.signed(f"{summary.final - summary.pretrained:+.1f} against pretrained")


def regained_words(dip: Dip) -> str:
    if dip.steps_to_recover is None:
        return "not regained"
    return f"regained by step {format.compact(dip.steps_to_recover)}"


def dip_words(dip: Dip | None) -> tuple[str, str]:
    if dip is None:
        return format.UNKNOWN, "no online evaluation yet"
    if dip.lowest_step is None:
        return "none", "never below pretrained"
    lowest = f"lowest at step {format.compact(dip.lowest_step)}"
    area = f"area {format.compact(dip.area)} score × steps"
    return format.score(-dip.depth), f"{lowest}, {regained_words(dip)}, {area}"


def informed_words(summary: Summary) -> tuple[str, str]:
    """The test with the trend removed: a drift that all arms share is no difference."""
    judged = summary.informedness
    if judged is None or judged.detrended_p is None:
        return format.UNKNOWN, "nothing to compare"
    differ = "yes" if judged.detrended_p < SIGNIFICANCE else "no"
    effect = format.plain(judged.detrended_eta_squared)
    return differ, f"η² {effect}, p {format.probability(judged.detrended_p)}, trend removed"


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


def evaluations_table(run: RunRecord) -> list[Markup]:
    """The learning curve for those who cannot see it, or want its numbers."""
    rows = [
        [f"{phase} {step:,.0f}", format.score(score), *map(format.plain, others)]
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


def after_the_switch(summary: Summary) -> list[str]:
    """A line each for the dip and for the realised ratio, whatever the strategy was."""
    return [f"dip: {dip_sentence(summary)}", f"offline share: {ratio_sentence(summary)}"]


def dip_sentence(summary: Summary) -> str:
    dip = summary.dip
    if dip is None:
        return "not known, for lack of evaluations"
    if dip.lowest_step is None:
        return "none; no online evaluation was below the pretrained score"
    return (
        f"{dip.depth:.1f} deep, lowest at step {dip.lowest_step:,}, {regained_words(dip)}; "
        f"area {dip.area:,.0f} score × steps"
    )


def ratio_sentence(summary: Summary) -> str:
    if summary.mean_realised_ratio is None:
        return "not known; no period has been trained"
    tenths = " ".join(
        format.UNKNOWN if ratio is None else f"{ratio:.2f}" for ratio in summary.realised_ratios
    )
    return (
        f"{summary.mean_realised_ratio:.2f} of the rows trained on; by tenths of the phase {tenths}"
    )
