"""The estimates of a comparison, computed once for the page and for Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from road.report.grid.credit_quality import RatedCredits, rate_credits
from road.report.grid.regret import Regrets, regrets_of
from road.report.grid.results import GridResults
from road.report.grid.selection import Family, families_of
from road.statistics import (
    Estimate,
    FixedRatioComparison,
    PairedComparison,
    bootstrap_estimate,
    compare_fixed_ratios,
    compare_paired,
    estimate_improvement,
    interquartile_mean,
    mean,
    median,
    optimality_gap,
)
from road.statistics.resampling import SAMPLES

AGGREGATES = {
    "IQM": interquartile_mean,
    "median": median,
    "mean": mean,
    "optimality gap": optimality_gap,
}


@dataclass(frozen=True)
class Answers:
    """Estimates that need every run of a grid, and several seeds."""

    regrets: Regrets | None
    differences: FixedRatioComparison
    """Whether the fixed ratios differ on a task; without any, whether the methods do."""
    paired: Mapping[str, PairedComparison]
    """The subject against each other method."""
    aggregates: Mapping[str, Estimate]
    improvement: Estimate
    families: Sequence[Family] = ()
    """Kinds of strategies, their options selected on other tasks and seeds."""
    rated: RatedCredits | None = None
    """Whether credits prefer ratios that are good constants."""


def answers_of(results: GridResults, samples: int = SAMPLES, seed: int = 0) -> Answers | None:
    """None while a run is missing, and with one seed: every interval would be a point."""
    if results.table.missing() or len(results.table.seeds) < 2:
        return None
    scores, rng = results.table.scores, np.random.default_rng(seed)
    return Answers(
        regrets_of(results, rng, samples),
        compare_fixed_ratios(scores, results.compared, rng, samples),
        pairs_of(results, rng, samples),
        {
            name: bootstrap_estimate(aggregate, scores, rng, samples)
            for name, aggregate in AGGREGATES.items()
        },
        estimate_improvement(scores, rng, samples),
        families_of(results, rng, samples),
        rate_credits(results, rng, samples),
    )


def pairs_of(
    results: GridResults, rng: np.random.Generator, samples: int
) -> dict[str, PairedComparison]:
    """The subject against every other method, seed by seed."""
    methods, scores = results.table.methods, results.table.scores
    if results.subject not in methods:
        return {}
    subject = results.table.method(results.subject)
    return {
        name: compare_paired(scores, subject, index, rng, samples)
        for index, name in enumerate(methods)
        if index != subject
    }
