"""Bandits on R_q that was recorded: on the chain, where every arm has a run, and in real runs.

A bandit is paid what one run recorded and judged by what the *other* runs of its kind say the arms
are worth: so it gains by what holds beyond that run, and not by its luck. Regret is in units of
what an even choice would miss.
"""

from collections.abc import Mapping
from itertools import groupby

import numpy as np

from road.mixing import SlidingWindowUCB, informedness
from road.mixing.mixers import PAPER_ARMS
from road.theory.bandits import Bandit, UniformChoice
from road.theory.chain import DATA, DEMO, DataQuality
from road.theory.credits import each_credit
from road.theory.draws import generator
from road.theory.drift import Means, best_single_arm, dynamic_regret, play
from road.theory.qlearning import Run, learn
from road.theory.recorded import Record, filled, recorded_runs
from road.theory.statistics import Numbers, interval

EVERY = 10
"""Online steps of the chain per recorded period."""


def rivals(seed: int) -> Mapping[str, Bandit]:
    arms = len(PAPER_ARMS)
    return {
        "ROAD (c = 2)": SlidingWindowUCB(arms),
        "standardised": SlidingWindowUCB(arms, 2.0, None, "standardised"),
        "standardised, c = 0.1": SlidingWindowUCB(arms, 0.1, None, "standardised"),
        "the same, window 25": SlidingWindowUCB(arms, 0.1, 25, "standardised"),
        "uniform": UniformChoice(arms, seed),
    }


def on_the_chain(repetitions: int, seed: int) -> Numbers:
    return {quality: contest([chain_credits(quality, repetitions, seed)]) for quality in DATA}


def in_real_runs() -> Numbers:
    """All agents together; each run is judged by those of its own agent."""
    groups = [list(runs) for _, runs in groupby(recorded_runs(), key=lambda run: run.agent)]
    stacks = [np.stack([filled(run, PAPER_ARMS) for run in runs]) for runs in groups]
    return {**contest(stacks), "runs": [told_apart(run) for runs in groups for run in runs]}


def told_apart(run: Record) -> Numbers:
    """The library's own test of whether the credits of a run tell its arms apart."""
    found = informedness(run.ratios, run.credits)
    credits = {ratio: credits_of(run, ratio).mean() for ratio in PAPER_ARMS}
    return {
        "agent": run.agent,
        "seed": run.seed,
        "mean_credit": credits,
        "counts": found.counts,
        "detrended_p": found.detrended_p,
        "eta_squared": found.detrended_eta_squared,
    }


def credits_of(run: Record, ratio: float) -> np.ndarray:
    return np.array(run.credits)[np.array(run.ratios) == ratio]


def contest(stacks: list[np.ndarray]) -> Numbers:
    """Every rival on every run; a stack holds runs of one kind, by period and arm."""
    missed: dict[str, list[float]] = {}
    pulls: dict[str, list[list[int]]] = {}
    for stack in stacks:
        for index, (run, means) in enumerate(zip(stack, others(stack), strict=True)):
            chosen = {name: play(bandit, run) for name, bandit in rivals(index).items()}
            chosen["best single arm"] = best_single_arm(means)
            for name, arms in chosen.items():
                missed.setdefault(name, []).append(share_missed(means, arms))
                pulls.setdefault(name, []).append(arms)
    return {
        "regret": {name: interval(np.array(values)) for name, values in missed.items()},
        "pulls": {name: pulled(runs) for name, runs in pulls.items()},
        "spread_within_arm": np.mean([stack.std(0).mean() for stack in stacks]),
        "spread_between_arms": np.mean([stack.mean(0).std(1).mean() for stack in stacks]),
    }


def others(stack: np.ndarray) -> np.ndarray:
    """For each run, the mean of all runs but itself."""
    return (stack.sum(0) - stack) / (len(stack) - 1)


def share_missed(means: Means, arms: list[int]) -> float:
    """Regret against the oracle, where an even choice has 1."""
    even = (means.max(1) - means.mean(1)).sum()
    return float(dynamic_regret(means, arms)[-1] / even)


def pulled(runs: list[list[int]]) -> np.ndarray:
    """The share of the pulls that each arm got."""
    arms = np.concatenate([np.array(run) for run in runs])
    return np.bincount(arms, minlength=len(PAPER_ARMS)) / len(arms)


def chain_credits(quality: DataQuality, repetitions: int, seed: int) -> np.ndarray:
    """R_q per repetition, period and arm; one run for each arm at its fixed ratio."""
    runs = [Run(DEMO, quality, arm) for _ in range(repetitions) for arm in PAPER_ARMS]
    curves = learn(runs, generator(seed, f"recorded {quality}"), EVERY)
    credits = each_credit(curves.offline_advantage.T, curves.online_advantage.T)
    shaped = credits.reshape(repetitions, len(PAPER_ARMS), -1)
    return np.swapaxes(shaped, 1, 2)
