"""The key numbers of a run, large enough to be read across a table."""

from collections.abc import Iterable

from road.mixing.informedness import SIGNIFICANCE
from road.report import writing
from road.report.dip import Dip
from road.report.markup import Markup, tag
from road.report.summary import Summary


def tiles(summary: Summary) -> Markup:
    return tag("dl", list(tiles_of(summary)), class_="tiles")


def tile(name: str, value: str, note: str) -> Markup:
    return tag("div", tag("dt", name), tag("dd", value, class_="big"), tag("dd", note))


def tiles_of(summary: Summary) -> Iterable[Markup]:
    yield tile("Pretrained", writing.score(summary.pretrained), "score before the switch")
    yield tile("Final", writing.score(summary.final), change(summary))
    best_step = "" if summary.best_step is None else f"at step {writing.compact(summary.best_step)}"
    yield tile("Best online", writing.score(summary.best), best_step)
    yield tile("Dip", *dip_words(summary.dip))
    ratio = writing.share(summary.mean_realised_ratio)
    yield tile("Offline share", ratio, f"of the rows trained on, {summary.periods:,} periods")
    yield tile("Arms told apart", *informed_words(summary))


def change(summary: Summary) -> str:
    if summary.final is None or summary.pretrained is None:
        return "no online evaluation yet"
    return writing.signed(f"{summary.final - summary.pretrained:+.1f} against pretrained")


def regained_words(dip: Dip) -> str:
    if dip.steps_to_recover is None:
        return "not regained"
    return f"regained by step {writing.compact(dip.steps_to_recover)}"


def dip_words(dip: Dip | None) -> tuple[str, str]:
    if dip is None:
        return writing.UNKNOWN, "no online evaluation yet"
    if dip.lowest_step is None:
        return "none", "never below pretrained"
    lowest = f"lowest at step {writing.compact(dip.lowest_step)}"
    area = f"area {writing.compact(dip.area)} score × steps"
    return writing.score(-dip.depth), f"{lowest}, {regained_words(dip)}, {area}"


def informed_words(summary: Summary) -> tuple[str, str]:
    """The test with the trend removed: a drift that all arms share tells none of them apart."""
    judged = summary.informedness
    if judged is None or judged.detrended_p is None:
        return writing.UNKNOWN, "nothing to compare"
    told = "yes" if judged.detrended_p < SIGNIFICANCE else "no"
    effect = writing.plain(judged.detrended_eta_squared)
    return told, f"η² {effect}, p {writing.probability(judged.detrended_p)}, trend removed"
