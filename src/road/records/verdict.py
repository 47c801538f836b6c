"""The sentence a report begins with: what fine-tuning did, and whether the choice was informed."""

import math

import numpy as np

from road.mixing import Informedness
from road.mixing.support import Support
from road.records.naming import agent_name, mixer_name, part_of, shorten, task_name, text_of
from road.records.notation import score
from road.records.reader import Progress, RunRecord
from road.records.scores import Evaluated

SCHEDULES = ("decreasing", "ramp")
"""Mixers whose ratio follows the clock and nothing else."""
SAME_SCORE = 1.0
"""Scores that differ by less are called the same: the normalised scale is 0 to 100."""
SAME_SHARE = 0.01
"""Returns that have no scale are called the same if they differ by less than this share."""
NOISE = 2.0
"""Standard errors that a difference of two evaluations must exceed to be called a change."""


def run_verdict(
    run: RunRecord,
    progress: Progress,
    scores: tuple[Evaluated | None, Evaluated | None],
    informed: Informedness | None,
    supported: Support | None,
) -> str:
    """One sentence about one run; the scores are the pretrained and the final one."""
    clauses = [what_training_did(run, progress, *scores)]
    clauses += what_the_mixer_did(run, informed)
    # The numbers behind it are in the section on the errors of the probes.
    clauses += [supported.sentence.partition(" (")[0]] if supported else []
    sentence = "; ".join(clauses)
    if progress.finished:
        return f"{capitalised(sentence)}."
    return f"Not finished yet ({progress}): {sentence}."


def what_training_did(
    run: RunRecord, progress: Progress, began: Evaluated | None, ended: Evaluated | None
) -> str:
    agent, task = shorten(agent_name(run), 60), shorten(task_name(run), 80)
    if run.on_log:
        rows = f"{progress.online_steps:,} new rows of a log"
        return f"{agent} was trained on {rows} of {task}, and no return was measured"
    if began is None:
        return f"there is no evaluation of {agent} on {task}"
    has = "" if progress.finished else "has "
    start, pretrained = score(began.score, raw=run.raw), was_pretrained(run, progress)
    if ended is None and pretrained:
        return f"pretraining {has}left {agent} at {start} on {task}"
    if ended is None:
        return f"{agent} was not pretrained and began at {start} on {task}"
    training = "fine-tuning" if pretrained else f"{agent} was not pretrained; online training"
    whom, end = agent if pretrained else "it", score(ended.score, raw=run.raw)
    if doubt := is_no_change(run, began, ended):
        when = "now" if has else "after"
        return (
            f"{training} {has}made no clear change to {whom} on {task}: {start} before and {end} "
            f"{when}, {doubt}"
        )
    verb = "lowered" if ended.score < began.score else "taken" if has else "took"
    return f"{training} {has}{verb} {whom} from {start} to {end} on {task}"


def was_pretrained(run: RunRecord, progress: Progress) -> bool:
    """Whether there is an offline phase; a loop that is not ours does not say."""
    return run.foreign or progress.offline_steps_planned > 0


def is_no_change(run: RunRecord, began: Evaluated, ended: Evaluated) -> str:
    """Why the difference counts for nothing; empty if it counts."""
    change = abs(ended.score - began.score)
    noise = NOISE * math.hypot(began.error, ended.error)
    if change < noise:
        return f"within the noise of the evaluations (± {score(noise, raw=run.raw)})"
    if change < same_score(run, began.score, ended.score):
        return "less than 1 % apart" if run.raw else "less than a point apart"
    return ""


def same_score(run: RunRecord, *scores: float) -> float:
    return SAME_SHARE * max(map(abs, scores)) if run.raw else SAME_SCORE


def what_the_mixer_did(run: RunRecord, informed: Informedness | None) -> list[str]:
    """Nothing before the first period."""
    ratios = run.periods["offline_ratio"]
    ratios = ratios[np.isfinite(ratios)]
    if not ratios.size:
        return []
    if run.arms is not None and informed is not None:
        whose = shorten(mixer_name(run).partition(" (")[0], 60)
        return [informed.sentence.replace("the credits", f"{whose}'s credits", 1)]
    if ratios.min() == ratios.max():
        return [f"the offline ratio stayed at {ratios[0]:g}"]
    name = text_of(part_of(run.config, "mixer"), "name", "")
    if name == "uniform":
        return ["the offline ratio was drawn at random, whatever the credits said"]
    how = " on a schedule" if name in SCHEDULES else ""
    return [f"the offline ratio went from {ratios[0]:.2g} to {ratios[-1]:.2g}{how}"]


def capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
