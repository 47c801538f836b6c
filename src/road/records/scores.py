"""The evaluations of a run: which have a score, how sure each is, and where fine-tuning began."""

from dataclasses import dataclass

import numpy as np

from road.records.journal import Floats, Table
from road.records.reader import RunRecord


@dataclass(frozen=True)
class Evaluated:
    """A score with its standard error over the episodes; 0 where that is not known."""

    score: float
    error: float


def scored(run: RunRecord, phase: str) -> Table:
    """The evaluations of a phase that have a score, in the order of their steps."""
    rows = run.evaluations.in_phase(phase)
    return rows.where(np.isfinite(rows["score"]) & np.isfinite(rows["step"]))


def score_unit(run: RunRecord) -> float:
    """Points of score per unit of return, read off two evaluations; 0 if they cannot say.

    Scores are an affine function of returns, so their spread is that of the returns in other units.
    """
    returns, scores = run.evaluations["return_mean"], run.evaluations["score"]
    known = np.isfinite(returns) & np.isfinite(scores)
    if not known.any() or np.ptp(returns[known]) == 0.0:
        return 0.0
    ends = [np.argmin(returns[known]), np.argmax(returns[known])]
    (low, high), (worst, best) = returns[known][ends], scores[known][ends]
    return abs(float((best - worst) / (high - low)))


def standard_errors(rows: Table, unit: float) -> Floats:
    """Of each score, over its episodes; 0 where it is not known.

    The spread in the journal is that of the episodes themselves, hence n - 1.
    """
    error = unit * rows["return_std"] / np.sqrt(np.maximum(rows["episodes"] - 1.0, 1.0))
    return np.where(np.isfinite(error), np.abs(error), 0.0)


def pretrained_score(run: RunRecord, offline_steps: int) -> Evaluated | None:
    """Of the agent as it goes online: an earlier evaluation would credit fine-tuning with more."""
    offline, online = scored(run, "offline"), scored(run, "online")
    at_the_end = offline["step"] >= offline_steps
    at_the_start = online["step"] == 0
    return first_known(
        run, offline.where(at_the_end), online.where(at_the_start), backwards(offline), online
    )


def final_score(run: RunRecord) -> Evaluated | None:
    """Of the last online evaluation."""
    return first_known(run, backwards(scored(run, "online")))


def backwards(rows: Table) -> Table:
    return Table({name: column[::-1] for name, column in rows.columns.items()}, rows.length)


def first_known(run: RunRecord, *candidates: Table) -> Evaluated | None:
    """The first row of the first table that has one."""
    rows = next((rows for rows in candidates if rows.length), None)
    if rows is None:
        return None
    errors = standard_errors(rows, score_unit(run))
    return Evaluated(float(rows["score"][0]), float(errors[0]))
