"""What a comparison says in Markdown, and whether its bandits were informed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.report.test_grid_page import METHODS, QUICK, results

from road.mixing import Informedness, informedness
from road.report.draw.tables import Listing
from road.report.grid.answers import answers_of, pairs_of
from road.report.grid.credit_quality import by_chance, informed_verdict, quality_listing
from road.report.grid.findings import findings
from road.report.grid.listings import listings_of, paired_listing
from road.report.grid.placed import informed_runs
from road.report.grid.regret import Regrets, regret_verdict
from road.report.grid.results import GridResults
from road.report.grid.selection import families_of, selection_listing
from road.statistics import Estimate, Regret


def judged(difference: float) -> Informedness:
    ratios = np.tile([0.1, 0.5], 30)
    noise = np.random.default_rng(0).normal(size=60)
    return informedness(ratios, np.where(ratios > 0.3, difference, 0.0) + noise)


def test_runs_whose_credits_differ_are_counted():
    (line,) = informed_runs("ROAD", [judged(0.0), judged(5.0), judged(5.0), None])
    assert (line.runs, line.significant) == (3, 2)
    assert 0.5 < line.epsilon_squared < 0.7
    assert (line.equal, line.beyond_equal) == (3, 0.0)
    assert informed_verdict("ROAD", [line]) == (
        "ROAD's credits differed between its ratios in 2 of 3 runs, where chance gives 0.2; so "
        "many or more has a probability of 0.0073. It used its ratios in equal shares in 3 of 3."
    )


def test_how_likely_chance_tells_so_many_runs_apart():
    """Of two runs: both 0.05², one or both 1 - 0.95²; of 35, five or more 0.029."""
    assert by_chance(0, 2) == pytest.approx(1.0)
    assert by_chance(1, 2) == pytest.approx(0.0975)
    assert by_chance(2, 2) == pytest.approx(0.0025)
    assert by_chance(5, 35) == pytest.approx(stats.binom.sf(4, 35, 0.05))
    assert round(by_chance(5, 35), 3) == 0.029


def test_shares_that_cannot_be_equal_count_as_equal_and_a_preference_does_not():
    """5 periods of 2 ratios: 3 and 2 are 0.1 from equal, as they have to be; 4 and 1 are 0.3."""
    equal, leaning = (
        informedness(ratios, [0.0, 1.0, 0.5, 0.2, 0.8])
        for ratios in ([0.1, 0.1, 0.1, 0.5, 0.5], [0.1, 0.5, 0.1, 0.1, 0.1])
    )
    tested = [replace(each, detrended_p=0.5) for each in (equal, leaning)]
    (line,) = informed_runs("ROAD", tested)
    assert line.equal == 1
    assert line.beyond_equal == pytest.approx((0.3 - 0.1) / 2)


def test_a_method_of_one_ratio_has_no_line():
    constant = informedness([0.1] * 9, np.arange(9.0))
    assert informed_runs("Fixed 0.1", [constant, None]) == []
    assert informed_verdict("ROAD", []) == "Whether ROAD was informed could not be tested."


def test_a_trend_alone_tells_no_arms_apart():
    drifting = replace(judged(0.0), p=0.001, detrended_p=0.5)
    (line,) = informed_runs("ROAD", [drifting])
    assert line.significant == 0


@pytest.mark.parametrize(
    ("hindsight", "held_out", "claim"),
    [
        ((-3.0, -1.0), (-5.0, -2.0), "is better than"),
        ((-3.0, 1.0), (-5.0, -2.0), "is statistically indistinguishable from"),
        ((2.0, 5.0), (-1.0, 2.0), "is statistically indistinguishable from"),
        ((2.0, 5.0), (1.0, 2.0), "is worse than"),
    ],
)
def test_a_claim_needs_the_regret_that_could_refute_it(
    hindsight: tuple[float, float], held_out: tuple[float, float], claim: str
):
    """Better even by the regret that is too large, or worse even by the one that is too small."""
    pair = Regrets(regret(*hindsight), regret(*held_out))
    assert regret_verdict("ROAD", 0, 4, pair).startswith(f"ROAD {claim} the best fixed ratio")


def regret(low: float, high: float) -> Regret:
    estimate = Estimate(np.array([(low + high) / 2]), np.array([low]), np.array([high]))
    return Regret(np.zeros((1, 4), np.intp), estimate, estimate)


def test_the_findings_say_what_the_page_says():
    given = results(gain=20.0)
    text = findings(given, answers_of(given, QUICK))
    assert text.startswith("ROAD is better than the best fixed ratio, however that one is chosen")
    assert "differed between its ratios in 3 of 8 runs, where chance gives 0.4; so many" in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Scores",
        "## Regret against the best fixed ratio",
        "## Does the ratio matter?",
        "## Seed by seed",
        "## Options selected on other tasks and seeds",
        "## Aggregates",
        "## Informed?",
        "## Does the credit prefer the right ratio?",
    ]
    (row,) = (line for line in text.splitlines() if line.startswith("| ROAD | −"))
    assert row.count("−") == 6  # both regrets and their intervals lie below zero


@pytest.mark.parametrize(
    ("scores", "claim"),
    [
        ((0.0, 0.0, 30.0), "20.0 (20.0 to 20.0) points against the mean of the constants: better"),
        (
            (30.0, 0.0, 0.0),
            "−10.0 (−10.0 to −10.0) points against the mean of the constants: worse",
        ),
        (
            (6.0, 6.0, 6.0),
            "0.0 (0.0 to 0.0) points against the mean of the constants: statistically ind",
        ),
    ],
)
def test_a_credit_is_judged_by_what_its_favourite_scores(
    scores: tuple[float, float, float], claim: str
):
    """ROAD's credits favour 0.3, the third constant, in every run of both tasks."""
    given = results()
    table = given.table.scores.copy()
    table[:, :3] = np.array(scores)[None, :, None]
    sure = replace(given, table=replace(given.table, scores=table))
    text = findings(sure, answers_of(sure, QUICK))
    assert f"the ratio that ROAD's credits prefer in a run scores, as a constant, {claim}" in text
    *_, pendulum, overall = text.strip().splitlines()
    gain = scores[2] - sum(scores) / 3
    best = max(scores) - sum(scores) / 3
    said = f"{gain:.1f}".replace("-", "−")
    assert pendulum == f"| pendulum | {said} (0.3 in 4 of 4) | {best:.1f} |"
    assert overall.startswith(f"| All tasks | {said} (")


def test_an_interval_around_zero_is_indistinguishable_from_a_random_choice():
    """The favourite's constant has 40, -30, 30 and -20 points in four seeds, the others none."""
    given = results()
    table = given.table.scores.copy()
    table[:, :3] = 0.0
    table[:, 2] = np.array([40.0, -30.0, 30.0, -20.0])
    unsure = replace(given, table=replace(given.table, scores=table))
    assert (
        "points against the mean of the constants: statistically indistinguishable from a "
        "uniformly random ratio" in (findings(unsure, answers_of(unsure, QUICK)))
    )


def rated_listing(given: GridResults) -> Listing | None:
    answers = answers_of(given, QUICK)
    assert answers is not None
    return None if answers.rated is None else quality_listing(given, answers.rated)


def with_credits(given: GridResults, of_road: Any) -> GridResults:
    """The same credits in every run of ROAD."""
    credits = {task: each.copy() for task, each in given.credits.items()}
    for each in credits.values():
        each[4] = of_road
    return replace(given, credits=credits)


def test_a_tie_is_shared():
    tied = rated_listing(with_credits(results(), (0.0, 1.0, 1.0)))
    assert tied is not None
    assert "(0.1 and 0.3 in 2 of 4)" in tied.rows[0][1]


@pytest.mark.parametrize("credits", [np.nan, (np.nan, 1.0, np.nan)])
def test_without_two_ratios_to_choose_from_there_is_no_favourite(credits: Any):
    """On one task a dash; on all of them no verdict, as arms that are no constants give none."""
    given = results()
    silent = with_credits(given, credits)
    assert rated_listing(silent) is None
    text = findings(silent, answers_of(silent, QUICK))
    assert "a uniformly random ratio" not in text
    first, second = given.table.tasks
    half = {first: silent.credits[first], second: given.credits[second]}
    listing = rated_listing(replace(given, credits=half))
    assert listing is not None
    assert [row[1][0] for row in listing.rows[:1]] == ["–"]
    assert "(0.3 in 4 of 4)" in listing.rows[1][1]


def test_of_several_constants_with_one_ratio_the_first_counts():
    """0 and 0.1 are both 0.1 now: two ratios are left, of which the favourite is the second."""
    given = results()
    scores = given.table.scores.copy()
    scores[:, :3] = np.array([10.0, 90.0, 40.0])[None, :, None]
    table = replace(given.table, scores=scores)
    listing = rated_listing(replace(given, table=table, constants=(0.1, 0.1, 0.3)))
    assert listing is not None
    assert listing.rows[1] == ["pendulum", "15.0 (0.3 in 4 of 4)", "15.0"]


def test_without_ratios_that_can_be_looked_up_nothing_is_said():
    given = results()
    assert rated_listing(replace(given, constants=(0.1, np.nan, np.nan))) is None
    assert rated_listing(replace(given, credits={})) is None
    assert rated_listing(replace(given, informed=())) is None


def test_a_constant_that_is_no_arm_is_not_compared_with():
    """Fixed 0 scores 90 and no run was credited with it: 0.3 is 15 better than 0.1 and 0.3."""
    given = results()
    scores = given.table.scores.copy()
    scores[:, :3] = np.array([90.0, 10.0, 40.0])[None, :, None]
    credits = {task: each.copy() for task, each in given.credits.items()}
    for each in credits.values():
        each[..., 0] = np.nan
    sure = replace(given, table=replace(given.table, scores=scores), credits=credits)
    text = findings(sure, answers_of(sure, QUICK))
    assert "| pendulum | 15.0 (0.3 in 4 of 4) | 15.0 |" in text


def test_an_ablation_is_compared_by_its_methods():
    """Five settings of ROAD, no constant: two tasks of four seeds, and one setting far ahead."""
    given = results(gain=20.0)
    ablation = replace(given, fixed=(), kinds={"road": (0, 1, 2, 3, 4)}, paper=None)
    text = findings(ablation, answers_of(ablation, QUICK))
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Scores",
        "## Does the choice of method matter?",
        "## Seed by seed",
        "## Options selected on other tasks and seeds",
        "## Aggregates",
        "## Informed?",
    ]
    assert "ROAD's credits differed between its ratios" in text
    assert "underlined" not in text
    by_task = text.partition("matter?\n")[2].partition("\n## ")[0]
    assert "no best method can be named." in by_task
    row = [cell.strip() for cell in by_task.strip().splitlines()[-1].strip("|").split("|")]
    assert row[:2] == ["pendulum", "ROAD"]
    assert float(row[3].removeprefix("< ")) < 0.05
    assert "underlined the best fixed ratio." in findings(given, None)


def test_p_is_beside_p_for_all_tasks():
    given = results()
    answers = answers_of(given, QUICK)
    assert answers is not None
    seen = replace(answers, differences=replace(answers.differences, p=np.array([0.03, 0.04])))
    (listing,) = (each for kind, each in listings_of(given, seen) if kind == "tasks")
    at = [listing.head.index(name) for name in ("p", "p, of all tasks")]
    assert [[row[index] for index in at] for row in listing.rows] == [
        ["0.03", "0.06"],
        ["0.04", "0.06"],
    ]
    assert "p adjusted for all 2 tasks (Holm)" in listing.caption
    one = replace(given.table, tasks=given.table.tasks[:1], scores=given.table.scores[:1])
    text = findings(replace(given, table=one), answers_of(replace(given, table=one), QUICK))
    assert "best minus worst | p | ROAD loses" in text
    assert "tasks (Holm)" not in text


def test_p_of_a_pair_is_beside_p_for_all_of_them():
    given = results()
    answers = answers_of(given, QUICK)
    assert answers is not None
    chances = dict(zip(METHODS[:4], (0.01, 0.5, 0.02, 0.04), strict=True))
    paired = {name: replace(answers.paired[name], p=p) for name, p in chances.items()}
    listing = paired_listing(given, paired)
    at = [listing.head.index(name) for name in ("p", "p, of all methods")]
    assert [[row[index] for index in at] for row in listing.rows] == [
        ["0.01", "0.04"],
        ["0.5", "0.5"],
        ["0.02", "0.06"],
        ["0.04", "0.08"],
    ]
    assert "p adjusted for all 4 of them (Holm)" in listing.caption
    alone = paired_listing(given, {"Uniform": paired["Uniform"]})
    assert "p, of all methods" not in alone.head
    assert "Holm" not in alone.caption


def test_a_lead_that_depends_on_one_task_is_shown():
    """Three tasks on which ROAD is 40 ahead of Uniform, 1 behind and 3 behind."""
    given = results()
    scores = np.zeros((3, 5, 4))
    scores[:, 4] = np.array([40.0, -1.0, -3.0])[:, None]
    three = replace(
        given, table=replace(given.table, tasks=("maze", "pendulum", "hand"), scores=scores)
    )
    paired = pairs_of(three, np.random.default_rng(0), QUICK)
    listing = paired_listing(three, paired)
    at = listing.head.index("any task left out")
    assert listing.rows[list(paired).index("Uniform")][at] == "−2.0 to 19.5"
    assert "one task decides" in listing.caption
    two = paired_listing(given, pairs_of(given, np.random.default_rng(0), QUICK))
    assert "any task left out" not in two.head
    assert "one task decides" not in two.caption


def test_a_method_alone_is_compared_with_nothing():
    given = results()
    table = replace(given.table, methods=("ROAD",), scores=given.table.scores[:, 4:])
    alone = replace(given, table=table, fixed=(), kinds={"road": (0,)}, paper=None)
    text = findings(alone, answers_of(alone, QUICK))
    assert "matter?" not in text
    assert "## Aggregates" in text


def test_options_are_judged_where_they_were_not_chosen():
    """Fixed 0.3 is the best constant everywhere, so it is chosen everywhere; ROAD beats it by 5."""
    given = results()
    scores = np.zeros_like(given.table.scores)
    scores[:, 2], scores[:, 4] = 10.0, 15.0
    sure = replace(given, table=replace(given.table, scores=scores))
    text = findings(sure, answers_of(sure, QUICK)).partition(
        "## Options selected on other tasks and seeds"
    )[2]
    lines = text.partition("## Aggregates")[0].strip().splitlines()[-3:]
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in lines] == [
        ["Fixed", "3", "10.0 (10.0 to 10.0)", "", sure_of(-5), "Fixed 0.3 100 %"],
        ["Uniform", "1", "0.0 (0.0 to 0.0)", sure_of(-10), sure_of(-15), ""],
        ["ROAD", "1", "15.0 (15.0 to 15.0)", sure_of(5), "", ""],
    ]
    assert "minus a fixed ratio | minus ROAD | selected options" in text


def sure_of(value: int) -> str:
    return "{0}.0 ({0}.0 to {0}.0)".format(str(value).replace("-", "−"))


def test_whether_an_option_helps_the_subject_is_answered_without_constants():
    """Of ROAD's options the fourth method gains 18, and ROAD as it is 15."""
    given = results()
    scores = np.zeros_like(given.table.scores)
    scores[:, 3], scores[:, 4] = 18.0, 15.0
    table = replace(given.table, scores=scores)
    options = replace(given, table=table, fixed=(), kinds={"road": (0, 1, 2, 3, 4)})
    (family,) = families_of(options, np.random.default_rng(0), QUICK)
    listing = selection_listing(options, [family])
    assert listing.head == ("Strategy", "options", "score", "minus ROAD", "selected options")
    assert listing.rows == [["ROAD", "5", sure_of(18), sure_of(3), "Uniform 100 %"]]
    assert "fixed ratio" not in listing.caption
    another = replace(options, subject="another")
    (family,) = families_of(another, np.random.default_rng(0), QUICK)
    assert selection_listing(another, [family]).head == (
        "Strategy",
        "options",
        "score",
        "selected options",
    )


def test_names_of_others_cannot_break_a_table():
    given = results()
    methods = ("Fixed 0.1", "Fixed|0.2", *given.table.methods[2:])
    odd = replace(given, table=replace(given.table, methods=methods))
    lines = findings(odd, answers_of(odd, QUICK)).splitlines()
    widths = {line.count("|") for line in lines if line.startswith("| Fixed&#124;0.2")}
    assert len(widths) > 1
    assert not any("Fixed|0.2" in line for line in lines)


def test_without_options_or_a_second_task_there_is_no_such_section():
    given = results()
    alone = replace(given, kinds={"fixed": (0,), "uniform": (3,), "road": (4,)})
    assert families_of(alone, np.random.default_rng(0), QUICK) == []
    one = replace(given.table, tasks=given.table.tasks[:1], scores=given.table.scores[:1])
    assert families_of(replace(given, table=one), np.random.default_rng(0), QUICK) == []


def test_without_every_run_only_the_scores_are_reported():
    given = results()
    scores = given.table.scores.copy()
    scores[0, 0, 0] = np.nan
    holed = replace(given, table=replace(given.table, scores=scores))
    text = findings(holed, answers_of(holed, QUICK))
    assert "Runs that are missing: 1: " in text
    assert "## Scores" in text
    assert "## Aggregates" not in text
