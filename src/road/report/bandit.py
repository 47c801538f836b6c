"""The parts of a page about the bandit: what it knew, and whether that was anything."""

import numpy as np

from road.report import credits, tables
from road.report.axes import Timeline
from road.report.heard import heard
from road.report.heatmap import MOST_ROWS
from road.report.layout import colour_chips, figure, panel
from road.report.load import Arms, RunRecord
from road.report.markup import Markup, tag
from road.report.naming import part_of, text_of
from road.report.palette import arm_colour
from road.report.summary import Summary
from road.report.thin import spread_evenly
from road.report.verdict import capitalised


def informed_figure(run: RunRecord, summary: Summary) -> Markup:
    """The sentence for every run; dots and numbers where there are ratios to compare."""
    judged = summary.informedness
    sentence = judged.sentence if judged else unjudged(run)
    strong = tag("strong", f"{capitalised(sentence)}. ")
    title = "Could the credits tell the ratios apart?"
    if judged is None or not 2 <= len(judged.ratios) <= MOST_ROWS:
        return figure(title, strong, kind="informed")
    caption = (
        "A column per ratio, a dot per period, time running to the right inside each column; the "
        "bar is the column's mean. If the ratio matters, the columns stand at different heights. A "
        "slope that all of them share is drift, which the table's second row takes out."
    )
    drawn = credits.strip_plot(run)
    words = tag("span", strong, caption)
    return figure(title, words, drawn, *tables.informedness_table(summary), kind="informed")


def unjudged(run: RunRecord) -> str:
    """Why there is no test of the credits."""
    if not heard(run.periods)[0].size:
        return "no period was credited with anything; there is nothing to tell the ratios apart by"
    return "too many ratios were used to compare them; none can be judged"


def arms_figure(run: RunRecord, arms: Arms, online: Timeline) -> Markup:
    shown = some_arms(arms)
    numbers = {"mean credit": shown.means, "bonus": shown.bonuses, "pulls": shown.counts}
    fading = text_of(part_of(run.config, "mixer"), "counts", "") == "discounted"
    remembered = "of what has not faded" if fading else "in the window"
    panels = [
        panel([f"{name} {remembered}"], credits.arms_plot(run, shown, values, online, name))
        for name, values in numbers.items()
    ]
    drawn = text_of(part_of(run.config, "mixer"), "choice", "") == "thompson"
    count = "" if shown is arms else f" {len(shown.ratios)} of {len(arms.ratios)} arms are shown."
    return figure(
        "What the bandit knew", bonus_against_means(arms, drawn=drawn) + count, arm_key(shown),
        tag("div", panels, class_="multiples"), tables.arms_table(shown), kind="arms",
    )  # fmt: skip


def some_arms(arms: Arms) -> Arms:
    """No more than can be told apart."""
    if len(arms.ratios) <= MOST_ROWS:
        return arms
    kept = spread_evenly(len(arms.ratios), MOST_ROWS)
    return Arms(arms.ratios[kept], arms.means[:, kept], arms.bonuses[:, kept], arms.counts[:, kept])


def bonus_against_means(arms: Arms, *, drawn: bool) -> str:
    """Why a bandit explores or settles: the larger of its two terms."""
    rule = "At each period the arm of greatest mean plus bonus is pulled."
    if drawn:
        return (
            f"{rule} The bonus is drawn anew for every choice, as wide as the mean is uncertain "
            "(Thompson sampling)."
        )
    known = np.isfinite(arms.means[-1]) & np.isfinite(arms.bonuses[-1])
    if known.sum() < 2:
        return f"{rule} Too few arms have been pulled so far to compare the two."
    spread = float(np.ptp(arms.means[-1][known]))
    bonus = float(arms.bonuses[-1][known].mean())
    decides = (
        "the bonus decides, and the arms take turns"
        if bonus > spread
        else "the means decide, and the better arms are pulled more"
    )
    return (
        f"{rule} At the last choice the means lay {spread:.2g} apart and the bonus was about "
        f"{bonus:.2g}: {decides}."
    )


def arm_key(arms: Arms) -> Markup:
    colours = [arm_colour(rank, len(arms.ratios)) for rank in range(len(arms.ratios))]
    names = [f"m = {ratio:g}" for ratio in arms.ratios]
    return colour_chips(dict(zip(names, colours, strict=True)))
