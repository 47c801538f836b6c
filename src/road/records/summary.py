"""The summary of a run as plain data: progress, scores, dip, ratios and verdict."""

from dataclasses import dataclass

import numpy as np

from road.mixing import Informedness, informedness
from road.mixing.informedness import MOST_ARMS
from road.mixing.support import Support
from road.records.credits import credit_pairs
from road.records.dip import Dip, measure_dip
from road.records.journal import Floats, Table
from road.records.naming import agent_name, mixer_name, run_name, seed_name, task_name
from road.records.reader import Progress, RunRecord, measure_progress
from road.records.verdict import run_verdict

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
    """Score at the end of the offline phase; while it lasts, the latest score."""
    final: float | None
    """Score of the last online evaluation."""
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


def summarise(run: RunRecord) -> Summary:
    """Judge a run, finished or not."""
    offline, online = scored(run, "offline"), scored(run, "online")
    progress = measure_progress(run)
    pretrained = pretrained_score(offline, online, progress.offline_steps_planned)
    final = first_known(online["score"][-1:])
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
        final=final,
        best=None if best is None else float(online["score"][best]),
        best_step=None if best is None else int(online["step"][best]),
        dip=dip_of(pretrained, online),
        mean_realised_ratio=mean_realised_ratio(run.periods),
        realised_ratios=realised_over_time(run.periods, progress.online_steps),
        periods=run.periods.length,
        informedness=informed,
        support=supported,
        verdict=run_verdict(run, progress, (pretrained, final), informed, supported),
    )


def pretrained_score(offline: Table, online: Table, offline_steps: int) -> float | None:
    """Of the agent as it goes online: an earlier evaluation would credit fine-tuning with more."""
    at_the_end = offline["step"] >= offline_steps
    at_the_start = online["step"] == 0
    return first_known(
        offline["score"][at_the_end], online["score"][at_the_start],
        offline["score"][::-1], online["score"],
    )  # fmt: skip


def first_known(*candidates: Floats) -> float | None:
    return next((float(candidate[0]) for candidate in candidates if candidate.size), None)


def dip_of(pretrained: float | None, online: Table) -> Dip | None:
    if pretrained is None or not online.length:
        return None
    return measure_dip(pretrained, online["step"], online["score"])


def scored(run: RunRecord, phase: str) -> Table:
    """The evaluations of a phase that have a score, in the order of their steps."""
    rows = run.evaluations.in_phase(phase)
    return rows.where(np.isfinite(rows["score"]) & np.isfinite(rows["step"]))


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
