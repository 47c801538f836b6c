"""The picture of families along a knob: a pair of small plots for each, ratios and scores."""

from collections.abc import Iterable, Mapping

from road.report.draw.along_knob import BEST, Strip, ratio_panel, score_panel
from road.report.draw.document import colour_chips, figure, panel
from road.report.draw.markup import Markup, join, tag
from road.report.draw.palette import method_colours
from road.report.draw.tables import listing_figure
from road.report.grid.families import BEST_FIXED, Family, families_of, family_listings
from road.report.grid.results import GridResults

TITLE = "Best fixed ratio and chosen ratio along the knob"
CAPTION = (
    "The cases of a family differ by one knob alone; at the left the world of the log is the "
    "task's. Above: the fixed ratio of the greatest mean score over the online phase, its band "
    "the ratios that are not worse beyond chance, and the mean ratio that {subject} used, a dot "
    "per seed. Below: mean scores over the online phase, with bands of one standard error."
)


def colours_of(results: GridResults, families: Iterable[Family]) -> Mapping[str, str]:
    """Of the best fixed ratio and of every strategy that is none."""
    methods = method_colours(results.table.methods, results.fixed, results.subject)
    names = dict.fromkeys(name for family in families for name in family.scores)
    return {name: BEST if name == BEST_FIXED else methods[name] for name in names}


def ratio_plot(family: Family, subject: str, colours: Mapping[str, str]) -> Markup:
    used = Strip(subject, family.used, colours.get(subject, BEST))
    within = family.lowest, family.highest
    return ratio_panel(family.values, family.knob, family.best, within, used)


def scores_plot(family: Family, colours: Mapping[str, str]) -> Markup:
    strips = [Strip(name, seeds, colours[name]) for name, seeds in family.scores.items()]
    return score_panel(family.values, family.knob, strips)


def family_figures(results: GridResults) -> Iterable[Markup]:
    """For a page: all families side by side, then the numbers of each; nothing without families."""
    families = families_of(results)
    if not families:
        return
    colours = colours_of(results, families)
    panels = [
        panel(
            [family.title],
            join([named("offline ratio", ratio_plot(family, results.subject, colours)),
                  named("score", scores_plot(family, colours))]),
        )
        for family in families
    ]  # fmt: skip
    key, caption = colour_chips(colours), CAPTION.format(subject=results.subject)
    yield figure(TITLE, caption, key, tag("div", panels, class_="multiples"), kind="families")
    for listing in family_listings(results):
        yield listing_figure(listing, "family")


def named(what: str, drawn: Markup) -> Markup:
    return join([tag("p", what, class_="panel-title"), drawn])
