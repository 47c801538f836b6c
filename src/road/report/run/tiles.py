"""The first screen of a run's page as tiles, and its last two as lines for a terminal."""

from collections.abc import Iterable

from road.mixing.informedness import SIGNIFICANCE
from road.records.dip import Dip
from road.records.summary import Summary
from road.records.verdict import NOISE
from road.report.draw import format
from road.report.draw.document import tile
from road.report.draw.markup import Markup
from road.report.run.probes import support_words


def tiles(summary: Summary) -> Iterable[Markup]:
    yield start_tile(summary)
    yield tile("Final", shown(summary, summary.final), change(summary))
    best_step = "" if summary.best_step is None else f"at step {format.compact(summary.best_step)}"
    yield tile("Best online", shown(summary, summary.best), best_step)
    yield tile("Dip", *dip_words(summary))
    ratio = format.share(summary.mean_realised_ratio)
    yield tile("Offline share", ratio, f"of the rows trained on, {summary.periods:,} periods")
    if summary.support is not None:
        yield tile("Fresh transitions support", *support_words(summary.support))
    else:
        yield tile("Credits differ by arm", *informed_words(summary))


def shown(summary: Summary, value: float | None) -> str:
    """A score of this run as text."""
    return format.score(value, raw=summary.raw)


def start_tile(summary: Summary) -> Markup:
    if summary.was_pretrained:
        return tile("Pretrained", shown(summary, summary.pretrained), "score before the switch")
    return tile("At the start", shown(summary, summary.pretrained), "not pretrained")


def start_word(summary: Summary) -> str:
    """What online scores are compared with."""
    return "pretrained" if summary.was_pretrained else "the start"


def change(summary: Summary) -> str:
    if summary.final is None or summary.pretrained is None:
        return "no online evaluation yet"
    difference = format.change(summary.final - summary.pretrained, raw=summary.raw)
    noise = NOISE * (summary.change_error or 0.0)
    doubt = f", noise ± {shown(summary, noise)}" if noise else ""
    return f"{difference} against {start_word(summary)}{doubt}"


def regained_words(dip: Dip) -> str:
    if dip.steps_to_recover is None:
        return "not regained"
    return f"regained by step {format.compact(dip.steps_to_recover)}"


def dip_words(summary: Summary) -> tuple[str, str]:
    dip = summary.dip
    if dip is None:
        return format.UNKNOWN, "no online evaluation yet"
    if dip.lowest_step is None:
        return "none", f"never below {start_word(summary)}"
    lowest = f"lowest at step {format.compact(dip.lowest_step)}"
    area = f"area {format.compact(dip.area)} score × steps"
    return shown(summary, -dip.depth), f"{lowest}, {regained_words(dip)}, {area}"


def informed_words(summary: Summary) -> tuple[str, str]:
    """The test with the trend removed: a drift that all arms share is no difference."""
    judged = summary.informedness
    if judged is None or judged.detrended_p is None:
        return format.UNKNOWN, "nothing to compare"
    differ = "yes" if judged.detrended_p < SIGNIFICANCE else "no"
    effect = format.plain(judged.detrended_eta_squared)
    return differ, f"η² {effect}, p {format.probability(judged.detrended_p)}, trend removed"


def after_the_switch(summary: Summary) -> list[str]:
    """A line each for the dip and for the realised ratio, whatever the strategy was."""
    dip = [] if summary.on_log else [f"dip: {dip_sentence(summary)}"]
    return [*dip, f"offline share: {ratio_sentence(summary)}"]


def dip_sentence(summary: Summary) -> str:
    dip = summary.dip
    if dip is None:
        return "not known, for lack of evaluations"
    if dip.lowest_step is None:
        start = "pretrained score" if summary.was_pretrained else "score at the start"
        return f"none; no online evaluation was below the {start}"
    return (
        f"{shown(summary, dip.depth)} deep, lowest at step {dip.lowest_step:,}, "
        f"{regained_words(dip)}; area {format.plain(dip.area)} score × steps"
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
