"""The summary of a run as plain data: progress, scores, dip, ratios and verdict."""

import math
from dataclasses import dataclass

import numpy as np

from road.mixing import Informedness, informedness
from road.mixing.informedness import MOST_ARMS
from road.mixing.support import Support
from road.records.credits import credit_pairs
from road.records.dip import Dip, measure_dip
from road.records.journal import Table
from road.records.naming import agent_name, mixer_name, run_name, seed_name, task_name
from road.records.reader import Progress, RunRecord, measure_progress
from road.records.scores import Evaluated, final_score, pretrained_score, scored
from road.records.verdict import run_verdict, was_pretrained

TENTHS = 10
"""Parts of the online phase for which the realised ratio is reported."""


@dataclass(frozen=True)
class Summary:
    """A run in numbers; ``dataclasses.asdict`` of it is JSON. None: not known, or not yet."""

    name: str
    task: str
    agent: str
    mixer: str
    seed: str
    finished: bool
    progress: Progress
    pretrained: float | None
    """Score at the end of the offline phase, or before the first online update if there is none;
    while the phase lasts, the latest score."""
    was_pretrained: bool
    """Whether the run was planned with an offline phase; a loop that is not ours does not say."""
    raw: bool
    """Whether scores are returns as they are, on no scale of 0 to 100."""
    final: float | None
    """Score of the last online evaluation."""
    change_error: float | None
    """Standard error of final minus pretrained, over the episodes of the two evaluations."""
    best: float | None
    """Best score of an online evaluation."""
    best_step: int | None
    dip: Dip | None
    mean_realised_ratio: float | None
    """The offline share of all rows trained on online."""
    realised_ratios: tuple[float | None, ...]
    """The same over time: for each tenth of the online phase."""
    periods: int
    informedness: Informedness | None
    support: Support | None
    """What the errors of probes say; None for a mixer without probes."""
    verdict: str
    on_log: bool = False
    """Whether it was trained on a log, so that it has no scores."""


def summarise(run: RunRecord) -> Summary:
    """Judge a run, finished or not."""
    online, progress = scored(run, "online"), measure_progress(run)
    began, ended = pretrained_score(run, progress.offline_steps_planned), final_score(run)
    pretrained = None if began is None else began.score
    best = int(np.argmax(online["score"])) if online.length else None
    informed = judge_choices(run.periods)
    supported = None if run.probes is None else run.probes.support
    return Summary(
        name=run_name(run),
        task=task_name(run),
        agent=agent_name(run),
        mixer=mixer_name(run),
        seed=seed_name(run),
        finished=progress.finished,
        progress=progress,
        pretrained=pretrained,
        was_pretrained=was_pretrained(run, progress),
        raw=run.raw,
        final=None if ended is None else ended.score,
        change_error=error_of_change(began, ended),
        best=None if best is None else float(online["score"][best]),
        best_step=None if best is None else int(online["step"][best]),
        dip=dip_of(pretrained, online),
        mean_realised_ratio=mean_realised_ratio(run.periods),
        realised_ratios=realised_over_time(run.periods, progress.online_steps),
        periods=run.periods.length,
        informedness=informed,
        support=supported,
        verdict=run_verdict(run, progress, (began, ended), informed, supported),
        on_log=run.on_log,
    )


def error_of_change(began: Evaluated | None, ended: Evaluated | None) -> float | None:
    return None if began is None or ended is None else math.hypot(began.error, ended.error)


def dip_of(pretrained: float | None, online: Table) -> Dip | None:
    if pretrained is None or not online.length:
        return None
    return measure_dip(pretrained, online["step"], online["score"])


def mean_realised_ratio(periods: Table) -> float | None:
    """Periods count by their length, which differs if they are episodes."""
    ratio, steps = periods["realised_ratio"], periods["steps"]
    known = np.isfinite(ratio) & (steps > 0)
    return float(np.average(ratio[known], weights=steps[known])) if known.any() else None


def realised_over_time(periods: Table, steps: int) -> tuple[float | None, ...]:
    """A period counts where its middle lies; None for a tenth in which no period was trained."""
    middle = periods["step"] - periods["steps"] / 2
    tenth = np.clip(np.floor(TENTHS * middle / max(steps, 1)), 0, TENTHS - 1)
    return tuple(mean_realised_ratio(periods.where(tenth == index)) for index in range(TENTHS))


def judge_choices(periods: Table) -> Informedness | None:
    ratio, credit = credit_pairs(periods)
    if not ratio.size or len(np.unique(ratio)) > MOST_ARMS:
        return None
    chosen = periods["offline_ratio"]
    return informedness(ratio, credit, chosen[np.isfinite(chosen)])
