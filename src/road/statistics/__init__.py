"""What many runs say together: how good, how sure, and better than what. NumPy only.

Every function takes ``scores[task, method, seed]`` in which no score is missing; ``ScoreTable``
brings runs into that shape and says what is missing. Whatever is random takes a generator, so the
same seed gives the same interval.
"""

from road.statistics.aggregates import interquartile_mean, mean, median, optimality_gap
from road.statistics.constants import Constants, compare_constants
from road.statistics.elsewhere import (
    Elsewhere,
    FamilyEstimates,
    choose_elsewhere,
    estimate_elsewhere,
)
from road.statistics.favoured import Favoured, estimate_favoured, favour
from road.statistics.holm import holm_adjusted
from road.statistics.improvement import estimate_improvement, probability_of_improvement
from road.statistics.paired import PairedComparison, compare_paired, sign_flip_p
from road.statistics.profiles import estimate_profile, performance_profile
from road.statistics.regret import Regret, held_out_regret, hindsight_regret
from road.statistics.resampling import Estimate, bootstrap, bootstrap_estimate, curve_band
from road.statistics.table import Cells, ScoreTable, cells_of
from road.statistics.without_one import means_without_one

__all__ = [
    "Cells",
    "Constants",
    "Elsewhere",
    "Estimate",
    "FamilyEstimates",
    "Favoured",
    "PairedComparison",
    "Regret",
    "ScoreTable",
    "bootstrap",
    "bootstrap_estimate",
    "cells_of",
    "choose_elsewhere",
    "compare_constants",
    "compare_paired",
    "curve_band",
    "estimate_elsewhere",
    "estimate_favoured",
    "estimate_improvement",
    "estimate_profile",
    "favour",
    "held_out_regret",
    "hindsight_regret",
    "holm_adjusted",
    "interquartile_mean",
    "mean",
    "means_without_one",
    "median",
    "optimality_gap",
    "performance_profile",
    "probability_of_improvement",
    "sign_flip_p",
]
