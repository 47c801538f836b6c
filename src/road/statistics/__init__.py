"""Estimates from many runs, with their uncertainty, and comparisons of methods. NumPy only.

Every function takes ``scores[task, method, seed]`` in which no score is missing; ``ScoreTable``
arranges runs in that shape and names what is missing. Random functions take a generator, so the
same seed gives the same interval.
"""

from road.statistics.aggregate import (
    estimate_improvement,
    estimate_profile,
    interquartile_mean,
    mean,
    median,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
)
from road.statistics.credit_quality import CreditQuality, estimate_credit_quality, preferences
from road.statistics.fixed_ratios import (
    FixedRatioComparison,
    compare_fixed_ratios,
    not_worse_than_best,
)
from road.statistics.paired import (
    PairedComparison,
    compare_paired,
    holm_adjusted,
    means_without_one,
    sign_flip_p,
)
from road.statistics.regret import Regret, held_out_regret, hindsight_regret
from road.statistics.resampling import Estimate, bootstrap, bootstrap_estimate, curve_band
from road.statistics.selection import (
    FamilyEstimates,
    Selection,
    estimate_selection,
    select_options,
)
from road.statistics.table import Cells, Floats, ScoreTable, cells_of

__all__ = [
    "Cells",
    "CreditQuality",
    "Estimate",
    "FamilyEstimates",
    "FixedRatioComparison",
    "Floats",
    "PairedComparison",
    "Regret",
    "ScoreTable",
    "Selection",
    "bootstrap",
    "bootstrap_estimate",
    "cells_of",
    "compare_fixed_ratios",
    "compare_paired",
    "curve_band",
    "estimate_credit_quality",
    "estimate_improvement",
    "estimate_profile",
    "estimate_selection",
    "held_out_regret",
    "hindsight_regret",
    "holm_adjusted",
    "interquartile_mean",
    "mean",
    "means_without_one",
    "median",
    "not_worse_than_best",
    "optimality_gap",
    "performance_profile",
    "preferences",
    "probability_of_improvement",
    "select_options",
    "sign_flip_p",
]
