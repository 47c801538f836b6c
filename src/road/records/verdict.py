"""The sentence a report begins with: what fine-tuning did, and whether the choice was informed."""

import numpy as np

from road.mixing import Informedness
from road.mixing.support import Support
from road.records.naming import agent_name, mixer_name, part_of, shorten, task_name, text_of
from road.records.reader import Progress, RunRecord

SCHEDULES = ("decreasing", "ramp")
"""Mixers whose ratio follows the clock and nothing else."""
SAME_SCORE = 1.0
"""Scores that differ by less are called the same: the normalised scale is 0 to 100."""
SAME_SHARE = 0.01
"""Returns that have no scale are called the same if they differ by less than this share."""


def run_verdict(
    run: RunRecord,
    progress: Progress,
    scores: tuple[float | None, float | None],
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
    run: RunRecord, progress: Progress, pretrained: float | None, final: float | None
) -> str:
    agent, task = shorten(agent_name(run), 60), shorten(task_name(run), 80)
    if pretrained is None:
        return f"there is no evaluation of {agent} on {task}"
    has = "" if progress.finished else "has "
    if final is None:
        return f"pretraining {has}left {agent} at {score(run, pretrained)} on {task}"
    change = final - pretrained
    if abs(change) < same_score(run, pretrained, final):
        return f"fine-tuning {has}left {agent} at {score(run, final)} on {task}, where it began"
    verb = ("taken" if has else "took") if change > 0 else "lowered"
    began, ended = score(run, pretrained), score(run, final)
    return f"fine-tuning {has}{verb} {agent} from {began} to {ended} on {task}"


def score(run: RunRecord, value: float) -> str:
    return f"{value:.4g}" if run.raw else f"{value:.1f}"


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
